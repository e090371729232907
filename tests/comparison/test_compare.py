"""Two parser versions and two index snapshots compared on real databases; the numbers are counted by hand."""

from collections import Counter
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from lineage.comparison import answers, begin, marks, sides
from lineage.comparison.compare import (
    STAGES,
    Compared,
    ComparisonView,
    NotComparable,
    UnknownStage,
    comparison,
)
from lineage.nodes.paging import CursorInvalid
from lineage.types import NotFound, Viewer
from provexplorer.workspaces.models import Workspace
from tests.ingest.sending import node, record, send
from tests.nodes.world import viewer, withdraw

pytestmark = pytest.mark.django_db

# Source → what the old and the new parser read; each sentence is a chunk. None: it did not.
READ: dict[str, tuple[str | None, str | None]] = {
    "same": ("Alpha one. Beta two.", "Alpha one. Beta two."),
    "sign": ("Result -5. Staff 9.", "Result 5. Staff 9."),
    "dropped": ("Gamma three.", None),
    "added": (None, "Delta four. Eps five."),
}


def parsed(side: str, source: str, text: str, **more: Any) -> list[dict[str, Any]]:
    """A document of a parser's run with a chunk a sentence, a fact of the first, an answer that cites it."""
    key, out, start = f"{source}-{side}", [], 0
    out.append(
        record("document", f"d-{key}", source_version=f"{source}@1", text=text, run=f"run-{side}")
    )
    sentences = [f"{each.strip()}." for each in text.split(".") if each.strip()]
    for at, sentence in enumerate(sentences):
        start = text.index(sentence, start)
        interval = {"start": start, "end": start + len(sentence)}
        out.append(record("chunk", f"c-{key}-{at}", document=f"d-{key}", interval=interval))
    subject, said = sentences[0].rstrip(".").split(" ")
    out.append(
        record("fact", f"f-{key}", subject_of=f"c-{key}-0", subject=subject, predicate="is",
               object=said, confidence=0.5)
    )  # fmt: skip
    found = [{"chunk": f"c-{key}-{at}", "rank": at + 1} for at in range(len(sentences))]
    out += [
        record("retrieval", f"r-{key}", query=f"{source}?", candidates=found),
        record("context", f"x-{key}", retrieval=f"r-{key}",
               items=[{"chunk": f"c-{key}-0", "position": 1}]),
        record("answer", f"a-{key}", context=f"x-{key}", question=f"{source}?",
               text=f"It is {said}."),
    ]  # fmt: skip
    return out


def load(workspace: Workspace, acl: dict[str, list[str]] | None = None) -> None:
    records = [
        one
        for side, version in (("old", "3.1"), ("new", "3.2"))
        for one in (
            record("component", side, component_kind="parser", name="p", version=version),
            record("run", f"run-{side}", run_kind="parse", component=side),
        )
    ]
    for source, texts in READ.items():
        guarded: dict[str, Any] = {"acl": acl[source]} if acl and source in acl else {}
        records += [
            record("source", source, title=f"On {source}"),
            record("source_version", f"{source}@1", source=source, **guarded),
        ]
        for side, text in zip(("old", "new"), texts, strict=True):
            records += parsed(side, source, text) if text is not None else []
    assert [one for one in send(workspace, records) if one.problem] == []


def compared(workspace: Workspace, who: Viewer | None = None, **asked: Any) -> ComparisonView:
    old, new = (node(workspace, "component", side).uid for side in ("old", "new"))
    return comparison(who or viewer(workspace), old, new, **asked)


def numbers(found: ComparisonView) -> dict[str, tuple[int, ...]]:
    """Gained, lost, changed, unchanged of each stage."""
    return {stage.name: tuple(stage.counts.values()) for stage in found.stages}


def keys(found: ComparisonView) -> list[tuple[str, str | None, str | None]]:
    assert found.page is not None
    return [
        (pair.change.value, pair.old.key if pair.old else None, pair.new.key if pair.new else None)
        for pair in found.page.items
    ]


