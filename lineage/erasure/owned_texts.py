"""Texts of one owner, moved under its next key: some go, some are masked, the others stay as they are.

What names a text that has changed is changed with it, in the same transaction: markers of
nodes and of sightings. Their digests of content become those of tombstones, so that nothing
is left by which a guess at what was masked could be tried; uids stay.
"""

import logging
import secrets
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from cryptography.exceptions import InvalidTag

from lineage.content.keys import NONCE_BYTES, Key, keys_of
from lineage.content.passages import digest_of, place_of
from lineage.content.store import blob_id
from lineage.content.tombstones import keyed_digest
from lineage.identifiers import text_digest
from lineage.models import Blob, Node, Sighting
from lineage.types import JsonValue
from provexplorer.workspaces.models import Workspace

logger = logging.getLogger(__name__)

# What becomes of a text: the text to keep in its place (the same one: it stays), None: it goes.
Treat = Callable[[str, str], str | None]
# What becomes of a string that stands in clear among a record's fields and attributes.
Clear = Callable[[str], str]

_SLICES: Final = ("part", "chunk", "claim")
_AT_ONCE: Final = 500


@dataclass(slots=True)
class Rewritten:
    """What has changed: texts by digest (to None where one went), and the nodes that say something else now."""

    moved: dict[str, str | None] = field(default_factory=dict)
    nodes: list[int] = field(default_factory=list)


def rewrite_apart(
    workspace: Workspace, owner_id: int, treat: Callable[[str], str]
) -> dict[str, str]:
    """Write anew what an owner has that is no node: texts as `treat` has them, other bytes as they are.

    As `rewrite`, in the caller's transaction; gives the digests that have changed, old to new.
    """
    key = keys_of([owner_id]).get(owner_id)
    if key is None:
        return {}
    moved: dict[str, str] = {}
    for row in Blob.objects.filter(owner_id=owner_id).order_by("pk"):
        sealed = bytes(row.ciphertext)
        plain = key.decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], row.pk.encode("ascii"))
        text = plain.decode("utf-8", "replace")
        digest = text_digest(text)
        if row.pk == blob_id(workspace, owner_id, digest) and (new := treat(text)) != text:
            moved[digest] = text_digest(new)
            row.delete()
            _store(workspace, owner_id, key, [new])
            continue
        nonce = secrets.token_bytes(NONCE_BYTES)
        row.ciphertext = nonce + key.encrypt(nonce, plain, row.pk.encode("ascii"))
        row.save(update_fields=["ciphertext"])
    return moved


def texts_under(owner_id: int, key: Key) -> Iterator[tuple[str, str]]:
    """(blob id, text) of every text of an owner that the key opens."""
    rows = Blob.objects.filter(owner_id=owner_id).order_by("pk")
    for uid, ciphertext in rows.values_list("pk", "ciphertext").iterator(chunk_size=_AT_ONCE):
        sealed = bytes(ciphertext)
        try:
            plain = key.decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], uid.encode("ascii"))
            yield uid, plain.decode("utf-8", "surrogatepass")
        except (InvalidTag, UnicodeDecodeError):
            logger.warning("blob %s cannot be read and is dropped", uid)


def rewrite(
    workspace: Workspace,
    owner_id: int,
    treat: Treat,
    *,
    clear: Clear | None = None,
) -> Rewritten:
    """Write every text of the owner anew, as `treat` (digest, text) has it.

    In the caller's transaction, with the workspace's turn; the owner's next key is to be
    there, so that nothing is under the present one afterwards. `clear`: applied to the
    strings of the records of the owner's nodes.
    """
    result = Rewritten()
    key = keys_of([owner_id]).get(owner_id)
    if key is None:
        Blob.objects.filter(owner_id=owner_id).delete()
        return result
    old = {text_digest(text): text for _, text in texts_under(owner_id, key)}
    new = {digest: treat(digest, text) for digest, text in old.items()}
    Blob.objects.filter(owner_id=owner_id).delete()
    _store(workspace, owner_id, key, [text for text in new.values() if text is not None])
    for digest, text in new.items():
        if text != old[digest]:
            result.moved[digest] = None if text is None else text_digest(text)
    if owner_id > 0 and (result.moved or clear):
        _follow(workspace, owner_id, old, new, result, clear)
    return result


