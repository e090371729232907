"""Placeholders: what a record names and nobody has sent. Visible, counted, repaired when it arrives."""

from collections.abc import Collection

from lineage.identifiers import address_of, anywhere_of
from lineage.ingest.keys import Keys, in_chunks
from lineage.ingest.revisions import RefRow
from lineage.models import Node, Reference, UidAlias
from provexplorer import clock
from provexplorer.workspaces.models import Workspace

# The namespace of a placeholder that was named whatever its namespace. A noncharacter: no client can mean it.
ANY_NAMESPACE = "\uffff"


def placeholder_for(workspace: Workspace, keys: Keys, row: RefRow) -> Node | None:
    """The placeholder of the key that a loaded reference names, made if it is not there.

    None for a reference by uid: nothing tells what would have to arrive.
    """
    if row["uid"]:
        return None
    namespace = ANY_NAMESPACE if row["namespace"] is None else row["namespace"]
    address = address_of(workspace.hash_key, row["kind"], namespace, row["key"])
    found = keys.placeholder(row, address)
    if found is None:
        found = Node.objects.create(
            workspace=workspace,
            kind=row["kind"],
            namespace=namespace,
            key=row["key"],
            address=address,
            anywhere=anywhere_of(workspace.hash_key, row["kind"], row["key"]),
            uid=address,
            resolved=False,
            provisional=True,
            recorded_at=clock.now(),
        )
        # A revision may have taken the place of an earlier placeholder of this key.
        UidAlias.objects.filter(uid=address).delete()
        keys.add(found)
    return found


def sweep(workspace: Workspace, candidates: Collection[int]) -> list[str]:
    """Delete the placeholders that nothing names any more; the uids they leave behind.

    Their address leads on to the revision of their key that was recorded last.
    """
    gone: list[Node] = []
    for chunk in in_chunks(candidates):
        named = set(
            Reference.objects.filter(to_node_id__in=chunk).values_list("to_node_id", flat=True)
        ) | set(
            Reference.objects.filter(from_node_id__in=chunk).values_list("from_node_id", flat=True)
        )
        placed = set(Node.objects.filter(parent_id__in=chunk).values_list("parent_id", flat=True))
        gone += Node.objects.filter(pk__in=chunk, resolved=False, workspace=workspace).exclude(
            pk__in=named | placed
        )
    for node in gone:
        same_key = Node.objects.filter(workspace=workspace, resolved=True, kind=node.kind)
        same_key = (
            same_key.filter(anywhere=node.anywhere)
            if node.namespace == ANY_NAMESPACE
            else same_key.filter(address=node.address)
        )
        heir = same_key.order_by("-pk").first()
        node_id = node.pk
        node.delete()
        if heir is not None:
            UidAlias.objects.filter(node_id=node_id).update(node=heir)
            UidAlias.objects.update_or_create(
                uid=node.uid, defaults={"workspace": workspace, "node": heir}
            )
    return [node.uid for node in gone]
