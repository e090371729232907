"""Numbers downstream, stage by stage: what the traps of the edge table leave out, and what is cut."""

import pytest

from lineage.impact import stages
from lineage.impact.stages import Downstream, downstream_counts
from lineage.types import NotFound
from provexplorer.workspaces.models import Workspace
from tests.ingest.sending import LATER, record
from tests.nodes.world import ALPHA, answer, load, source, viewer

pytestmark = pytest.mark.django_db

REST = {"retrieval": 1, "context": 1, "answer": 1, "claim": 1, "citation": 1}


def counts(workspace: Workspace, key: str, *records: list[dict[str, object]]) -> dict[str, int]:
    nodes = load(workspace, *records)
    found = downstream_counts(viewer(workspace), nodes[key].uid)
    assert found.truncated is False
    return found.counts


def test_unknown_is_not_found(workspace: Workspace) -> None:
    with pytest.raises(NotFound):
        downstream_counts(viewer(workspace), "src_" + "a" * 26)


def test_source_reaches_all_that_is_made_of_it(workspace: Workspace) -> None:
    records = [source("s", ALPHA), source("t", ALPHA), answer("one", "s-c"), answer("two", "t-c")]
    below = {"source_version": 1, "document": 1, "chunk": 1, **REST}
    assert counts(workspace, "s", *records) == below
    assert counts(workspace, "s-c", *records) == REST
    assert counts(workspace, "k-one", *records) == {"answer": 1}


def test_member_of_a_snapshot_is_not_affected_by_it_nor_the_other_way(
    workspace: Workspace,
) -> None:
    records = [
        source("s", ALPHA),
        source("t", ALPHA),
        [record("index_snapshot", "i", collection="c", chunks=["s-c", "t-c"])],
        [record("retrieval", "r", index_snapshot="i", candidates=[{"chunk": "t-c"}])],
        [record("context", "c", retrieval="r", items=[{"chunk": "t-c"}])],
        [record("answer", "a", context="c", text="Alpha.")],
    ]
    assert counts(workspace, "s-c", *records) == {}
    assert counts(workspace, "i", *records) == {"retrieval": 1, "context": 1, "answer": 1}


def test_component_and_run_reach_what_they_made_and_not_what_others_did(
    workspace: Workspace,
) -> None:
    records = [
        [
            record("component", "p", component_kind="parser", name="p", version="1"),
            record("component", "q", component_kind="parser", name="q", version="1"),
            record("run", "r", run_kind="parse", component="p"),
            record("run", "other", run_kind="chunk", component="q"),
        ],
        source("s", ALPHA),
        source("t", ALPHA),
        [record("document", "s-doc", source_version="s@1", run="r", at=LATER)],
        [record("chunk", "s-c", document="s-doc", run="other", at=LATER)],
        answer("one", "s-c"),
        answer("two", "t-c"),
    ]
    assert counts(workspace, "r", *records) == {"document": 1, "chunk": 1, **REST}
    assert counts(workspace, "p", *records) == {"run": 1, "document": 1, "chunk": 1, **REST}
    assert counts(workspace, "other", *records) == {"chunk": 1, **REST}


def test_shared_run_blames_nobody_who_has_a_derivation(workspace: Workspace) -> None:
    used = [{"kind": "source_version", "key": key} for key in ("s@1", "t@1")]
    records = [
        [record("run", "r", run_kind="parse", used=used)],
        source("s", ALPHA),
        source("t", ALPHA),
        [
            record("document", f"{key}-doc", source_version=f"{key}@1", run="r", at=LATER)
            for key in ("s", "t")
        ],
    ]
    assert counts(workspace, "s@1", *records) == {"document": 1, "chunk": 1}


def test_agent_reaches_what_it_answers_for(workspace: Workspace) -> None:
    records = [
        source("s", ALPHA, creators=[{"agent": "ana", "role": "creator"}]),
        source("t", ALPHA),
        [record("agent", "ana", name="Ana")],
        answer("one", "s-c"),
    ]
    assert counts(workspace, "ana", *records) == {
        "source": 1, "source_version": 1, "document": 1, "chunk": 1, **REST,
    }  # fmt: skip


def test_walk_that_is_cut_says_so_and_still_counts_every_answer(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    nodes = load(workspace, source("s", ALPHA), *(answer(str(n), "s-c") for n in range(4)))
    monkeypatch.setattr(stages, "MOST_NODES", 5)
    found = downstream_counts(viewer(workspace), nodes["s"].uid)
    assert found.truncated is True
    assert found.counts["answer"] == 4
    assert sum(found.counts.values()) - found.counts["answer"] <= 5
    monkeypatch.setattr(stages, "MOST_NODES", 50)
    assert downstream_counts(viewer(workspace), nodes["s"].uid) == Downstream(
        {
            "source_version": 1, "document": 1, "chunk": 1, "retrieval": 4, "context": 4,
            "answer": 4, "claim": 4, "citation": 4,
        },
        truncated=False,
    )  # fmt: skip
