"""Sources of which people said that a notice is not about them: that can be taken back."""

from dataclasses import dataclass
from typing import Final

from lineage.models import Notice, NoticeMatch
from lineage.nodes.states import node_states
from lineage.nodes.visible import visible
from lineage.types import Viewer

_MOST: Final = 20


@dataclass(frozen=True, slots=True)
class Dismissed:
    """A source, with what the page calls it."""

    source_uid: str
    title: str


def dismissed(viewer: Viewer, notice_uid: str) -> tuple[Dismissed, ...]:
    """Those that the viewer may see and that are not erased, the first twenty; none of an unknown notice."""
    notices = Notice.objects.filter(workspace_id=viewer.workspace_id, uid=notice_uid)
    matches = (
        NoticeMatch.objects.filter(notice__in=notices, state=NoticeMatch.State.REJECTED)
        .select_related("source")
        .order_by("source__uid")[:_MOST]
    )
    sources = [match.source for match in matches]
    seen = visible(viewer, sources)
    states = node_states(viewer.workspace_id, sources)
    return tuple(
        Dismissed(source.uid, str(source.fields.get("title") or source.label or source.uid))
        for source in sources
        if seen[source.pk] and states[source.pk].erasure is None
    )
