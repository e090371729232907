"""Owners of which only a part is erased: what goes, what is masked, under a key that is new.

Erasing a passage takes it out of the document it stands in, too, and out of the passages
beside it that overlap it; the rest of the source, other versions of it included, stays as it
is. What an owner keeps is encrypted anew before its old key is destroyed.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import Final

from django.db import transaction

from lineage.content.keys import prepare_next_keys, take_next_keys
from lineage.content.passages import digest_of, place_of, texts_of
from lineage.content.tombstones import MASK
from lineage.erasure import hold
from lineage.erasure.owned_texts import rewrite
from lineage.erasure.records import mark_for_graph
from lineage.erasure.windows import Span, Windows, masked, merged
from lineage.models import ErasedNode, Erasure, Node, Sighting
from lineage.models.turns import take_turn
from lineage.types import JsonValue
from provexplorer.workspaces.models import Workspace

# An erased text of at least so many code points is looked for word for word where its place is unknown.
_LEAST_SOUGHT: Final = 12


def change_keys(erasure: Erasure, owner_ids: Collection[int]) -> int:
    """Take the erased texts of these owners away and destroy the keys they lay under; how many changed.

    Safe to be interrupted anywhere, and to be called again.
    """
    prepare_next_keys(owner_ids)
    changed = 0
    for owner_id in sorted(owner_ids):
        with transaction.atomic():
            take_turn(erasure.workspace_id)
            hold.keep(erasure)
            changed += _change(erasure, owner_id)
        # All that stays is under the next key now.
        take_next_keys([owner_id])
    return changed


def _change(erasure: Erasure, owner_id: int) -> int:
    workspace = erasure.workspace
    buried = ErasedNode.objects.filter(erasure=erasure, node__owner_id=owner_id)
    erased = set(buried.order_by("pk").values_list("node_id", flat=True))
    nodes = list(Node.objects.filter(workspace=workspace, owner_id=owner_id).order_by("pk"))
    mine = [node for node in nodes if node.pk in erased]
    others = [node for node in nodes if node.pk not in erased]
    gone = _named(workspace, mine)
    kept = _named(workspace, others)
    touched = _around(mine, others)
    maskable = {
        digest for node in touched for digest in [digest_of(node.fields.get("text"))] if digest
    }
    spans = _Spans(workspace, mine)

    def treat(digest: str, text: str) -> str | None:
        if digest in gone and digest not in kept:
            return None
        return masked(text, spans.of(digest, text), MASK) if digest in maskable else text

    rewritten = rewrite(workspace, owner_id, treat)
    mark_for_graph(workspace, rewritten.nodes)
    return len(rewritten.moved)


def _named(workspace: Workspace, nodes: Sequence[Node]) -> set[str]:
    """The digests of all texts that these nodes name, now or in their history."""
    found = {digest for node in nodes for digest in _markers(node.fields)}
    ids = [node.pk for node in nodes]
    for start in range(0, len(ids), 500):
        rows = Sighting.objects.filter(workspace=workspace, node_id__in=ids[start : start + 500])
        for fields in rows.order_by("pk").values_list("fields", flat=True):
            found |= set(_markers(fields))
    return found


def _markers(fields: dict[str, JsonValue]) -> list[str]:
    values = [
        one for value in fields.values() for one in (value if isinstance(value, list) else [value])
    ]
    return [digest for one in values if (digest := digest_of(one))]


def _around(erased: Sequence[Node], others: Sequence[Node]) -> list[Node]:
    """What may hold an erased text by its place: what it stands in, and what else stands there."""
    living = {node.pk: node for node in others}
    places = {node.parent_id for node in erased if node.parent_id in living}
    found = {pk: living[pk] for pk in places if pk}
    found |= {node.pk: node for node in others if node.parent_id in places}
    for pk in list(places):
        above = living[pk].parent_id if pk else None
        while above in living:
            found[above] = living[above]
            above = living[above].parent_id
    return list(found.values())


class _Spans:
    """Where the erased texts of one owner stand in its other texts."""

    def __init__(self, workspace: Workspace, erased: Sequence[Node]) -> None:
        texts = texts_of(erased, workspace=workspace) if erased else {}
        self._texts = sorted({text for text in texts.values() if len(text) >= _LEAST_SOUGHT})
        # The windows serve this one pass and are never written: their key may be anything.
        self._windows = Windows.of(self._texts, bytes(32))
        self._placed: dict[str, list[Span]] = defaultdict(list)
        parents = {
            node.pk: digest_of(node.fields.get("text"))
            for node in Node.objects.filter(
                workspace=workspace, pk__in={node.parent_id for node in erased if node.parent_id}
            ).order_by("pk")
        }
        for node in erased:
            place, digest = place_of(node), parents.get(node.parent_id or 0, "")
            if place is not None and digest:
                self._placed[digest].append(place)

    def of(self, digest: str, text: str) -> list[Span]:
        found = [*self._placed.get(digest, ()), *self._windows.spans(text)]
        for sought in self._texts:
            at = text.find(sought)
            while at >= 0:
                found.append((at, at + len(sought)))
                at = text.find(sought, at + 1)
        return merged((start, min(end, len(text))) for start, end in found if start < len(text))
