"""After an erasure was lifted the same records, sent again, say again what they said; nothing comes back before."""

from typing import Any

import pytest

from lineage.cases import workflow
from lineage.content.passages import texts_of
from lineage.erasure import run
from lineage.identifiers import address_of
from lineage.ingest.revisions import REFS
from lineage.models import Case, Node, Reference, Sighting
from provexplorer.workspaces.models import Workspace
from tests.cases.world import T, node, record, send, viewer
from tests.erasure.world import AT, PASSAGE, TEXT, TITLE_SENTINEL, erased, world
from tests.thorough import long_only

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("graph"), pytest.mark.one_pair]

OF_S1 = ["source", "source_version", "document", "chunk", "chunk"]


def sent(workspace: Workspace, *, only: str = "") -> list[dict[str, Any]]:
    """The world as this file has it: titles, attributes, and a reference by digest."""
    records = world()
    records[0]["title"] = f"Tides of {TITLE_SENTINEL}"
    records[3]["attributes"] = {"said": PASSAGE}
    return [one for one in records if only in one["key"]]


def lifted(workspace: Workspace, case: Case) -> None:
    workflow.reinstate(viewer(workspace), case.uid, reason="It was the wrong one.")
    assert run.sweep() == 1


def said(workspace: Workspace) -> dict[str, Any]:
    """All that the nodes of the first work say, and what names them."""
    nodes = list(
        Node.objects.filter(
            workspace=workspace, kind__in=set(OF_S1), address__in=_addresses(workspace)
        )
    )
    texts = texts_of(nodes, workspace=workspace)
    references = Reference.objects.filter(workspace=workspace).exclude(edge="")
    return {
        "nodes": {
            one.uid: (one.kind, one.namespace, one.key, one.label, one.digest, one.fields,
                      one.attributes, one.flags, texts.get(one.pk))
            for one in nodes
        },
        "edges": sorted(references.values_list("from_node__uid", "edge", "to_node__uid", "digest")),
        "seen": sorted(
            repr((row.address, row.digest, row.content_digest, row.fields, row.attributes))
            for row in Sighting.objects.filter(workspace=workspace, node__in=nodes)
        ),
    }  # fmt: skip


def _addresses(workspace: Workspace) -> set[str]:
    """By their hashes: what they are called may have gone."""
    return {address_of(workspace.hash_key, one["kind"], "", one["key"]) for one in world()[:5]}


@pytest.mark.parametrize(
    "describing", [pytest.param(False, marks=long_only), True], ids=["content", "describing"]
)
def test_the_same_records_say_again_what_they_said(
    workspace: Workspace, *, describing: bool
) -> None:
    send(workspace, sent(workspace))
    before = said(workspace)
    case = erased(workspace, ("source", "s1"), describing=describing)
    assert PASSAGE not in repr(said(workspace))
    assert {one.status for one in send(workspace, sent(workspace)[:5])} == {"rejected"}
    lifted(workspace, case)
    # Not by itself.
    assert PASSAGE not in repr(said(workspace))
    again = send(workspace, sent(workspace))
    assert [(one.kind, one.status) for one in again[:5]] == [(kind, "stored") for kind in OF_S1]
    assert {one.status for one in again[5:]} == {"unchanged"}
    assert said(workspace) == before
    assert {one.status for one in send(workspace, sent(workspace))} == {"unchanged"}


def test_of_two_records_of_one_content_one_brings_it_back(workspace: Workspace) -> None:
    later = record("document", "s1-doc", source_version="s1@1", text=TEXT, language="en")
    later["occurred_at"] = T.replace("2026", "2027")
    send(workspace, [*sent(workspace), later])
    uid = node(workspace, "document", "s1-doc").uid
    case = erased(workspace, ("source", "s1"))
    lifted(workspace, case)
    send(workspace, sent(workspace, only="s1"))
    (document,) = Node.objects.filter(workspace=workspace, kind="document", key="s1-doc")
    assert (document.uid, document.fields["language"]) == (uid, "en")
    assert texts_of([document]) == {document.pk: TEXT}