def test_what_is_foreign_unknown_or_of_another_kind_is_not_found(workspace: Workspace) -> None:
    load(workspace)
    other = Workspace.objects.create(slug="other", name="Other")
    old, document = (
        node(workspace, "component", "old").uid,
        node(workspace, "document", "d-same-old").uid,
    )
    for who, one, two in (
        (viewer(other), old, old), (viewer(workspace), old, "cmp_" + "a" * 26),
        (viewer(workspace), "", old), (viewer(workspace), document, document),
    ):  # fmt: skip
        with pytest.raises(NotFound):
            comparison(who, one, two)


def test_a_component_is_compared_neither_with_itself_nor_with_a_snapshot(
    workspace: Workspace,
) -> None:
    load(workspace)
    send(workspace, [record("index_snapshot", "i", collection="c")])
    old, snapshot = (
        node(workspace, "component", "old").uid,
        node(workspace, "index_snapshot", "i").uid,
    )
    for pair in ((old, old), (old, snapshot)):
        with pytest.raises(NotComparable):
            comparison(viewer(workspace), *pair)


def test_unknown_stages_changes_and_cursors_are_refused(workspace: Workspace) -> None:
    load(workspace)
    for stage, change in (("cheese", ""), ("facts", "cheese")):
        with pytest.raises(UnknownStage):
            compared(workspace, stage=stage, change=change)
    for cursor in ("nonsense", "WyJhIl0", "W251bGwsbnVsbCxudWxsXQ"):
        with pytest.raises(CursorInvalid):
            compared(workspace, stage="facts", cursor=cursor)


def test_two_parser_versions(workspace: Workspace) -> None:
    load(workspace)
    found = compared(workspace)
    assert numbers(found) == {
        "documents": (1, 1, 1, 1),
        "chunks": (2, 1, 1, 3),
        "facts": (1, 1, 1, 1),
        "retrieved": (1, 1, 0, 2),
        "answers": (1, 1, 1, 1),
    }
    assert not any(stage.cut for stage in found.stages)
    assert found.hidden == 0
    assert keys(compared(workspace, stage="documents", change="changed")) == [
        ("changed", "d-sign-old", "d-sign-new")
    ]
    assert keys(compared(workspace, stage="chunks", change="changed")) == [
        ("changed", "c-sign-old-0", "c-sign-new-0")
    ]
    assert keys(compared(workspace, stage="facts", change="lost")) == [
        ("lost", "f-dropped-old", None)
    ]
    assert keys(compared(workspace, stage="answers", change="gained")) == [
        ("gained", None, "a-added-new")
    ]


def test_the_other_way_round_gained_is_lost(workspace: Workspace) -> None:
    load(workspace)
    old, new = (node(workspace, "component", side).uid for side in ("old", "new"))
    back = numbers(comparison(viewer(workspace), new, old))
    for stage, (gained, lost, *alike) in numbers(compared(workspace)).items():
        assert back[stage] == (lost, gained, *alike)


def test_every_number_is_the_length_of_its_list_however_it_is_paged(workspace: Workspace) -> None:
    load(workspace)
    for stage in compared(workspace).stages:
        listed: list[Compared] = []
        cursor: str | None = None
        while True:
            page = compared(workspace, stage=stage.name, limit=3, cursor=cursor).page
            assert page is not None
            assert page.total == stage.total
            listed += page.items
            cursor = page.next
            if cursor is None:
                break
        changes = Counter(each.change for each in listed)
        assert {change: changes[change] for change in stage.counts} == stage.counts
    for change, number in stage.counts.items():
        page = compared(workspace, stage=stage.name, change=change).page
        assert page is not None
        assert (page.total, len(page.items)) == (number, number)
        assert {each.change for each in page.items} <= {change}


