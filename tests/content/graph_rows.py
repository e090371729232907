"""Rows of the relational store, made by hand: nodes with their texts, and references."""

import itertools
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from lineage.content.store import OwnedText, store_texts
from lineage.identifiers import keyed_hash, text_digest
from lineage.models import Node, Reference
from lineage.vocabulary import KINDS, Anchor, Edge
from provexplorer.workspaces.models import Workspace

RECORDED_AT = datetime(2026, 5, 1, 12, tzinfo=UTC)
_numbers = itertools.count()


def marker(text: str) -> dict[str, Any]:
    """A text as it stands in a node's fields."""
    return {"$text": text_digest(text), "length": len(text)}


def add_node(
    workspace: Workspace,
    kind: str,
    *,
    text: str | None = None,
    texts: Mapping[str, str] | None = None,
    parent: Node | None = None,
    owner: Node | None = None,
    version: Node | None = None,
    span: tuple[int, int] | None = None,
    anchor: Anchor | None = Anchor.EXACT,
    fields: Mapping[str, Any] | None = None,
    **columns: Any,
) -> Node:
    """A node whose texts are stored under its owner (itself if none is given)."""
    key = columns.pop("key", f"{kind}-{next(_numbers)}")
    prefix = KINDS[kind].prefix
    texts = {**(texts or {}), **({"text": text} if text is not None else {})}
    node = Node.objects.create(
        workspace=workspace,
        kind=kind,
        namespace="",
        key=key,
        address=f"{prefix}_{keyed_hash(workspace.hash_key, 'key', kind, '', key)}",
        anywhere=keyed_hash(workspace.hash_key, "anywhere", kind, key),
        uid=f"{prefix}_{keyed_hash(workspace.hash_key, 'test', kind, key)}",
        parent=parent,
        owner=owner,
        version=version,
        recorded_at=RECORDED_AT,
        start=span[0] if span else None,
        end=span[1] if span else None,
        anchor=anchor.value if span and anchor else "",
        has_text=text is not None,
        fields={**(fields or {}), **{name: marker(value) for name, value in texts.items()}},
        **columns,
    )
    owner_id = owner.pk if owner else node.pk
    store_texts(
        workspace, [OwnedText(owner_id, text_digest(value), value) for value in texts.values()]
    )
    return node


def refer(
    holder: Node, relation: str, to: Node | None, edge: Edge, *, reverse: bool = False, **more: Any
) -> Reference:
    """A bound reference of the holder; `reverse`: the edge points at the holder."""
    ends = (to, holder) if reverse else (holder, to)
    return Reference.objects.create(
        workspace=holder.workspace,
        holder=holder,
        relation=relation,
        edge=edge.value,
        kind=to.kind if to else "chunk",
        status=Reference.Status.BOUND if to else Reference.Status.UNRESOLVED,
        from_node=ends[0],
        to_node=ends[1],
        **more,
    )
