"""Facts that contradict each other: found without their words, told to those who may see both."""

from dataclasses import replace
from typing import Any

import pytest
from pytest_django import Settings

from lineage.cases import workflow
from lineage.cases.errors import ScopeMissing
from lineage.models import FactKey, SourceAuthority
from lineage.nodes.authority import authority_of, set_authority
from lineage.nodes.facts import Contradiction, contradictions, fact_page
from lineage.nodes.paging import CursorInvalid
from lineage.types import Erased, NotFound, Viewer
from provexplorer.workspaces.models import Workspace
from tests.cases.world import viewer
from tests.ingest.sending import LATER, node, record, send

pytestmark = pytest.mark.django_db(databases=["default", "keys"])


@pytest.fixture(autouse=True)
def _graph_away(settings: Settings) -> None:
    settings.NEO4J_URI = "bolt://127.0.0.1:9"


def work(name: str, **version: Any) -> list[dict[str, Any]]:
    """A source `name` with a chunk `name-c`."""
    return [
        record("source", name, title=f"Work {name}"),
        record("source_version", f"{name}@1", source=name, **version),
        record("document", f"{name}-d", source_version=f"{name}@1", text=f"Text of {name}."),
        record("chunk", f"{name}-c", document=f"{name}-d", interval={"start": 0, "end": 4}),
    ]


def fact(key: str, work_: str, *said: Any, **more: Any) -> dict[str, Any]:
    subject, predicate, object_ = said
    return record(
        "fact", key, subject_of=f"{work_}-c", subject=subject, predicate=predicate,
        object=object_, **more,
    )  # fmt: skip


def world() -> list[dict[str, Any]]:
    """Three works: `a` and `b` say different things of the port, `a` and `c` the same."""
    return [
        *work("a"), *work("b"), *work("c"),
        fact("fa", "a", "The Port", "opened in", "1890", run="r"),
        fact("fb", "b", "the  port", "Opened in", "1891", at=LATER),
        fact("fc", "c", "The Port", "opened in", "1890"),
        fact("other", "a", "The Port", "closed in", "1950"),
        record("run", "r", run_kind="extract", component="extractor:x@1"),
        record("component", "extractor:x@1", component_kind="extractor", name="x", version="1"),
    ]  # fmt: skip


def keys(found: Contradiction) -> list[str | None]:
    return [side.fact.key for side in found.sides]


def uid_of(workspace: Workspace, key: str) -> str:
    return node(workspace, "fact", key).uid


def revoke(workspace: Workspace, source: str, kind: str) -> None:
    target = {"uid": node(workspace, "source", source).uid}
    case = workflow.draft(viewer(workspace), workflow.NewCase(kind=kind, targets=[target]))
    workflow.dry_run(viewer(workspace), case.uid)
    workflow.approve(viewer(workspace), case.uid)


def test_a_cursor_of_another_list_is_refused(workspace: Workspace) -> None:
    for cursor in ("nonsense", "W251bGxd"):
        with pytest.raises(CursorInvalid):
            contradictions(viewer(workspace), cursor=cursor)


def test_what_is_no_fact_or_is_elsewhere_has_no_page(workspace: Workspace) -> None:
    other = Workspace.objects.create(slug="other", name="other")
    send(workspace, world())
    for asking, uid in (
        (viewer(workspace), node(workspace, "source", "a").uid),
        (viewer(other), uid_of(workspace, "fa")),
    ):
        with pytest.raises(NotFound):
            fact_page(asking, uid)
    assert contradictions(viewer(other)).items == ()


def test_facts_that_say_the_same_or_of_something_else_do_not_contradict(
    workspace: Workspace,
) -> None:
    send(workspace, [one for one in world() if one["key"] != "fb"])
    assert contradictions(viewer(workspace)).items == ()
    assert keys(fact_page(viewer(workspace), uid_of(workspace, "fa")).against) == []


def test_contradictory_facts_stand_with_their_chains_the_greater_authority_first(
    workspace: Workspace,
) -> None:
    send(workspace, world())
    (one,) = contradictions(viewer(workspace)).items
    # Without authority, the latest first, then by uid.
    assert keys(one)[0] == "fb"
    set_authority(viewer(workspace), node(workspace, "source", "c").uid, 5)
    set_authority(viewer(workspace), node(workspace, "source", "b").uid, -5)
    (one,) = contradictions(viewer(workspace)).items
    assert keys(one) == ["fc", "fa", "fb"]
    assert [side.authority for side in one.sides] == [5, 0, -5]
    chain = [(step.kind, step.key) for step in one.sides[0].chain]
    assert chain == [
        ("chunk", "c-c"), ("document", "c-d"), ("source_version", "c@1"), ("source", "c"),
    ]  # fmt: skip
    assert [step.key for step in one.sides[1].components] == ["extractor:x@1"]
    page = fact_page(viewer(workspace), uid_of(workspace, "fb"))
    assert keys(page.against) == ["fc", "fa"]
    assert page.side.fact.fields["object"] == "1891"