def load_alike(workspace: Workspace) -> None:
    """One document and its chunk, which two runs made alike."""
    text = "Alpha one. Beta two."
    for side, version, at in (
        ("old", "1", "2026-01-01T00:00:00Z"),
        ("new", "2", "2026-02-01T00:00:00Z"),
    ):
        send(
            workspace,
            [
                record("component", side, component_kind="parser", name="p", version=version),
                record("run", f"run-{side}", run_kind="parse", component=side),
                record("source", "s", title="S"),
                record("source_version", "s@1", source="s"),
                record("document", "d", source_version="s@1", text=text, run=f"run-{side}", at=at),
                record("chunk", "c", document="d", interval={"start": 0, "end": 10}, at=at),
            ],
        )  # fmt: skip


def test_a_document_that_both_read_alike_under_one_key_is_unchanged(workspace: Workspace) -> None:
    """The record of the second run takes the place of the first: without its history it would be gained."""
    load_alike(workspace)
    found = compared(workspace)
    assert numbers(found)["documents"] == (0, 0, 0, 1)
    assert numbers(found)["chunks"] == (0, 0, 0, 1)


def test_a_chunker_is_compared_by_its_own_chunks_and_the_documents_they_are_of(
    workspace: Workspace,
) -> None:
    text = "Alpha one. Beta two."
    records = [
        record("source", "s", title="S"), record("source_version", "s@1", source="s"),
        record("document", "d", source_version="s@1", text=text),
    ]  # fmt: skip
    for side, cuts in (("old", [(0, 10), (11, 20)]), ("new", [(0, 20)])):
        records += [
            record("component", side, component_kind="chunker", name="c", version=side),
            record("run", f"run-{side}", run_kind="chunk", component=side),
        ]
        records += [
            record("chunk", f"c-{side}-{start}", document="d", run=f"run-{side}",
                   interval={"start": start, "end": end})
            for start, end in cuts
        ]  # fmt: skip
    send(workspace, records)
    found = numbers(compared(workspace))
    assert found["documents"] == (0, 0, 0, 1)
    assert found["chunks"] == (0, 1, 1, 0)


def load_snapshots(workspace: Workspace) -> tuple[str, str]:
    """Two snapshots of six source versions: one document each way, one changed, one the same."""
    records = []
    for version in ("1", "2"):
        for source, text in (
            ("kept", "Alpha."),
            ("moved", f"Beta {version}."),
            (f"only{version}", "Gamma."),
        ):
            key = f"{source}@{version}"
            records += [
                record("source", source, title=source),
                record("source_version", key, source=source, version=version),
                record("document", f"d-{key}", source_version=key, text=text),
                record(
                    "chunk",
                    f"c-{key}",
                    document=f"d-{key}",
                    interval={"start": 0, "end": len(text)},
                ),
                record(
                    "embedding", f"e-{key}", chunk=f"c-{key}", model="m", vector_digest=f"v{key}"
                ),
            ]
    members = {"1": ["kept@1", "moved@1", "only1@1"], "2": ["kept@1", "moved@2", "only2@2"]}
    for version, some in members.items():
        # One names its chunks, the other its embeddings: the same members.
        named: dict[str, Any] = (
            {"chunks": [f"c-{key}" for key in some]}
            if version == "1"
            else {"embeddings": [f"e-{key}" for key in some]}
        )
        records.append(record("index_snapshot", version, collection="c", **named))
    assert [one for one in send(workspace, records) if one.problem] == []
    one, two = (node(workspace, "index_snapshot", key).uid for key in members)
    return one, two


def test_two_snapshots_are_compared_by_the_sources_of_their_members(workspace: Workspace) -> None:
    one, two = load_snapshots(workspace)
    found = comparison(viewer(workspace), one, two, stage="documents")
    assert numbers(found)["documents"] == (1, 1, 1, 1)
    assert numbers(found)["chunks"] == (1, 1, 1, 1)
    assert set(keys(found)) == {
        ("unchanged", "d-kept@1", "d-kept@1"), ("changed", "d-moved@1", "d-moved@2"),
        ("lost", "d-only1@1", None), ("gained", None, "d-only2@2"),
    }  # fmt: skip
    assert found.page is not None
    assert {each.source.key for each in found.page.items if each.source} == {
        "kept",
        "moved",
        "only1",
        "only2",
    }


