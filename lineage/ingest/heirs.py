"""Nodes that leave hand over what was said about them: uids that lead to them, cases, references.

Without that, a case on such a node would keep the records of its key from being stored at
all, and what names the node by its uid would forget that it did.
"""

from collections.abc import Iterable

from django.db.models import F, Q

from lineage import outbox
from lineage.compiled import by_their_ids
from lineage.ingest.aliases import heir_by_alias
from lineage.ingest.keys import in_chunks
from lineage.ingest.placeholders import ANY_NAMESPACE
from lineage.ingest.rebound import Rebound
from lineage.ingest.search_forget import forget_words
from lineage.ingest.search_words import WORDED
from lineage.ingest.touched import Touched
from lineage.models import CaseTarget, Node, Reference, UidAlias, Withdrawal
from provexplorer.workspaces.models import Workspace


def drop(workspace: Workspace, touched: Touched, rebound: Rebound) -> list[str]:
    """Delete nodes that no sighting makes and placeholders that nothing names; the uids that leave."""
    gone: list[str] = []
    deleted: set[int] = set()

    def let_go(node: Node, uid: str) -> None:
        """Whatever led to it, and was not handed over, leads nowhere now."""
        gone.append(uid)
        gone.extend(
            UidAlias.objects.filter(node=node).order_by("uid").values_list("uid", flat=True)
        )
        deleted.add(node.pk)
        if node.kind in WORDED:
            forget_words(workspace.pk, [node.pk])
        node.delete()

    for chunk in in_chunks(touched.left_over):
        for node in Node.objects.filter(pk__in=chunk, workspace=workspace).exclude(
            sightings__isnull=False
        ):
            uid, heir = touched.left_over[node.pk]
            heir = heir or _heir_of(node, whatever_namespace=False)
            if heir is not None:
                _hand_over(node, uid, heir, rebound)
            let_go(node, uid)
    for node in _unnamed(workspace, rebound):
        let_go(node, node.uid)
    # An edge from a placeholder that came to mean another node told of the placeholder.
    for told in (touched.changed, rebound.from_nodes, rebound.nodes, rebound.answers):
        told.difference_update(deleted)
    # Another node may have taken a uid over.
    taken = set(Node.objects.filter(uid__in=gone).values_list("uid", flat=True))
    return [uid for uid in gone if uid and uid not in taken]


def _unnamed(workspace: Workspace, rebound: Rebound) -> list[Node]:
    """The placeholders that nothing names any more, all handed over.

    Their address leads on to the newest revision of their key, and cases on them are on it
    from now on; where there is none, a case still names them and they stay.
    """
    gone: list[Node] = []
    for chunk in in_chunks(rebound.let_go):
        named = set(
            Reference.objects.filter(to_node_id__in=chunk).values_list("to_node_id", flat=True)
        ) | set(
            Reference.objects.filter(from_node_id__in=chunk).values_list("from_node_id", flat=True)
        )
        placed = set(Node.objects.filter(parent_id__in=chunk).values_list("parent_id", flat=True))
        gone += (
            by_their_ids(Node.objects.filter(pk__in=chunk), workspace.pk)
            .filter(resolved=False)
            .exclude(pk__in=named | placed)
        )
    leaving: list[Node] = []
    kept = _under_a_case(node.pk for node in gone) if gone else set()
    for node in gone:
        anywhere = node.namespace == ANY_NAMESPACE
        heir = _heir_of(node, whatever_namespace=anywhere) or heir_by_alias(
            node, whatever_namespace=anywhere
        )
        if heir is not None:
            _hand_over(node, node.uid, heir, rebound)
        elif node.pk in kept:
            continue
        leaving.append(node)
    return leaving


def _heir_of(node: Node, *, whatever_namespace: bool) -> Node | None:
    """The revision of the node's key that a placeholder leads on to: the newest, in any order of arrival."""
    same_key = Node.objects.filter(
        workspace_id=node.workspace_id, kind=node.kind, resolved=True
    ).exclude(pk=node.pk)
    same_key = (
        same_key.filter(anywhere=node.anywhere)
        if whatever_namespace
        else same_key.filter(address=node.address)
    )
    return same_key.order_by(F("occurred_at").desc(nulls_last=True), "uid").first()


def _under_a_case(node_ids: Iterable[int]) -> set[int]:
    """Those of the nodes that a case names, or that stand in the register."""
    ids = list(node_ids)
    named = CaseTarget.objects.filter(node_id__in=ids).values_list("node_id", flat=True)
    registered = Withdrawal.objects.filter(node_id__in=ids).values_list("node_id", flat=True)
    return set(named) | set(registered)


def _hand_over(node: Node, uid: str, heir: Node, rebound: Rebound) -> None:
    """To be called before the node, whose uid was `uid`, is deleted; tells `rebound` of edges that moved."""
    UidAlias.objects.filter(node_id=node.pk).update(node=heir)
    # Projecting the heir takes out of the graph what leads on to it.
    rebound.nodes.add(heir.pk)
    if not Node.objects.filter(uid=uid).exclude(pk=node.pk).exists():
        UidAlias.objects.update_or_create(
            uid=uid, defaults={"workspace_id": node.workspace_id, "node": heir}
        )
    named = CaseTarget.objects.filter(node_id=heir.pk).values_list("case_id", flat=True)
    CaseTarget.objects.filter(node_id=node.pk, case_id__in=list(named)).delete()
    CaseTarget.objects.filter(node_id=node.pk).update(node=heir)
    for row in Withdrawal.objects.filter(node_id=node.pk).order_by("pk"):
        _register(row, heir)
        # Whatever rests on the heir obeys the case from now on, and is to be marked so.
        rebound.from_nodes.add(heir.pk)
        outbox.enqueue_soon("lineage.project_case", case_id=row.case_id)
    ends = Q(from_node_id=node.pk) | Q(to_node_id=node.pk)
    others = Reference.objects.filter(ends).exclude(holder_id=node.pk)
    for named_by_uid in others.exclude(relation__startswith="computed").order_by("pk"):
        if named_by_uid.from_node_id == node.pk:
            named_by_uid.from_node = heir
        else:
            named_by_uid.to_node = heir
        named_by_uid.save(update_fields=["from_node", "to_node"])
        if named_by_uid.from_node_id is not None:
            rebound.from_nodes.add(named_by_uid.from_node_id)


def _register(row: Withdrawal, heir: Node) -> None:
    """The heir is under the case as long as the node was, or it was itself."""
    theirs = Withdrawal.objects.filter(case_id=row.case_id, node_id=heir.pk).first()
    if theirs is None:
        row.node = heir
        row.save(update_fields=["node"])
        return
    if row.ended_at is None and theirs.ended_at is not None:
        theirs.ended_at = None
        theirs.save(update_fields=["ended_at"])
    row.delete()
