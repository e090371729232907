"""Records of two works and answers about them, rich enough for every fact that a card shows."""

from collections.abc import Sequence
from typing import Any

from citations.answer import AnswerPage, answer_page
from citations.card import Card, citation_card
from lineage.models import Node
from lineage.types import Viewer
from provexplorer.workspaces.models import Workspace
from tests.ingest.sending import record
from tests.nodes.world import load, viewer, withdraw

__all__ = ["corals", "load", "reader", "reef", "rivers", "shown_answer", "shown_card", "withdraw"]

CORALS = (
    "Corals spawn once a year. Larvae remain competent to settle for up to 105 days. "
    "Survival falls below ten per cent by day 60. Currents alone do not explain it."
)
RIVERS = "Rivers carry silt to the sea. Silt smothers young corals near the mouth of a river."


def corals(**version: Any) -> list[dict[str, Any]]:
    """A work with everything stated; chunks c1 (26–80), c2 (81–125), c3 (126–158)."""
    return [
        record(
            "source", "s1",
            title="Dispersal of corals", source_kind="article", doi="10.1234/corals",
            uri="https://example.org/corals", container_title="Journal of Reefs", language="en",
            creators=[
                {"name": "A. Author", "orcid": "0000-0002-1825-0097", "role": "creator"},
                {"name": "B. Author", "role": "creator"},
                {"name": "E. Editor", "role": "editor"},
            ],
            publisher={"name": "Open Press"},
        ),
        record(
            "source_version", "s1@1",
            source="s1", version="1", license="CC-BY-4.0", published_at="2003-10-17", **version,
        ),
        record(
            "acquisition", "s1@1-got",
            source_version="s1@1", fetched_at="2026-02-01T08:00:00Z", http_status=200,
            uri="https://example.org/corals", etag='"a1"',
        ),
        record("component", "parser-2", component_kind="parser", name="pdf", version="2.1"),
        record("run", "parse-1", run_kind="parse", component="parser-2", status="ok"),
        record(
            "document", "d1",
            source_version="s1@1", acquisition="s1@1-got", text=CORALS, language="en",
            run="parse-1",
        ),
        record(
            "part", "results",
            document="d1", part_kind="section", heading="Results",
            interval={"start": 0, "end": 158},
        ),
        record(
            "part", "p7",
            document="d1", parent="results", part_kind="page", page_index=6, page_label="411",
            interval={"start": 0, "end": 100},
        ),
        record("chunk", "c1", document="d1", interval={"start": 26, "end": 79}),
        record("chunk", "c2", document="d1", interval={"start": 80, "end": 124}),
        record(
            "chunk", "c3",
            document="d1", interval={"start": 125, "end": 158}, heading_path=["Discussion"],
        ),
    ]  # fmt: skip


def rivers(**version: Any) -> list[dict[str, Any]]:
    """A work that states next to nothing; chunks r1 and r2."""
    return [
        record("source", "s2", title="Silt"),
        record("source_version", "s2@1", source="s2", **version),
        record("document", "d2", source_version="s2@1", text=RIVERS),
        record("chunk", "r1", document="d2", interval={"start": 0, "end": 29}),
        record("chunk", "r2", document="d2", interval={"start": 30, "end": 83}),
    ]


def reef(
    text: str, claims: Sequence[tuple[int, int]], citations: Sequence[dict[str, Any]], **fields: Any
) -> list[dict[str, Any]]:
    """An answer "a" with claims k0, k1… that has c1, r1 in context and retrieved c1, r1, c2, c3, r2."""
    candidates = [
        {"chunk": "c1", "rank": 1, "score": 0.9, "score_kind": "similarity", "kept": True},
        {"chunk": "r1", "rank": 2, "score": 0.0, "score_kind": "similarity", "rerank_rank": 1,
         "rerank_score": -1.5, "kept": True},
        {"chunk": "c2", "rank": 3, "score": 0.4, "kept": False, "drop_reason": "below_cutoff"},
        {"chunk": "c3", "rank": 4, "kept": False},
        {"chunk": "r2", "rank": 5, "kept": False},
    ]  # fmt: skip
    return [
        record("component", "model-9", component_kind="model", name="model", version="9"),
        record("run", "generate-1", run_kind="generate", component="model-9"),
        record("index_snapshot", "idx", collection="reefs", chunks=["c1"], built_at="2026-02-02T00:00:00Z"),
        record("retrieval", "ret", index_snapshot="idx", query="How long?", candidates=candidates),
        record(
            "context", "ctx",
            retrieval="ret", template={"name": "answer", "version": "3"},
            items=[
                {"chunk": "c1", "position": 1},
                {"chunk": "r1", "position": 2, "truncated": True},
            ],
        ),
        record(
            "answer", "a",
            context="ctx", question="How long can larvae drift?", text=text, model="extractive-1",
            provider="example", parameters={"temperature": 0}, session="s-1", run="generate-1",
            **fields,
        ),
        *(
            record("claim", f"k{at}", answer="a", interval={"start": start, "end": end})
            for at, (start, end) in enumerate(claims)
        ),
        *(
            record("citation", f"q{at}", **{"claim": "k0", "marker": f"[{at + 1}]", **citation})
            for at, citation in enumerate(citations)
        ),
    ]  # fmt: skip


def reader(workspace: Workspace, *groups: str, sees_all: bool = False) -> Viewer:
    return viewer(workspace, *groups, sees_all=sees_all)


def shown_card(workspace: Workspace, nodes: dict[str, Node], key: str, *groups: str) -> Card:
    return citation_card(reader(workspace, *groups), nodes[key].uid)


def shown_answer(workspace: Workspace, nodes: dict[str, Node], *groups: str) -> AnswerPage:
    return answer_page(reader(workspace, *groups), nodes["a"].uid)
