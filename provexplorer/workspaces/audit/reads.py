"""Reads that are written down: of what is hidden from whoever asks, and of what was erased."""

from lineage.types import Viewer
from provexplorer import clock
from provexplorer.workspaces.audit.recording import record


def note_hidden(viewer: Viewer, uid: str) -> None:
    """Somebody asked for something that their groups do not reach."""
    _note("read.hidden", viewer, uid)


def note_erased(viewer: Viewer, uid: str) -> None:
    """Somebody asked for something that was erased."""
    _note("read.erased", viewer, uid)


def _note(verb: str, viewer: Viewer, uid: str) -> None:
    """Once a minute for each object and whoever asks: who asks in a loop does not fill the log."""
    who = f"k{viewer.key_id}" if viewer.key_id is not None else f"m{viewer.user_id}"
    minute = int(clock.now().timestamp()) // 60
    record(verb, viewer, object_uid=uid, once=f"{verb}:{who}:{uid}:{minute}")
