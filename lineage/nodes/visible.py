"""Which nodes a viewer may see: versions state access groups, which guard what comes from them.

Acquisition, document, part, chunk, fact, embedding, citation, and a claim that cites,
need a group of each version behind them; a source needs one version that is visible.
A version nobody has described yet guards nothing until it is repaired. An agent is seen
with one of the works that name it; one that no work names guards nothing.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final

from django.db.models import Q, QuerySet

from lineage.compiled import Compiled, Given, by_their_ids
from lineage.models import Node, Reference, RestsOn
from lineage.types import Viewer
from lineage.vocabulary import Edge

# From this many equal code points on, an answer or a question repeats its source.
LEAST_OVERLAP: Final = 40
# Attributions that are read at once, and in all, to find one visible work for each agent.
_CREDITS_AT_ONCE: Final = 2_000
_MOST_CREDITS: Final = 20_000
# Kinds that stand on a version; Node.version names it for those that have it as their place.
_GUARDED: Final = frozenset(
    {"acquisition", "document", "part", "chunk", "fact", "embedding", "citation", "claim"}
)

_VERSIONS_BEHIND_ANSWERS: Final = Compiled(
    lambda given: RestsOn.objects.filter(
        answer_id__in=given.ids("answers"),
        target__workspace_id=given.id("workspace"),
        target__kind="source_version",
        target__resolved=True,
    ).values_list("answer_id", "target__fields__acl")
)
# Of more answers than these, which share their versions, two statements cost less than one: what
# is within JSON, and behind it in a row, is then read once of each version.
_FEW_ANSWERS: Final = 20
_VERSIONS_SHARED: Final = Compiled(
    lambda given: RestsOn.objects.filter(
        answer_id__in=given.ids("answers"),
        target__kind="source_version",
        target__resolved=True,
    ).values_list("answer_id", "target_id")
)
_VERSIONS_RETRIEVED: Final = Compiled(
    lambda given: Reference.objects.filter(
        workspace_id=given.id("workspace"),
        edge=Edge.RETRIEVED,
        from_node_id__in=given.ids("retrievals"),
        to_node__version__resolved=True,
    ).values_list("from_node_id", "to_node__version__fields__acl")
)


_DESCRIBED: Final = Compiled(
    lambda given: (
        by_their_ids(Node.objects.filter(resolved=True), given.id("workspace"))
        .filter(
            Q(pk__in=given.ids("versions"))
            | Q(parent_id__in=given.ids("sources"), kind="source_version")
        )
        .values_list("pk", "parent_id", "fields__acl")
    )
)


def _beside(given: Given) -> "QuerySet[Reference, Any]":
    """What acquisitions were fetched of, and what citations quote: their own, and those of claims.

    Three statements in one: with OR the planner reads every reference of the workspace.
    """
    rows = by_their_ids(Reference.objects.all(), given.id("workspace")).values_list(
        "edge", "from_node_id", "from_node__parent_id", "to_node_id", "to_node__version_id"
    )
    return rows.filter(
        edge=Edge.WAS_DERIVED_FROM,
        from_node_id__in=given.ids("fetched"),
        to_node__kind="source_version",
    ).union(
        rows.filter(edge=Edge.WAS_QUOTED_FROM, from_node_id__in=given.ids("citations")),
        # A citation's place is its claim.
        rows.filter(edge=Edge.WAS_QUOTED_FROM, from_node__parent_id__in=given.ids("claims")),
        all=True,
    )


_VERSIONS_BESIDE: Final = Compiled(_beside)


def visible(viewer: Viewer, nodes: Sequence[Node]) -> dict[int, bool]:
    """Whether the viewer may see each node, by node id; two queries at most for any number.

    Two more where agents are among them. `admin` sees all. Nodes need kind and version_id
    loaded only.
    """
    seen = {node.pk: True for node in nodes}
    if viewer.sees_all or not seen:
        return seen
    behind = _versions_behind(viewer, nodes)
    sources = {node.pk for node in nodes if node.kind == "source"}
    open_to = _described_versions(viewer, {v for some in behind.values() for v in some}, sources)
    by_source: dict[int | None, list[bool]] = defaultdict(list)
    for source_id, is_open in open_to.values():
        by_source[source_id].append(is_open)
    for node in nodes:
        if node.kind == "source":
            versions = by_source.get(node.pk, [])
            seen[node.pk] = any(versions) or not versions
        else:
            seen[node.pk] = all(open_to[v][1] for v in behind[node.pk] if v in open_to)
    for agent_id in _agents_of_hidden_works(viewer, nodes):
        seen[agent_id] = False
    return seen


def _agents_of_hidden_works(viewer: Viewer, nodes: Sequence[Node]) -> set[int]:
    """Agents that works name, none of which the viewer may see: who made them would tell of them.

    Read in the order of the agents until each has a visible work: of most, the first ones.
    An agent with none among the first 20,000 attributions of all stays hidden.
    """
    undecided = {node.pk for node in nodes if node.kind == "agent"}
    hidden: set[int] = set()
    last, read = (0, 0), 0
    while undecided and read < _MOST_CREDITS:
        rows = list(
            Reference.objects.filter(
                Q(to_node_id=last[0], pk__gt=last[1]) | Q(to_node_id__gt=last[0]),
                workspace_id=viewer.workspace_id,
                edge=Edge.WAS_ATTRIBUTED_TO,
                to_node_id__in=undecided,
                from_node__isnull=False,
            )
            .order_by("to_node_id", "pk")
            .values_list("to_node_id", "pk", "from_node_id", "from_node__kind")[:_CREDITS_AT_ONCE]
        )
        works = {work: Node(pk=work, kind=kind) for _, _, work, kind in rows if work is not None}
        seen = visible(viewer, list(works.values()))
        shown = {agent for agent, _, work, _ in rows if work is not None and seen[work]}
        hidden = (hidden | {agent for agent, *_ in rows if agent is not None}) - shown
        undecided -= shown
        read += len(rows)
        if len(rows) < _CREDITS_AT_ONCE:
            return hidden
        last = (rows[-1][0] or 0, rows[-1][1])
    # Those whose turn never came, too: what was not looked at is not shown.
    return hidden | undecided


def given_hidden(viewer: Viewer, nodes: Sequence[Node]) -> set[int]:
    """Nodes whose words may repeat what the viewer may not see, though they are visible, by node id.

    Answers that cite, had in context or retrieved something hidden, with their claims, with
    citations of theirs that quote nothing known; and retrievals that found something hidden.
    Four queries at most; nodes need kind, parent and version_id loaded.
    """
    if viewer.sees_all:
        return set()
    guessed = [n for n in nodes if n.kind != "citation" or n.version_id is None]
    answer_of = answers_of(viewer.workspace_id, guessed)
    found = set()
    if answer_of:
        given = _answers_given_hidden(viewer, set(answer_of.values()))
        found = {pk for pk, answer_id in answer_of.items() if answer_id in given}
    retrievals = [node.pk for node in nodes if node.kind == "retrieval"]
    if retrievals:
        candidates = _VERSIONS_RETRIEVED.rows(retrievals=retrievals, workspace=viewer.workspace_id)
        found |= {pk for pk, acl in candidates if pk is not None and not _open(viewer, acl)}
    return found


def _answers_given_hidden(viewer: Viewer, answer_ids: Collection[int]) -> set[int]:
    """Those of the answers that rest on a version which the viewer may not see."""
    if len(answer_ids) <= _FEW_ANSWERS:
        rows = _VERSIONS_BEHIND_ANSWERS.rows(answers=answer_ids, workspace=viewer.workspace_id)
        return {answer_id for answer_id, acl in rows if not _open(viewer, acl)}
    shared = _VERSIONS_SHARED.rows(answers=answer_ids)
    open_to = _described_versions(viewer, {version_id for _, version_id in shared}, ())
    hidden = {version_id for version_id, (_, is_open) in open_to.items() if not is_open}
    return {answer_id for answer_id, version_id in shared if version_id in hidden}


def answers_of(workspace_id: int, nodes: Sequence[Node]) -> dict[int, int]:
    """The answer of each node: itself, or that of a claim or of a citation; by node id."""
    answers = {node.pk: node.pk for node in nodes if node.kind == "answer"}
    answers |= {n.pk: n.parent_id for n in nodes if n.kind == "claim" and n.parent_id is not None}
    places = {
        node.pk: node.parent_id
        for node in nodes
        if node.kind == "citation" and node.parent_id is not None
    }
    if places:
        claims = Node.objects.filter(
            workspace_id=workspace_id, pk__in=set(places.values()), parent__isnull=False
        )
        answer_of_claim = dict(claims.values_list("pk", "parent_id"))
        answers |= {
            pk: answer_of_claim[claim] for pk, claim in places.items() if claim in answer_of_claim
        }
    return answers


def _versions_behind(viewer: Viewer, nodes: Sequence[Node]) -> dict[int, set[int]]:
    """The versions that guard each node: its own, and those of what it quotes or was fetched of."""
    behind: dict[int, set[int]] = defaultdict(set)
    asked: dict[str, set[int]] = defaultdict(set)
    for node in nodes:
        if node.kind == "source_version":
            behind[node.pk].add(node.pk)
        elif node.kind in _GUARDED:
            if node.version_id is not None:
                behind[node.pk].add(node.version_id)
            asked[node.kind].add(node.pk)
    fetched = asked["acquisition"]
    quoting = asked["citation"] | asked["claim"]
    if not fetched and not quoting:
        return behind
    rows = _VERSIONS_BESIDE.rows(
        fetched=fetched,
        citations=asked["citation"],
        claims=asked["claim"],
        workspace=viewer.workspace_id,
    )
    for edge, from_id, claim_id, to_id, version_id in rows:
        if edge == Edge.WAS_DERIVED_FROM:
            _add(behind, (from_id,), to_id)
        else:
            _add(behind, quoting & {from_id, claim_id}, version_id)
    return behind


def _add(behind: dict[int, set[int]], node_ids: Iterable[int], version_id: int | None) -> None:
    if version_id is not None:
        for node_id in node_ids:
            behind[node_id].add(version_id)


def _described_versions(
    viewer: Viewer, version_ids: Collection[int], source_ids: Collection[int]
) -> dict[int, tuple[int | None, bool]]:
    """(source, open to the viewer) of those versions that a record has described."""
    if not version_ids and not source_ids:
        return {}
    rows = _DESCRIBED.rows(versions=version_ids, sources=source_ids, workspace=viewer.workspace_id)
    return {pk: (source_id, _open(viewer, acl)) for pk, source_id, acl in rows}


def _open(viewer: Viewer, acl: Any) -> bool:
    """Absent: all of the workspace. A list: its groups, none if it is empty."""
    if acl is None:
        return True
    return isinstance(acl, list) and not viewer.groups.isdisjoint(acl)