def test_of_a_document_that_was_masked_its_record_brings_the_text_back(
    workspace: Workspace,
) -> None:
    send(workspace, sent(workspace))
    before = said(workspace)
    case = erased(workspace, ("chunk", "c1"))
    document = node(workspace, "document", "s1-doc")
    assert PASSAGE not in texts_of([document])[document.pk]
    lifted(workspace, case)
    send(workspace, sent(workspace))
    assert said(workspace) == before


def test_nothing_comes_back_of_what_another_erasure_stands_for(workspace: Workspace) -> None:
    """Too short to be known again by its words: its place alone tells."""
    short = "Alpha is one. Beta is two."
    records = [
        record("source", "s", title="S"),
        record("source_version", "s@1", source="s"),
        record("document", "d", source_version="s@1", text=short),
        record("chunk", "c", document="d", interval={"start": 0, "end": 13}),
        record("chunk", "e", document="d", interval={"start": 14, "end": 26}),
    ]
    send(workspace, records)
    first, second = (erased(workspace, ("chunk", one)) for one in ("c", "e"))
    lifted(workspace, first)
    (outcome,) = send(workspace, [records[3]])
    assert outcome.status == "stored"
    assert [one.status for one in send(workspace, records)][2:] == ["rejected"] * 3
    document = node(workspace, "document", "d")
    assert "Beta" not in texts_of([document])[document.pk]
    lifted(workspace, second)
    send(workspace, records)
    document = node(workspace, "document", "d")
    assert texts_of([document]) == {document.pk: short}


def test_what_names_a_content_by_its_digest_means_it_again(workspace: Workspace) -> None:
    send(workspace, sent(workspace))
    digest = node(workspace, "chunk", "c1").digest
    named = record("context", "by-digest", items=[
        {"chunk": {"key": "c1", "digest": digest}, "position": 1}])  # fmt: skip
    send(workspace, [named])

    def meant() -> list[tuple[str, str | None]]:
        rows = Reference.objects.filter(workspace=workspace, holder__key="by-digest")
        held = Sighting.objects.get(workspace=workspace, node__key="by-digest").fields[REFS]
        return [*rows.values_list("digest", "to_node__key"), repr(held)]  # type: ignore[list-item]

    before = meant()
    case = erased(workspace, ("source", "s1"))
    assert meant() != before
    lifted(workspace, case)
    send(workspace, sent(workspace))
    assert meant() == before


def test_a_part_of_it_may_come_back_alone(workspace: Workspace) -> None:
    send(workspace, sent(workspace))
    case = erased(workspace, ("source", "s1"))
    lifted(workspace, case)
    (outcome,) = send(workspace, [sent(workspace)[3]])
    assert (outcome.key, outcome.status) == ("c1", "stored")
    assert node(workspace, "chunk", "c1").attributes == {"said": PASSAGE}
    send(workspace, sent(workspace)[2:3])
    chunk = node(workspace, "chunk", "c1")
    assert texts_of([chunk]) == {chunk.pk: TEXT[AT[0] : AT[1]]}


def test_a_key_refused_for_two_erasures_stays_refused_when_one_is_lifted(
    workspace: Workspace,
) -> None:
    """Neither lifted: a document that repeats what either erased, and a chunk that only names it."""
    send(workspace, world())
    cases = [erased(workspace, ("chunk", "c1")), erased(workspace, ("source", "s2"))]
    of_second = next(one["text"] for one in world() if one["key"] == "s2-doc")
    copies = [record("document", "copy", source_version="s3@1", text=text)
              for text in (TEXT, of_second)]  # fmt: skip
    for copy in copies:
        assert [one.status for one in send(workspace, [copy])] == ["rejected"]
    chunk = record("chunk", "of-copy", document="copy", text="Too short to be known.")
    lifted(workspace, cases[0])
    assert [one.status for one in send(workspace, [chunk])] == ["rejected"]
    lifted(workspace, cases[1])
    assert {one.status for one in send(workspace, [copies[0], chunk])} == {"stored"}