def test_what_a_viewer_may_not_see_is_neither_compared_nor_counted(workspace: Workspace) -> None:
    load(workspace, acl={"sign": ["staff"], "dropped": ["staff"]})
    outside, inside = viewer(workspace), viewer(workspace, "staff")
    assert numbers(compared(workspace, inside))["chunks"] == (2, 1, 1, 3)
    found = compared(workspace, outside)
    assert found.hidden == 2
    assert {stage: numbers(found)[stage] for stage in ("documents", "chunks", "facts")} == {
        "documents": (1, 0, 0, 1), "chunks": (2, 0, 0, 2), "facts": (1, 0, 0, 1),
    }  # fmt: skip
    assert found.facts is not None
    assert found.facts[0].facts == 1
    for stage in STAGES:
        page = compared(workspace, outside, stage=stage).page
        assert page is not None
        assert "-5" not in str(page.items)


def test_the_facts_of_each_version_are_judged_by_what_speaks_against_them(
    workspace: Workspace,
) -> None:
    load(workspace)
    extra = record(
        "fact", "f2", subject_of="c-sign-new-1", subject="Result", predicate="is", object="6"
    )
    send(workspace, [extra])
    withdraw(workspace, node(workspace, "fact", "f-sign-old"))
    found = compared(workspace).facts
    assert found is not None
    old, new = found
    assert (old.facts, old.statements, old.contradicted, old.under_case) == (3, 3, 0, 1)
    assert (new.facts, new.statements, new.contradicted, new.under_case) == (4, 3, 1, 0)
    assert (old.confidence, new.confidence) == (0.5, 0.5)


@pytest.mark.parametrize(
    ("module", "bound", "cut"),
    [
        (begin, "MOST_VERSIONS", {"documents", "chunks", "facts"}),
        (begin, "MOST_OUTPUTS", {"documents", "chunks", "facts"}),
        (sides, "MOST_DOCUMENTS", {"documents", "chunks", "facts"}),
        (sides, "MOST_CHUNKS", {"documents", "chunks", "facts"}),
        (sides, "MOST_FACTS", {"documents", "chunks", "facts"}),
        (answers, "MOST_ANSWERS", {"answers", "retrieved"}),
        (answers, "MOST_CANDIDATES", {"retrieved"}),
    ],
)
def test_where_a_bound_cuts_the_stage_says_so_and_tells_nothing_untrue(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, module: Any, bound: str, cut: set[str]
) -> None:
    load(workspace)
    whole = {
        stage: set(keys(compared(workspace, stage=stage)))
        for stage in ("documents", "chunks", "facts")
    }
    monkeypatch.setattr(module, bound, 2)
    found = compared(workspace)
    assert {stage.name for stage in found.stages if stage.cut} >= cut
    for stage, pairs in whole.items():
        assert set(keys(compared(workspace, stage=stage))) <= pairs


def cuts(found: ComparisonView) -> set[str]:
    return {stage.name for stage in found.stages if stage.cut}


