"""The texts of notices: encrypted in blocks, under one key a workspace.

A catalogue has tens of thousands of notices, of which few are ever looked at: many texts are
sealed together, and a page opens the blocks that it shows.
"""

import json
import zlib
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from django.db import IntegrityError, transaction

from lineage.content import sealed
from lineage.content.apart import new_owner
from lineage.content.store import Keyed
from lineage.formats.notices import NoticeRecord
from lineage.models import NoticeShelf
from lineage.types import JsonValue

# Texts of one block: a page of thirty notices opens thirty blocks at most.
BLOCK: Final = 64
_LEVEL: Final = 1
_NAMES: Final = {
    NoticeRecord._fields.index(name): name
    for name in (
        "title", "shown", "creators", "publisher", "journal", "reasons", "links", "note", "word",
    )
}  # fmt: skip

Place = tuple[str, int]  # the name of a block, and the place in it


def owner_of(workspace_id: int) -> int:
    """The owner of the workspace's texts, made at the first notice."""
    row = NoticeShelf.objects.filter(workspace_id=workspace_id).first()
    if row is None:
        owner_id = new_owner()
        try:
            with transaction.atomic():
                row = NoticeShelf.objects.create(workspace_id=workspace_id, owner_id=owner_id)
        except IntegrityError:
            sealed.destroy([owner_id])
            row = NoticeShelf.objects.get(workspace_id=workspace_id)
    return row.owner_id


def has_shelf(workspace_id: int) -> bool:
    """Whether the workspace has ever had a notice."""
    return NoticeShelf.objects.filter(workspace_id=workspace_id).exists()


def text_of(record: NoticeRecord) -> dict[str, JsonValue]:
    """The texts of a record, those that it states."""
    return {_NAMES[at]: record[at] for at in _NAMES if record[at]}


def put(
    workspace: Keyed, owner_id: int, texts: Mapping[str, Sequence[Mapping[str, JsonValue]]]
) -> None:
    """Seal blocks by their names; in the caller's transaction."""
    key = sealed.key_of(owner_id)
    if key is None:
        message = "the key of this workspace's notices was destroyed"
        raise LookupError(message)
    sealed.seal(
        workspace,
        owner_id,
        key,
        {
            # Catalogues repeat themselves: a fifth of the bytes is left to be written.
            _named(name): zlib.compress(
                json.dumps(block, ensure_ascii=False).encode("utf-8", "surrogatepass"), _LEVEL
            )
            for name, block in texts.items()
        },
    )


def texts_at(
    workspace: Keyed, workspace_id: int, places: Collection[Place]
) -> dict[Place, Mapping[str, Any]]:
    """The texts at these places; those that were erased are absent."""
    row = NoticeShelf.objects.filter(workspace_id=workspace_id).first()
    if row is None or not places:
        return {}
    key = sealed.key_of(row.owner_id)
    if key is None:
        return {}
    found: dict[Place, Mapping[str, Any]] = {}
    for name in sorted({name for name, _ in places}):
        block = _block(workspace, row.owner_id, key, name)
        for place in places:
            if place[0] == name and 0 <= place[1] < len(block) and block[place[1]]:
                found[place] = block[place[1]]
    return found


def forget(workspace: Keyed, workspace_id: int, places: Collection[Place]) -> None:
    """Erase the texts at these places; in the caller's transaction."""
    row = NoticeShelf.objects.filter(workspace_id=workspace_id).first()
    key = sealed.key_of(row.owner_id) if row is not None else None
    if row is None or key is None:
        return
    for name in sorted({name for name, _ in places}):
        block = _block(workspace, row.owner_id, key, name)
        kept = [{} if (name, at) in places else text for at, text in enumerate(block)]
        put(workspace, row.owner_id, {name: kept})


def _block(workspace: Keyed, owner_id: int, key: Any, name: str) -> list[Mapping[str, Any]]:
    data = sealed.unseal(workspace, owner_id, key, _named(name))
    if data is None:
        return []
    text = zlib.decompress(data).decode("utf-8", "surrogatepass")
    block: list[Mapping[str, Any]] = json.loads(text)
    return block


def _named(name: str) -> str:
    return f"notices:{name}"
