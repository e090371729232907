"""Which payloads, as they were sent, hold something of what was erased."""

from collections.abc import Collection
from typing import Final

from lineage.content.tombstones import keyed_digest, recognised_by
from lineage.erasure.windows import Spans, Windows
from lineage.identifiers import address_of
from lineage.inbox.holding import records_in, strings_in
from lineage.models import ErasedNode, Erasure, InboxPayload, Node, Reference, RestsOn
from lineage.types import NativeRecord
from lineage.vocabulary import Edge

# Records that may quote what an answer rests on.
_OF_AN_ANSWER: Final = frozenset({"answer", "claim", "citation"})


class Known:
    """By what a payload is known to hold something erased: keys, digests, windows, quotations."""

    def __init__(self, erasure: Erasure) -> None:
        self._erasure = erasure
        self._workspace = erasure.workspace
        rows = ErasedNode.objects.filter(erasure=erasure).order_by("pk")
        found = list(rows.values_list("address", "digest"))
        self._addresses = {address for address, _ in found}
        texts = erasure.texts.order_by("pk").values_list("digest", flat=True)
        self._digests = ({digest for _, digest in found} | set(texts)) - {""}

    def is_held_by(
        self, row: InboxPayload, body: bytes, windows: Windows, repeated: Spans
    ) -> bool | None:
        """Whether it does; None where nobody can read it, who could tell.

        `repeated`: what counts where an answer that rests on it was sent.
        """
        try:
            records = list(records_in(row.format, body, row.media_type))
            strings = list(strings_in(row.format, body, row.media_type))
        except Exception:  # noqa: BLE001 - whatever is wrong with it: what cannot be read is not kept
            return None
        key = self._workspace.hash_key
        for record in records:
            if address_of(key, record.kind, record.namespace, record.key) in self._addresses:
                return True
            if record.content_digest and (
                keyed_digest(self._workspace, record.content_digest) in self._digests
            ):
                return True
        if self._cites(records):
            return True
        found: Spans = repeated if self._rests(records) else windows
        return any(found.spans(one) or self._is_erased(one) for one in strings)

    def _cites(self, records: Collection[NativeRecord]) -> bool:
        """Whether a citation of something erased was sent with what it quotes."""
        quoting = [
            one
            for one in records
            if one.kind == "citation" and ("quote" in one.texts or "selector" in one.texts)
        ]
        buried = ErasedNode.objects.filter(erasure=self._erasure, node__isnull=False)
        return bool(quoting) and (
            Reference.objects.filter(
                workspace=self._workspace,
                edge=Edge.WAS_QUOTED_FROM,
                from_node_id__in=self._nodes(quoting),
                to_node_id__in=buried.values("node_id"),
            ).exists()
        )

    def _rests(self, records: Collection[NativeRecord]) -> bool:
        """Whether something of an answer was sent that rests on something erased."""
        told = [one for one in records if one.kind in _OF_AN_ANSWER]
        if not told:
            return False
        rows = Node.objects.filter(pk__in=self._nodes(told)).order_by("pk")
        answers = {owner or pk for pk, owner in rows.values_list("pk", "owner_id")}
        buried = ErasedNode.objects.filter(erasure=self._erasure, node__isnull=False)
        return RestsOn.objects.filter(
            answer_id__in=answers, target_id__in=buried.values("node_id")
        ).exists()

    def _nodes(self, records: Collection[NativeRecord]) -> list[int]:
        key = self._workspace.hash_key
        addresses = {address_of(key, one.kind, one.namespace, one.key) for one in records}
        rows = Node.objects.filter(workspace=self._workspace, address__in=addresses)
        return list(rows.order_by("pk").values_list("pk", flat=True))

    def _is_erased(self, text: str) -> bool:
        """Whether it is an erased text as a whole, however it is spaced and cased."""
        return any(
            keyed_digest(self._workspace, digest) in self._digests for digest in recognised_by(text)
        )