def _store(workspace: Workspace, owner_id: int, key: Key, texts: list[str]) -> None:
    rows = []
    for text in texts:
        uid, nonce = (
            blob_id(workspace, owner_id, text_digest(text)),
            secrets.token_bytes(NONCE_BYTES),
        )
        plain = text.encode("utf-8", "surrogatepass")
        sealed = nonce + key.encrypt(nonce, plain, uid.encode("ascii"))
        rows.append(Blob(pk=uid, owner_id=owner_id, ciphertext=sealed))
    # Two texts may have become one by being masked.
    Blob.objects.bulk_create(rows, batch_size=_AT_ONCE, ignore_conflicts=True)


def _follow(
    workspace: Workspace,
    owner_id: int,
    old: Mapping[str, str],
    new: Mapping[str, str | None],
    result: Rewritten,
    clear: Clear | None,
) -> None:
    """Change what names the texts, node by node with its sightings."""
    nodes = Node.objects.filter(workspace=workspace, owner_id=owner_id).order_by("pk")
    parents = {
        node.pk: digest_of(node.fields.get("text"))
        for node in nodes.filter(has_text=True).only("pk", "fields").iterator(chunk_size=_AT_ONCE)
    }
    for node in nodes.iterator(chunk_size=_AT_ONCE):
        moved = dict(result.moved)
        sliced = _slice(node, parents, old, new)
        other = sliced is not None and sliced[0] != sliced[1]
        if sliced is not None and other:
            moved[text_digest(sliced[0])] = None if sliced[1] is None else text_digest(sliced[1])
        names = any(digest in moved for digest in _markers(node.fields))
        content = other or names or node.digest in result.moved
        if _change(workspace, node, moved, content=content, clear=clear):
            result.nodes.append(node.pk)


def _slice(
    node: Node, parents: Mapping[int, str], old: Mapping[str, str], new: Mapping[str, str | None]
) -> tuple[str, str | None] | None:
    """What the node's interval was and is, where its text is its parent's."""
    place = place_of(node)
    digest = parents.get(node.parent_id or 0, "")
    if node.kind not in _SLICES or node.has_text or place is None or digest not in old:
        return None
    after = new[digest]
    return old[digest][slice(*place)], None if after is None else after[slice(*place)]


def _change(
    workspace: Workspace,
    node: Node,
    moved: Mapping[str, str | None],
    *,
    content: bool,
    clear: Clear | None,
) -> bool:
    """Bring one node and its sightings in line; whether anything of them has changed."""
    rows = list(Sighting.objects.filter(workspace=workspace, node=node).order_by("pk"))
    content = content or any(
        digest in moved for row in rows for digest in _markers(row.fields)
    )  # in its history
    before = (node.fields, node.attributes, node.digest)
    node.fields = _renamed(workspace, node.fields, moved, clear)
    node.attributes = _renamed(workspace, node.attributes, moved, clear)
    known = node.digest
    if content:
        node.digest = keyed_digest(workspace, known)
    changed = before != (node.fields, node.attributes, node.digest)
    for row in rows:
        was = (row.fields, row.attributes, row.content_digest)
        row.fields = _renamed(workspace, row.fields, moved, clear)
        row.attributes = _renamed(workspace, row.attributes, moved, clear)
        if content:
            row.content_digest = keyed_digest(workspace, row.content_digest or known)
        if was != (row.fields, row.attributes, row.content_digest):
            row.save(update_fields=["fields", "attributes", "content_digest"])
            changed = True
    if changed:
        node.save(update_fields=["fields", "attributes", "digest"])
    return changed


def _markers(fields: Mapping[str, JsonValue]) -> Iterator[str]:
    for value in fields.values():
        for one in value if isinstance(value, list) else (value,):
            if digest := digest_of(one):
                yield digest


def _renamed(
    workspace: Workspace,
    value: JsonValue,
    moved: Mapping[str, str | None],
    clear: Clear | None,
) -> JsonValue:
    """A record's JSON with markers that lead to the texts as they are now, strings cleared."""
    if isinstance(value, dict):
        if (digest := digest_of(value)) in moved:
            return {**value, "$text": moved[digest] or keyed_digest(workspace, digest)}
        return {name: _renamed(workspace, one, moved, clear) for name, one in value.items()}
    if isinstance(value, list):
        return [_renamed(workspace, one, moved, clear) for one in value]
    return clear(value) if clear is not None and isinstance(value, str) else value
