"""Placeholders: what a record names and nobody has sent. Visible, counted, repaired when it arrives."""

from lineage.identifiers import address_of, anywhere_of
from lineage.ingest.keys import Keys
from lineage.ingest.revisions import RefRow
from lineage.models import Node, UidAlias
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
