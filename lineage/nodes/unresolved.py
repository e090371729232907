"""Keys that records name and nobody has sent: how many answers hang on each, and what each might stand for."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import Count, Q, QuerySet

from lineage.ingest.placeholders import ANY_NAMESPACE
from lineage.models import Alias, Node, Reference, RejectedMatch
from lineage.nodes.find import find
from lineage.nodes.paging import DEFAULT_LIMIT, CursorInvalid, bounded, read_cursor, write_cursor
from lineage.nodes.similar_keys import Candidate, similar_keys
from lineage.nodes.states import node_states
from lineage.nodes.visible import visible
from lineage.types import NotFound, Viewer
from lineage.vocabulary import KINDS

# Keys of the kind that are compared, the latest first.
MOST_COMPARED: Final = 5_000
MOST_SUGGESTED: Final = 5
_MOST_NAMING: Final = 20
_MOST_ALIASES: Final = 100


@dataclass(frozen=True, slots=True)
class UnresolvedRow:
    """A missing key in a list.

    `key` and `namespace` None: not visible to the viewer; `any_namespace`: it was named
    whatever its namespace. `answers` rest on it, whatever their grade. `ambiguous`: the key
    was sent, but nothing tells which of several revisions is meant.
    """

    uid: str
    kind: str
    key: str | None
    namespace: str | None
    any_namespace: bool
    answers: int
    ambiguous: bool
    since: datetime


@dataclass(frozen=True, slots=True)
class UnresolvedPage:
    """`kinds`: how many keys of each kind are missing, before the filter."""

    items: tuple[UnresolvedRow, ...]
    next: str | None
    total: int
    kinds: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A key that was sent and that the missing one may stand for.

    `why`: `digest` (what is named has its digest), `namespace` (the same key elsewhere),
    `revision` (one of several of this key) or `similar`; `likeness` from 0 to 100 of the latter.
    """

    uid: str
    key: str
    namespace: str
    label: str
    why: str
    likeness: int
    occurred_at: datetime | None


@dataclass(frozen=True, slots=True)
class UnresolvedKey:
    """A missing key with what names it, at most 20 of `naming_total`, and what it might stand for."""

    row: UnresolvedRow
    digests: tuple[str, ...]
    naming: tuple[str, ...]
    naming_total: int
    suggestions: tuple[Suggestion, ...]
    rejected: int


@dataclass(frozen=True, slots=True)
class AcceptedMatch:
    """A match in force; `target_uid` None where the key meant has no record any more."""

    placeholder_uid: str
    kind: str
    key: str
    target_key: str
    target_uid: str | None
    made_at: datetime


def unresolved(
    viewer: Viewer, *, kind: str = "", limit: int = DEFAULT_LIMIT, cursor: str | None = None
) -> UnresolvedPage:
    """Missing keys, of one kind or of all, those on which most answers hang first. Raises CursorInvalid."""
    size = bounded(limit)
    missing = Node.objects.filter(workspace_id=viewer.workspace_id, resolved=False)
    kinds = dict(
        missing.values("kind").annotate(number=Count("pk")).order_by("kind")
        .values_list("kind", "number")
    )  # fmt: skip
    if kind:
        missing = missing.filter(kind=kind)
    ranked = missing.values("pk", "uid").annotate(hanging=Count("supports")).filter(_after(cursor))
    places = list(
        ranked.order_by("-hanging", "uid").values_list("pk", "uid", "hanging")[: size + 1]
    )
    page = places[:size]
    more = len(places) > size
    nodes = {node.pk: node for node in missing.filter(pk__in=[pk for pk, *_ in page])}
    rows = _rows(viewer, nodes, {pk: hanging for pk, _, hanging in page})
    return UnresolvedPage(
        items=tuple(rows[pk] for pk, *_ in page),
        next=write_cursor(page[-1][2], page[-1][1]) if more else None,
        total=kinds.get(kind, 0) if kind else sum(kinds.values()),
        kinds={name: kinds[name] for name in KINDS if name in kinds},
    )


def unresolved_key(viewer: Viewer, uid: str) -> UnresolvedKey:
    """One missing key. Raises NotFound where it is none or not visible, Moved where it stands for another now."""
    node = find(viewer, uid)
    if node.resolved or not visible(viewer, [node])[node.pk]:
        raise NotFound
    hanging = node.supports.count()
    naming = _naming(node)
    digests = naming.exclude(digest="").order_by("digest").values_list("digest", flat=True)
    named = tuple(digests.distinct()[:_MOST_NAMING])
    rejected = set(
        RejectedMatch.objects.filter(workspace_id=viewer.workspace_id, placeholder_uid=node.uid)
        .order_by("target_address").values_list("target_address", flat=True)
    )  # fmt: skip
    holders = naming.order_by("holder__uid").values_list("holder__uid", flat=True).distinct()
    return UnresolvedKey(
        row=_rows(viewer, {node.pk: node}, {node.pk: hanging})[node.pk],
        digests=named,
        naming=tuple(holders[:_MOST_NAMING]),
        naming_total=holders.count(),
        suggestions=_suggestions(viewer, node, named, rejected),
        rejected=len(rejected),
    )


