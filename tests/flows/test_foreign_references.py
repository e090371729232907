"""A uid of another workspace in a body or a query: it names nothing, and does nothing over there."""

import json
from typing import Any, Final

import pytest

from lineage.models import Reference
from provexplorer.workspaces.models import Workspace
from tests.api.caller import caller
from tests.flows.foreign import ABSENT, EVERY_KIND, Others, asked_by, new_workspace, record, told


@pytest.mark.django_db
def test_a_case_on_a_foreign_uid_is_refused_like_one_on_nothing(
    others: Others, workspace: Workspace
) -> None:
    elsewhere = new_workspace(workspace.slug.replace("test-", "else-"))
    key, member = caller(elsewhere), asked_by("member of another workspace", elsewhere)
    for uid in others.of(("src", "srv", "doc", "chk", "cmp", "run", "agt", "idx", "ans", "cas")):
        replies = []
        for each in (uid, f"{uid[:3]}_{ABSENT}"):
            body = {"kind": "retraction", "targets": [{"uid": each}], "reason": "r"}
            reply = key.post("/cases", body)
            assert reply.status == 422
            form = {"draft": "1", "kind": "retraction", "target": each, "reason": "r"}
            page = told(member.post("/cases/new", form), each)
            assert page.status == 422
            filled = told(member.get(f"/cases/new?target={each}&q={each}"), each)
            assert filled.status == 200
            told_of = json.dumps(reply.body, sort_keys=True).replace(each, "UID")
            replies.append((told_of, reply.headers, page, filled))
        assert replies[0] == replies[1], uid
    assert key.get("/cases").body["total"] == 0


@pytest.mark.one_pair
@pytest.mark.django_db
def test_a_search_for_a_foreign_uid_finds_what_a_search_for_nothing_finds(
    others: Others, workspace: Workspace
) -> None:
    elsewhere = new_workspace(workspace.slug.replace("test-", "else-"))
    member = asked_by("member of another workspace", elsewhere)
    for uid in others.of(EVERY_KIND):
        absent = f"{uid[:3]}_{ABSENT}"
        for path in ("/search?q={}", "/api/v1/search?q={}", "/answers/?q={}&source={}"):
            one, other = (told(member.get(path.format(each, each)), each) for each in (uid, absent))
            assert one == other
            assert one.status == 200
    # The workspace itself is not told from one that does not exist.
    for path in ("/", "/answers/", "/sources/", "/components/", "/cases/", "/search"):
        one, other = (
            told(member.get(f"{path}?ws={slug}"), slug)
            for slug in (workspace.slug, "n" * len(workspace.slug))
        )
        assert one == other
        assert one.status == 404


# What a record may name by uid: the field, and the kind that stands there.
REFERENCES: Final[list[tuple[dict[str, Any], str, str]]] = [
    (record("source_version", "n", version="1"), "source", "src"),
    (record("acquisition", "n"), "source_version", "srv"),
    (record("document", "n", text="Text."), "source_version", "srv"),
    (record("part", "n", part_kind="page"), "document", "doc"),
    (record("chunk", "n", interval={"start": 0, "end": 5}), "document", "doc"),
    (record("fact", "n", subject="a", predicate="b", object="c"), "subject_of", "chk"),
    (record("embedding", "n", model="m"), "chunk", "chk"),
    (record("index_snapshot", "n", collection="n"), "chunks[]", "chk"),
    (record("retrieval", "n"), "candidates[].chunk", "chk"),
    (record("context", "n"), "items[].chunk", "chk"),
    (record("answer", "n", text="Text."), "context", "ctx"),
    (record("answer", "n", text="Text."), "served_from", "ans"),
    (record("claim", "n", text="Alpha is one."), "answer", "ans"),
    (record("run", "n", run_kind="parse"), "component", "cmp"),
]


def naming(base: dict[str, Any], field: str, uid: str) -> dict[str, Any]:
    """The record with a reference by uid in this field."""
    name, _, inner = field.partition("[]")
    ref: Any = {"uid": uid}
    if field.endswith("[]"):
        return base | {name: [ref]}
    return base | (
        {name: [{inner.removeprefix("."): ref, "position": 1}]} if inner else {name: ref}
    )


@pytest.mark.one_pair
@pytest.mark.django_db
def test_a_record_that_names_a_foreign_uid_names_nothing(
    others: Others, workspace: Workspace
) -> None:
    edges = Reference.objects.filter(workspace=workspace).count()
    whole = f"/nodes/{others.uids['src'][0]}/impact"
    impact = others.owner.get(whole).body
    senders = [caller(new_workspace(f"{workspace.slug}-{number}")) for number in range(2)]
    for number, (base, field, prefix) in enumerate(REFERENCES):
        foreign = others.uids[prefix][0]
        replies = []
        for sender, uid in zip(senders, (foreign, f"{prefix}_{ABSENT}"), strict=True):
            (outcome,) = sender.records(naming(base | {"key": f"n{number}"}, field, uid))
            told_of = [warned["code"] for warned in outcome["warnings"]]
            assert "unresolved_reference" in told_of, field
            node = sender.get(f"/nodes/{outcome['uid']}").body
            around = sender.get(f"/nodes/{outcome['uid']}/upstream").body
            seen = json.dumps([outcome, node, around], sort_keys=True)
            seen = seen.replace(outcome["uid"], "OWN").replace(uid, "UID")
            replies.append(seen.replace(node["recorded_at"], "NOW"))
        assert replies[0] == replies[1], (base["kind"], field)
    assert others.owner.get(whole).body == impact
    assert Reference.objects.filter(workspace=workspace).count() == edges