def test_all_versions_of_the_sources_of_snapshots_are_read_to_a_bound(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    ends = load_snapshots(workspace)
    monkeypatch.setattr(begin, "MOST_SIBLINGS", 6)
    found = comparison(viewer(workspace), *ends, stage="documents")
    assert cuts(found) == set()
    whole = set(keys(found))
    # What either holds is known as a whole: it is paired by its source all the same.
    for most in (5, 1):
        monkeypatch.setattr(begin, "MOST_SIBLINGS", most)
        found = comparison(viewer(workspace), *ends)
        assert cuts(found) == {"documents", "chunks", "facts"}
        assert numbers(found)["documents"] == (1, 1, 1, 1)
    # Where it is not, what lies in a version that was not read could be said to be lost.
    monkeypatch.setattr(begin, "MOST_OUTPUTS", 2)
    told = set(keys(comparison(viewer(workspace), *ends, stage="documents")))
    assert told < whole


def test_what_connectors_fetched_is_read_to_a_bound(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    records = []
    for side, sources in (("old", ("a", "b")), ("new", ("a", "c"))):
        records += [
            record("component", side, component_kind="connector", name="c", version=side),
            record("run", f"run-{side}", run_kind="acquire", component=side),
        ]
        for key in sources:
            records += [
                record("source", key, title=key),
                record("source_version", f"{key}@1", source=key),
                record(
                    "acquisition", f"{key}-{side}", source_version=f"{key}@1", run=f"run-{side}"
                ),
                record(
                    "document",
                    f"d-{key}-{side}",
                    acquisition=f"{key}-{side}",
                    source_version=f"{key}@1",
                    text=f"{key}.",
                ),
            ]
    assert [one for one in send(workspace, records) if one.problem] == []
    monkeypatch.setattr(begin, "MOST_FETCHED", 2)
    whole = compared(workspace)
    assert (numbers(whole)["documents"], cuts(whole)) == ((1, 1, 0, 1), set())
    monkeypatch.setattr(begin, "MOST_FETCHED", 1)
    assert cuts(compared(workspace)) == {"documents", "chunks", "facts"}


def test_embeddings_of_chunks_are_read_to_a_bound(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    records = [
        one
        for side in ("old", "new")
        for one in (
            record("component", side, component_kind="embedder", name="e", version=side),
            record("run", f"run-{side}", run_kind="embed", component=side),
        )
    ]
    for key, sides_of_it in (("a", ("old", "new")), ("b", ("old",))):
        records += [
            record("source", key, title=key),
            record("source_version", f"{key}@1", source=key),
            record("document", f"d-{key}", source_version=f"{key}@1", text="Alpha."),
            record("chunk", f"c-{key}", document=f"d-{key}", interval={"start": 0, "end": 6}),
        ]
        records += [
            record("embedding", f"e-{key}-{side}", chunk=f"c-{key}", model=side,
                   vector_digest=f"{key}{side}", run=f"run-{side}")
            for side in sides_of_it
        ]  # fmt: skip
    assert [one for one in send(workspace, records) if one.problem] == []
    monkeypatch.setattr(marks, "MOST_CHILDREN", 3)
    whole = compared(workspace, stage="chunks")
    assert (numbers(whole)["chunks"], cuts(whole)) == ((0, 1, 0, 1), set())
    monkeypatch.setattr(marks, "MOST_CHILDREN", 2)
    found = compared(workspace, stage="chunks")
    assert cuts(found) == {"documents", "chunks", "facts"}
    # The chunk whose embeddings were read to the last of them is told of, the other is not.
    assert len(keys(found)) == 1
    assert set(keys(found)) < set(keys(whole))


def test_earlier_records_of_nodes_are_read_to_a_bound(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    load_alike(workspace)
    monkeypatch.setattr(marks, "MOST_SAID", 2)
    assert cuts(compared(workspace)) == set()
    monkeypatch.setattr(marks, "MOST_SAID", 1)
    found = compared(workspace)
    assert cuts(found) == {"documents", "chunks", "facts"}
    assert numbers(found)["documents"] == (0, 0, 0, 0)


def test_queries_do_not_grow_with_what_is_compared(workspace: Workspace) -> None:
    load(workspace)
    with CaptureQueriesContext(connection) as few:
        compared(workspace, stage="chunks")
    more: list[dict[str, Any]] = []
    for number in range(4):
        more += [
            record("source", f"m{number}", title="M"),
            record("source_version", f"m{number}@1", source=f"m{number}"),
        ]
        more += [
            one
            for side in ("old", "new")
            for one in parsed(side, f"m{number}", f"Zeta {number}. Eta {side}.")
        ]
    send(workspace, more)
    with CaptureQueriesContext(connection) as many:
        compared(workspace, stage="chunks")
    assert len(many) == len(few)