def accepted_matches(viewer: Viewer) -> tuple[AcceptedMatch, ...]:
    """Matches in force, the latest first, at most 100; those of which the viewer may see both ends."""
    rows = Alias.objects.filter(workspace_id=viewer.workspace_id, ended_at__isnull=True)
    aliases = list(rows.order_by("-made_at", "-pk")[:_MOST_ALIASES])
    found = Node.objects.filter(
        workspace_id=viewer.workspace_id,
        address__in={alias.target_address for alias in aliases},
        resolved=True,
    )
    targets = list(found.order_by("occurred_at", "pk"))
    seen = visible(viewer, targets)
    hidden = {node.address for node in targets if not seen[node.pk]}
    latest = {node.address: node.uid for node in targets}
    return tuple(
        AcceptedMatch(
            placeholder_uid=alias.placeholder_uid,
            kind=alias.kind,
            key=alias.key,
            target_key=alias.target_key,
            target_uid=latest.get(alias.target_address),
            made_at=alias.made_at,
        )
        for alias in aliases
        if alias.target_address not in hidden
    )


def _after(cursor: str | None) -> Q:
    if cursor is None:
        return Q()
    hanging, uid = read_cursor(cursor, int, str)
    if hanging is None or uid is None:
        raise CursorInvalid
    return Q(hanging__lt=hanging) | Q(hanging=hanging, uid__gt=uid)


def _rows(
    viewer: Viewer, nodes: Mapping[int, Node], hanging: Mapping[int, int]
) -> dict[int, UnresolvedRow]:
    seen = visible(viewer, list(nodes.values()))
    ambiguous = set(
        Reference.objects.filter(to_node__in=nodes, status=Reference.Status.AMBIGUOUS)
        .order_by("to_node_id").values_list("to_node_id", flat=True)
    )  # fmt: skip
    return {
        pk: UnresolvedRow(
            uid=node.uid,
            kind=node.kind,
            key=node.key if seen[pk] else None,
            namespace=node.namespace if seen[pk] and node.namespace != ANY_NAMESPACE else None,
            any_namespace=node.namespace == ANY_NAMESPACE,
            answers=hanging[pk],
            ambiguous=pk in ambiguous,
            since=node.recorded_at,
        )
        for pk, node in nodes.items()
    }


def _naming(node: Node) -> QuerySet[Reference]:
    """The references bound to the placeholder; an edge of some leads from it to their holder."""
    ends = Q(to_node=node) | Q(from_node=node)
    return Reference.objects.filter(ends).exclude(relation__startswith="computed")


def _suggestions(
    viewer: Viewer, node: Node, digests: Collection[str], rejected: Collection[str]
) -> tuple[Suggestion, ...]:
    """What fits best first: the digest named, the same key, then keys that read alike."""
    holders = _naming(node).order_by("holder_id").values_list("holder_id", flat=True)
    sent = Node.objects.filter(
        workspace_id=viewer.workspace_id, kind=node.kind, resolved=True
    ).exclude(pk__in=holders.distinct()[:MOST_COMPARED])
    sent = sent.exclude(address__in=list(rejected))
    found: dict[int, tuple[str, int]] = {}
    if digests:
        same = sent.filter(digest__in=digests).order_by("-pk").values_list("pk", flat=True)
        found |= dict.fromkeys(same[:MOST_SUGGESTED], ("digest", 100))
    same_key = sent.filter(anywhere=node.anywhere).order_by("-pk")
    for pk, address in same_key.values_list("pk", "address")[:MOST_SUGGESTED]:
        found.setdefault(pk, ("revision" if address == node.address else "namespace", 100))
    others = sent.exclude(anywhere=node.anywhere)
    if digests:
        # A reference that names a digest would not bind to what has another.
        others = others.filter(Q(digest="") | Q(digest__in=digests))
    keys = others.order_by("-pk").values_list("pk", "key")[:MOST_COMPARED]
    for alike in similar_keys(node.key, [Candidate(*one) for one in keys], most=MOST_SUGGESTED):
        found.setdefault(alike.node_id, ("similar", alike.likeness))
    return _shown(viewer, found)


def _shown(viewer: Viewer, found: Mapping[int, tuple[str, int]]) -> tuple[Suggestion, ...]:
    nodes = {node.pk: node for node in Node.objects.filter(pk__in=found).order_by("pk")}
    seen = visible(viewer, list(nodes.values()))
    states = node_states(viewer.workspace_id, list(nodes.values()))
    return tuple(
        Suggestion(
            uid=nodes[pk].uid,
            key=nodes[pk].key,
            namespace=nodes[pk].namespace,
            label=nodes[pk].label,
            why=why,
            likeness=likeness,
            occurred_at=nodes[pk].occurred_at,
        )
        for pk, (why, likeness) in found.items()
        if seen[pk] and states[pk].erasure is None
    )[:MOST_SUGGESTED]
