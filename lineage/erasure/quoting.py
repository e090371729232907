"""What citations of erased passages say that they quote of them."""

import json
import re
from collections import defaultdict
from collections.abc import Collection, Iterator
from typing import Final

from lineage.content.passages import digest_of
from lineage.content.store import read_texts
from lineage.content.tombstones import MASK
from lineage.erasure.quotations import WIDTH
from lineage.erasure.windows import Span, Spans, merged
from lineage.models import ErasedNode, Erasure, Node, Reference, Sighting
from lineage.vocabulary import Edge

# Of a Web Annotation's selector, which is kept as JSON, what repeats the text.
_SELECTED: Final = re.compile(r'"(?:exact|prefix|suffix)"\s*:\s*("(?:[^"\\]|\\.)*")')
_FIELDS: Final = ("quote", "selector")


class Told:
    """What an answer repeats of an erased text, and what its citations of it quote, whatever the length."""

    def __init__(
        self, repeated: Spans, quotes: Collection[str] = (), selectors: Collection[str] = ()
    ) -> None:
        self._repeated = repeated
        self._quotes, self._selectors = frozenset(quotes), frozenset(selectors)
        said = {*quotes, *(json.loads(one[1]) for text in selectors for one in _selected(text))}
        long = sorted((one for one in said if len(one) >= WIDTH), key=len, reverse=True)
        words = "|".join(map(re.escape, long))
        self._within = re.compile(rf"(?<!\w)(?:{words})(?!\w)") if words else None

    def spans(self, text: str) -> list[Span]:
        """The stretches of the text, in order and apart."""
        if text in self._quotes:
            return [(0, len(text))]
        if text in self._selectors:
            return [(one.start(1) + 1, one.end(1) - 1) for one in _selected(text)]
        within = self._within.finditer(text) if self._within else ()
        return merged([*self._repeated.spans(text), *(one.span() for one in within)])


def told_by(erasure: Erasure, owner_ids: Collection[int], repeated: Spans) -> dict[int, Told]:
    """By each owner (of an answer), what it repeats and what its citations of erased passages quote.

    Citations as they are now and in their history; what is masked already is left out. A
    constant number of queries.
    """
    buried = ErasedNode.objects.filter(erasure=erasure, node__isnull=False)
    cites = Reference.objects.filter(
        workspace_id=erasure.workspace_id,
        edge=Edge.WAS_QUOTED_FROM,
        from_node__owner_id__in=owner_ids,
        to_node_id__in=buried.values("node_id"),
    )
    citations = Node.objects.filter(pk__in=cites.values("from_node_id")).order_by("pk")
    owners = dict(citations.values_list("pk", "owner_id"))
    seen = Sighting.objects.filter(workspace_id=erasure.workspace_id, node_id__in=list(owners))
    kept: dict[tuple[int, str], str] = {}
    for pk, fields in (
        *citations.values_list("pk", "fields"),
        *seen.order_by("pk").values_list("node_id", "fields"),
    ):
        for name in _FIELDS:
            if digest := digest_of(fields.get(name)):
                kept[owners[pk or 0] or 0, digest] = name
    told: dict[str, dict[int, set[str]]] = {name: defaultdict(set) for name in _FIELDS}
    for (owner_id, digest), text in read_texts(erasure.workspace, sorted(kept)).items():
        name = kept[owner_id, digest]
        if name == "selector" or _is_readable(text):
            told[name][owner_id].add(text)
    return {
        owner_id: Told(repeated, told["quote"][owner_id], told["selector"][owner_id])
        for owner_id in owner_ids
    }


def _selected(text: str) -> Iterator[re.Match[str]]:
    return (one for one in _SELECTED.finditer(text) if _is_readable(one[1][1:-1]))


def _is_readable(text: str) -> bool:
    return bool(text.replace(MASK, "").strip())
