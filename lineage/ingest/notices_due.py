"""Notes which sources are new or have changed, so that notices on record are looked through for them."""

from collections.abc import Iterable

from lineage import bulk_rows
from lineage.models import Node, NoticeDue, NoticeShelf
from lineage.outbox import enqueue_soon

TASK = "lineage.match_notices"


def note_sources(workspace_id: int, nodes: Iterable[Node]) -> None:
    """Note the sources among these nodes, where the workspace has notices at all.

    Part of the transaction at hand; one look-up where there are sources.
    """
    sources = sorted(node.pk for node in nodes if node.kind == "source" and node.resolved)
    if not sources or not NoticeShelf.objects.filter(workspace_id=workspace_id).exists():
        return
    bulk_rows.insert(
        NoticeDue,
        ("node_id", "workspace_id"),
        [(pk, workspace_id) for pk in sources],
        unless_there=True,
    )
    enqueue_soon(TASK, workspace_id=workspace_id)