def test_only_what_the_viewer_may_see_is_compared(workspace: Workspace) -> None:
    send(workspace, [*world(), *work("secret", acl=["board"]),
         fact("fs", "secret", "The quay", "is", "long"), fact("fq", "a", "The quay", "is", "short")])  # fmt: skip
    outsider, insider = viewer(workspace), replace(viewer(workspace), groups=frozenset({"board"}))
    assert len(contradictions(insider).items) == 2
    assert [sorted(map(str, keys(one))) for one in contradictions(outsider).items] == [
        ["fa", "fb", "fc"]
    ]
    assert keys(fact_page(outsider, uid_of(workspace, "fq")).against) == []
    hidden = fact_page(outsider, uid_of(workspace, "fs"))
    assert (hidden.side.fact.hidden, hidden.side.fact.fields, hidden.against.total) == (True, {}, 0)
    # Whether there is more to come tells nothing of what is hidden either.
    assert contradictions(outsider, limit=1).next is None


@pytest.mark.parametrize("kind", ["revocation", "erasure"])
def test_facts_that_a_case_hides_are_not_compared(workspace: Workspace, kind: str) -> None:
    send(workspace, world())
    revoke(workspace, "b", kind)
    assert contradictions(viewer(workspace)).items == ()
    assert keys(fact_page(viewer(workspace), uid_of(workspace, "fa")).against) == []
    if kind == "erasure":
        with pytest.raises(Erased):
            fact_page(viewer(workspace), uid_of(workspace, "fb"))


def test_a_retracted_side_still_shows_and_says_so(workspace: Workspace) -> None:
    send(workspace, world())
    revoke(workspace, "b", "retraction")
    (one,) = contradictions(viewer(workspace)).items
    states = {side.fact.key: side.fact.state for side in one.sides}
    assert states == {"fa": "active", "fb": "withdrawn", "fc": "active"}


def test_pages_follow_each_other_and_end(workspace: Workspace) -> None:
    pairs = [
        fact(f"{n}{side}", "a" if side == "x" else "b", f"Pier {n}", "is", side)
        for n in range(5)
        for side in "xy"
    ]
    send(workspace, [*work("a"), *work("b"), *pairs])
    seen: list[str] = []
    cursor: str | None = None
    for _ in range(3):
        page = contradictions(viewer(workspace), limit=2, cursor=cursor)
        seen += [str(key)[0] for one in page.items for key in keys(one)[:1]]
        cursor = page.next
    assert cursor is None
    assert sorted(seen) == list("01234")


def test_hashes_follow_a_fact_and_tell_no_words(workspace: Workspace) -> None:
    records = world()
    send(workspace, records)
    send(workspace, records)
    other = Workspace.objects.create(slug="other", name="other")
    send(other, records)
    rows = FactKey.objects.filter(workspace=workspace).order_by("node__key")
    assert rows.count() == 4
    first = {row.node.key: row for row in rows.select_related("node")}
    assert first["fa"].about == first["fb"].about == first["fc"].about != first["other"].about
    assert first["fa"].says == first["fc"].says != first["fb"].says
    assert not FactKey.objects.filter(workspace=other, about=first["fa"].about).exists()
    # Its place arrives late: the words are not in the request any more.
    send(workspace, [record("chunk", "late-c", document="a-d", interval={"start": 0, "end": 4}, at=LATER),
                     fact("late", "late", "The Port", "opened in", "1892")])  # fmt: skip
    send(workspace, [record("chunk", "late-c", document="b-d", interval={"start": 0, "end": 4})])
    assert first["fa"].about in FactKey.objects.filter(node__key="late").values_list(
        "about", flat=True
    )


def test_only_editors_set_an_authority_in_range(workspace: Workspace) -> None:
    send(workspace, world())
    source = node(workspace, "source", "a").uid
    operator: Viewer = replace(viewer(workspace), scopes=frozenset({"read", "operate"}))
    with pytest.raises(ScopeMissing):
        set_authority(operator, source, 1)
    with pytest.raises(NotFound):
        set_authority(viewer(workspace), node(workspace, "chunk", "a-c").uid, 1)
    for number in (1_001, -1_001):
        with pytest.raises(ValueError, match=str(number)):
            set_authority(viewer(workspace), source, number)
    set_authority(viewer(workspace), source, 3)
    set_authority(viewer(workspace), source, 4)
    assert authority_of(viewer(workspace), source) == 4
    set_authority(viewer(workspace), source, 0)
    assert (authority_of(viewer(workspace), source), SourceAuthority.objects.count()) == (0, 0)
