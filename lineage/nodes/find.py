"""The row behind a uid, within the viewer's workspace."""

from typing import Final

from lineage.compiled import Compiled
from lineage.identifiers import kind_of_uid
from lineage.models import Node, UidAlias
from lineage.types import Moved, NotFound, Viewer

_FOUND: Final = Compiled(
    lambda given: Node.objects.filter(workspace_id=given.id("workspace"), uid=given.text("uid"))
)


def find(viewer: Viewer, uid: str) -> Node:
    """The node with this uid in the viewer's workspace.

    Raises NotFound for a uid that is unknown there, another workspace's included, and
    Moved where it was a provisional or a placeholder's.
    """
    if kind_of_uid(uid) is None:
        raise NotFound
    for found in _FOUND.instances(workspace=viewer.workspace_id, uid=uid):
        return found
    alias = (
        UidAlias.objects.filter(workspace_id=viewer.workspace_id, uid=uid)
        .select_related("node")
        .first()
    )
    if alias is None:
        raise NotFound
    raise Moved(alias.node.uid)


def settled(viewer: Viewer, uid: str) -> str:
    """The uid that a node has now: itself, or where it has moved to. Raises NotFound."""
    try:
        return find(viewer, uid).uid
    except Moved as moved:
        return moved.uid
