"""What a case names: bound when it is drafted, agents expanded to their sources and versions at approval."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from django.db.models import Exists, OuterRef
from django.utils.translation import gettext as _

from lineage.cases.errors import DraftRefused, TargetRefused
from lineage.cases.late import texts_ruled
from lineage.identifiers import address_of, anywhere_of, kind_of_uid
from lineage.ingest.bind import Bound, Revision, bind, sighting_order
from lineage.models import Case, CaseTarget, Node, Reference, Sighting, UidAlias, Withdrawal
from lineage.nodes.visible import visible
from lineage.types import JsonValue, Viewer
from lineage.vocabulary import CASE_TARGET_KINDS, Edge
from provexplorer import clock

MOST_TARGETS: Final = 200
_LONGEST_KEY: Final = 2_000


def bound(viewer: Viewer, refs: Sequence[JsonValue], pointer: str = "/targets") -> list[Node]:
    """The nodes that the refs mean now, each once, in the order named.

    A ref is `{"uid"}` or `{"kind", "key", "namespace"?, "digest"?}` (namespace absent:
    the empty one; null: any, if the key is unique). Raises TargetRefused for what is
    unknown here, ambiguous, or of a kind that a case cannot be about.
    """
    if not refs:
        raise DraftRefused(pointer, _("A case needs at least one target."))
    if len(refs) > MOST_TARGETS:
        raise DraftRefused(
            pointer, _("A case can name at most %(most)d targets.") % {"most": MOST_TARGETS}
        )
    nodes: dict[int, Node] = {}
    for index, ref in enumerate(refs):
        node = _bound(viewer, ref, f"{pointer}/{index}")
        nodes.setdefault(node.id, node)
    return list(nodes.values())


def _bound(viewer: Viewer, ref: JsonValue, pointer: str) -> Node:
    if not isinstance(ref, Mapping):
        raise TargetRefused(pointer, _("A target is an object with uid, or with kind and key."))
    if "uid" in ref:
        return _by_uid(viewer, ref["uid"], f"{pointer}/uid")
    kind, key = ref.get("kind"), ref.get("key")
    if not isinstance(kind, str) or kind not in CASE_TARGET_KINDS:
        raise TargetRefused(f"{pointer}/kind", _("A case cannot be about this kind of thing."))
    if not isinstance(key, str) or not 0 < len(key) <= _LONGEST_KEY:
        raise TargetRefused(f"{pointer}/key", _("A key is a string of 1 to 2,000 characters."))
    namespace, digest = ref.get("namespace", ""), ref.get("digest", "")
    if not isinstance(namespace, str | None) or not isinstance(digest, str):
        raise TargetRefused(pointer, _("namespace and digest are strings."))
    return _by_key(viewer, kind, key, namespace, digest, f"{pointer}/key")


def _by_uid(viewer: Viewer, uid: JsonValue, pointer: str) -> Node:
    known = kind_of_uid(uid) if isinstance(uid, str) else None
    node: Node | None = None
    if known is not None:
        if known.name not in CASE_TARGET_KINDS:
            raise TargetRefused(pointer, _("A case cannot be about this kind of thing."))
        mine = {"workspace_id": viewer.workspace_id, "uid": uid}
        node = Node.objects.filter(**mine).first()
        if node is None:
            alias = UidAlias.objects.filter(**mine).select_related("node").first()
            node = alias.node if alias else None
    if node is None:
        raise TargetRefused(pointer, _("Nothing with this uid is known here."))
    return node


def _by_key(
    viewer: Viewer, kind: str, key: str, namespace: str | None, digest: str, pointer: str
) -> Node:
    """The revision that a reference of this instant would bind to.

    What is hidden from the viewer is unknown by its key, which is hidden as well.
    """
    nodes = Node.objects.filter(workspace_id=viewer.workspace_id, kind=kind)
    if namespace is None:
        nodes = nodes.filter(anywhere=anywhere_of(viewer.hash_key, kind, key))
    else:
        nodes = nodes.filter(address=address_of(viewer.hash_key, kind, namespace, key))
    every = list(nodes.order_by("id")[:1_000])
    seen = visible(viewer, every)
    found = {node.id: node for node in every if seen[node.id]}
    if len({node.address for node in found.values()}) > 1:
        raise TargetRefused(pointer, _("This key stands in several namespaces: name one."))
    choice = _choice(viewer, list(found.values()), digest)
    if choice.node_id is None:
        raise TargetRefused(pointer, _("Nothing with this kind, key and digest is known here."))
    return found[choice.node_id]


def _choice(viewer: Viewer, nodes: Sequence[Node], digest: str) -> Bound:
    sightings = defaultdict(list)
    rows = Sighting.objects.filter(
        workspace_id=viewer.workspace_id, node_id__in=[node.id for node in nodes]
    ).values_list("node_id", "occurred_at", "digest")
    for node_id, occurred_at, record_digest in rows.order_by("id")[:10_000]:
        sightings[node_id].append(sighting_order(occurred_at, record_digest))
    revisions = [Revision(node.id, node.digest, tuple(sightings[node.id])) for node in nodes]
    return bind(revisions, digest=digest, event_at=clock.now())


def expanded(workspace_id: int, target_ids: Collection[int]) -> set[int]:
    """The nodes that the register holds for these targets: themselves and what their agents answer for."""
    agents = Node.objects.filter(
        workspace_id=workspace_id, id__in=target_ids, kind="agent"
    ).values_list("id", flat=True)
    return set(target_ids) | _answered_for(workspace_id, set(agents))


def follow_agents(workspace_id: int) -> bool:
    """Bring the register in line with attributions that came or went; whether any row changed.

    A scheduled case is followed, too: its rows take effect together. One query where no case
    names an agent.
    """
    now = clock.now()
    standing = Withdrawal.objects.filter(case=OuterRef("pk"), ended_at__isnull=True)
    naming = Case.objects.filter(
        Exists(standing),
        Exists(CaseTarget.objects.filter(case=OuterRef("pk"), node__kind="agent")),
        workspace_id=workspace_id,
    )
    changed = False
    for case in list(naming.order_by("id")):
        case_id = case.id
        targets = CaseTarget.objects.filter(case_id=case_id).values_list("node_id", flat=True)
        wanted = expanded(workspace_id, set(targets))
        rows = {row.node_id: row for row in Withdrawal.objects.filter(case_id=case_id)}
        at = max(now, min(row.at for row in rows.values() if not row.ended_at))
        fresh = [
            Withdrawal(workspace_id=workspace_id, case_id=case_id, node_id=node_id, at=at)
            for node_id in sorted(wanted - rows.keys())
        ]
        over = [row.id for row in rows.values() if row.node_id not in wanted and not row.ended_at]
        again = [row.id for row in rows.values() if row.node_id in wanted and row.ended_at]
        Withdrawal.objects.bulk_create(fresh, ignore_conflicts=True)
        Withdrawal.objects.filter(id__in=over).update(ended_at=now)
        Withdrawal.objects.filter(id__in=again).update(ended_at=None)
        if fresh or again:
            texts_ruled(case)
        if over:
            texts_ruled(case, ended=True)
        changed = changed or bool(fresh or over or again)
    return changed


def _answered_for(workspace_id: int, agent_ids: set[int]) -> set[int]:
    """Sources and versions attributed to the agents.

    A version that states a role itself is not its source's in that role; a source with
    such a version stands in the register by its other versions.
    """
    if not agent_ids:
        return set()
    edges = Reference.objects.filter(workspace_id=workspace_id)
    reached: set[int] = set()
    roles: dict[int, set[str]] = defaultdict(set)
    attributed = edges.filter(edge=Edge.WAS_ATTRIBUTED_TO, to_node_id__in=agent_ids)
    for node_id, kind, properties in attributed.values_list(
        "from_node_id", "from_node__kind", "properties"
    ):
        if kind == "source":
            roles[node_id].add(properties.get("role", ""))
        else:
            reached.add(node_id)
    versions: dict[int, list[int]] = defaultdict(list)
    of_sources = edges.filter(edge=Edge.SPECIALIZATION_OF, to_node_id__in=roles)
    for version_id, source_id in of_sources.values_list("from_node_id", "to_node_id"):
        versions[source_id].append(version_id)
    stated: dict[int, set[str]] = defaultdict(set)
    of_versions = edges.filter(
        edge=Edge.WAS_ATTRIBUTED_TO, from_node_id__in=[v for vs in versions.values() for v in vs]
    )
    for version_id, properties in of_versions.values_list("from_node_id", "properties"):
        stated[version_id].add(properties.get("role", ""))
    for source_id, wanted in roles.items():
        theirs = {v for v in versions[source_id] if wanted - stated[v]}
        whole = len(theirs) == len(versions[source_id])
        reached |= {source_id} if whole else theirs
    return reached
