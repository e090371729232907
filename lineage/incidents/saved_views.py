"""Lists and reports under a name: an address of this site, for its maker or for the workspace.

The uid is what is shared: it leads to the address that the view has now. A view shows nothing
by itself: whoever follows it sees what they may see there.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from urllib.parse import parse_qsl, urlencode, urlsplit

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from lineage.formats.storable import is_storable
from lineage.identifiers import keyed_hash
from lineage.incidents.errors import IncidentRefused
from lineage.models import SavedView
from lineage.nodes.paging import DEFAULT_LIMIT, before_id, bounded, write_cursor
from lineage.types import NotFound, Viewer
from provexplorer import clock
from provexplorer.workspaces.audit.recording import record

PREFIX: Final = "viw"
LONGEST_NAME: Final = 120
# What browsers and servers in between still carry.
LONGEST_ADDRESS: Final = 8_000
MOST: Final = 500
# Of an address, what belongs to one visit: the workspace is the view's own, a page is not its beginning.
_OF_A_VISIT: Final = frozenset({"ws", "cursor", "from"})


@dataclass(frozen=True, slots=True)
class View:
    """A saved view. `mine`: the viewer made it, and may rename, share and delete it."""

    uid: str
    name: str
    address: str
    shared: bool
    mine: bool
    maker: str
    saved_at: datetime


@dataclass(frozen=True, slots=True)
class ViewPage:
    items: tuple[View, ...]
    next: str | None


def save(
    viewer: Viewer, *, name: str, address: str, pages: Sequence[str], shared: bool = False
) -> str:
    """Save an address of one of these pages (paths, some ending in `*`) under a name; its uid.

    Raises IncidentRefused.
    """
    if viewer.user_id is None:
        raise IncidentRefused("/name", _("Only members save views."))
    mine = SavedView.objects.filter(workspace_id=viewer.workspace_id, maker_id=viewer.user_id)
    if mine[:MOST].count() >= MOST:
        raise IncidentRefused("/name", _("You have as many saved views as there can be."))
    with transaction.atomic():
        row = SavedView.objects.create(
            workspace_id=viewer.workspace_id,
            uid=f"{PREFIX}_{keyed_hash(viewer.hash_key, PREFIX, secrets.token_hex(16))}",
            name=_name(name),
            address=stable_address(address, pages),
            maker_id=viewer.user_id,
            shared=shared,
            saved_at=clock.now(),
        )
        record("view.saved", viewer, object_uid=row.uid, code=_whose(shared=shared))
    return row.uid


def views(viewer: Viewer, *, limit: int = DEFAULT_LIMIT, cursor: str | None = None) -> ViewPage:
    """The viewer's own views and those shared in the workspace, newest first. Raises CursorInvalid."""
    size = bounded(limit)
    rows = list(_seen(viewer).filter(before_id(cursor)).order_by("-id")[: size + 1])
    page = rows[:size]
    return ViewPage(
        tuple(_view(viewer, row) for row in page),
        write_cursor(page[-1].pk) if len(rows) > size else None,
    )


def view(viewer: Viewer, uid: str) -> View:
    """One view. Raises NotFound: what others keep to themselves is like what does not exist."""
    return _view(viewer, _row(viewer, uid))


def change(viewer: Viewer, uid: str, *, name: str, shared: bool) -> None:
    """Rename it, share it or keep it to oneself. Raises NotFound for who did not make it."""
    row = _row(viewer, uid, own=True)
    with transaction.atomic():
        SavedView.objects.filter(pk=row.pk).update(name=_name(name), shared=shared)
        record("view.changed", viewer, object_uid=uid, code=_whose(shared=shared))


def delete(viewer: Viewer, uid: str) -> None:
    """Delete a view of one's own; administrators delete shared ones of anybody. Raises NotFound."""
    row = _row(viewer, uid)
    if row.maker_id != viewer.user_id and "admin" not in viewer.scopes:
        raise NotFound
    with transaction.atomic():
        SavedView.objects.filter(pk=row.pk).delete()
        record("view.deleted", viewer, object_uid=uid, code=_whose(shared=row.shared))


def _whose(*, shared: bool) -> str:
    return "shared" if shared else "own"


def stable_address(address: str, pages: Sequence[str]) -> str:
    """The address without what belongs to one visit. Raises IncidentRefused for one that is no such page."""
    if not can_be_saved(address, pages):
        raise IncidentRefused("/address", _("Only lists and reports can be saved."))
    parts = urlsplit(address.strip())
    query = [
        (name, value)
        for name, value in parse_qsl(parts.query)
        if name not in _OF_A_VISIT and not name.startswith("hx-")
    ]
    return parts.path + (f"?{urlencode(query)}" if query else "")


def can_be_saved(address: str, pages: Sequence[str]) -> bool:
    """Whether an address is one of these pages."""
    if len(address) > LONGEST_ADDRESS or "\\" in address or not is_storable(address):
        return False
    try:
        parts = urlsplit(address.strip())
    except ValueError:
        return False
    path = parts.path
    # A second slash at the start would be another host.
    local = not parts.scheme and not parts.netloc and path.startswith("/") and path[1:2] != "/"
    return local and any(
        path.startswith(page[:-1]) if page.endswith("*") else path == page for page in pages
    )


def _name(name: str) -> str:
    line = " ".join(name.split())
    if not line:
        raise IncidentRefused("/name", _("Give it a name."))
    if len(line) > LONGEST_NAME or not is_storable(line):
        raise IncidentRefused("/name", _("A name has at most 120 characters."))
    return line


def _seen(viewer: Viewer) -> QuerySet[SavedView]:
    seen = Q(shared=True)
    if viewer.user_id is not None:
        seen |= Q(maker_id=viewer.user_id)
    mine = SavedView.objects.filter(seen, workspace_id=viewer.workspace_id)
    return mine.select_related("maker")


def _row(viewer: Viewer, uid: str, *, own: bool = False) -> SavedView:
    found = _seen(viewer).filter(uid=uid).first()
    if found is None or (own and found.maker_id != viewer.user_id):
        raise NotFound
    return found


def _view(viewer: Viewer, row: SavedView) -> View:
    return View(
        uid=row.uid,
        name=row.name,
        address=row.address,
        shared=row.shared,
        mine=row.maker_id == viewer.user_id,
        maker=row.maker.username,
        saved_at=row.saved_at,
    )
