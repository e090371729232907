"""The edge table as data, written by hand from the design, and the mark of a test that a line is about.

A line is a type with the kinds at both its ends, "effect → cause". `about` names the lines of a
test, and holds it to them: the workspace that it leaves must have such an edge.
"""

from collections.abc import Callable
from functools import wraps
from typing import Final, Literal, NamedTuple, TypeVar

from lineage.graph.dump import dump
from lineage.models import Reference
from lineage.vocabulary import CASE_EDGES, KINDS, Edge
from provexplorer.workspaces.models import Workspace

# Whether impact, which goes from cause to effect, crosses an edge; "start": only as a first
# step, "run": only by the rule for runs that speak for an output, "last": only after CITES.
Crossed = Literal["always", "start", "run", "last", "never"]


class Line(NamedTuple):
    """One type of edge; `ends` are "effect → cause"."""

    crossed: Crossed
    ends: frozenset[str]


_MATERIAL: Final = ("source", "source_version", "document")
_SENT_WITH_A_RUN: Final = (
    "source", "source_version", "acquisition", "document", "part", "chunk", "fact", "embedding",
    "index_snapshot", "retrieval", "context", "answer",
)  # fmt: skip
_ENTITIES: Final = (*_SENT_WITH_A_RUN, "claim", "citation")
_NAMED_BY_CASES: Final = (
    "source", "source_version", "acquisition", "document", "part", "chunk", "fact", "embedding",
    "component", "run", "index_snapshot", "agent",
)  # fmt: skip


def _line(crossed: Crossed, *ends: str) -> Line:
    return Line(crossed, frozenset(ends))


TABLE: Final[dict[Edge, Line]] = {
    Edge.SPECIALIZATION_OF: _line("always", "source_version → source"),
    Edge.WAS_REVISION_OF: _line(
        "never", "source_version → source_version", "answer → answer"
    ),
    Edge.WAS_DERIVED_FROM: _line(
        "always",
        "acquisition → source_version",
        "document → acquisition", "document → source_version",
        "part → document", "part → part",
        "chunk → document", "chunk → part", "chunk → chunk",
        "fact → chunk",
        "embedding → chunk", "embedding → fact",
        "context → retrieval",
        "answer → context",
        # What a work or a version says it was made from, or its run says for it.
        *(f"{effect} → {cause}" for effect in _MATERIAL[:2] for cause in _MATERIAL),
    ),
    Edge.WAS_ATTRIBUTED_TO: _line("start", "source → agent", "source_version → agent"),
    Edge.HAD_MEMBER: _line("never", "index_snapshot → embedding", "index_snapshot → chunk"),
    Edge.RETRIEVED: _line("always", "retrieval → chunk", "retrieval → fact"),
    Edge.MATCHED: _line("always", "retrieval → embedding"),
    Edge.USED_SNAPSHOT: _line("always", "retrieval → index_snapshot"),
    Edge.INCLUDED: _line("always", "context → chunk", "context → fact"),
    Edge.SERVED_FROM: _line("always", "answer → answer"),
    Edge.WAS_INFLUENCED_BY: _line("start", "context → component", "index_snapshot → component"),
    Edge.WAS_QUOTED_FROM: _line("always", "citation → chunk", "citation → fact"),
    Edge.CITES: _line("always", "claim → citation"),
    Edge.STATED_IN: _line("last", "claim → answer"),
    Edge.WAS_GENERATED_BY: _line("start", *(f"{kind} → run" for kind in _SENT_WITH_A_RUN)),
    Edge.USED: _line("run", *(f"run → {kind}" for kind in _ENTITIES)),
    Edge.WAS_ASSOCIATED_WITH: _line("start", "run → component"),
    Edge.WAS_INVALIDATED_BY: _line("never", *(f"{kind} → case" for kind in _NAMED_BY_CASES)),
    Edge.AFFECTED_BY: _line("never", "answer → case"),
}  # fmt: skip

Ends = tuple[Edge, str]
_Test = TypeVar("_Test", bound=Callable[..., None])


def about(edge: Edge, *ends: str) -> Callable[[_Test], _Test]:
    """Mark a test as that of these lines; with none given of all that the edge has."""
    lines = frozenset(ends) or TABLE[edge].ends
    assert lines <= TABLE[edge].ends

    def marked(test: _Test) -> _Test:
        @wraps(test)
        def held_to_it(*arguments: object, workspace: Workspace, **named: object) -> None:
            test(*arguments, workspace=workspace, **named)
            missing = lines - _standing(workspace, edge)
            assert not missing, f"{test.__name__} has no {edge} of {sorted(missing)}"

        before: frozenset[Ends] = getattr(test, "lines", frozenset())
        held_to_it.lines = before | {(edge, one) for one in lines}  # type: ignore[attr-defined]
        return held_to_it  # type: ignore[return-value]

    return marked


def lines_of(test: object) -> frozenset[Ends]:
    """The lines that a test is about."""
    found: frozenset[Ends] = getattr(test, "lines", frozenset())
    return found


def _standing(workspace: Workspace, edge: Edge) -> set[str]:
    """The lines of this edge that the workspace has."""
    if edge in CASE_EDGES:
        labels = {kind.prefix: kind.name for kind in KINDS.values()}
        rows = [(start, end) for start, word, end, *_ in dump(workspace.pk)[1] if word == edge]
        return {f"{labels[start[:3]]} → {labels[end[:3]]}" for start, end in rows}
    found = Reference.objects.filter(
        workspace=workspace, edge=edge, from_node__isnull=False, to_node__isnull=False
    )
    ends = found.values_list("from_node__kind", "to_node__kind").order_by().distinct()
    return {f"{start} → {end}" for start, end in ends}
