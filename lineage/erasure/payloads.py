"""Which payloads, as they were sent, hold something of what was erased."""

from lineage.content.tombstones import keyed_digest, recognised_by
from lineage.erasure.windows import Windows
from lineage.identifiers import address_of
from lineage.inbox.holding import records_in, strings_in
from lineage.models import ErasedNode, Erasure, InboxPayload


class Known:
    """By what a payload is known to hold something erased: keys, digests, windows."""

    def __init__(self, erasure: Erasure) -> None:
        self._workspace = erasure.workspace
        rows = ErasedNode.objects.filter(erasure=erasure).order_by("pk")
        found = list(rows.values_list("address", "digest"))
        self._addresses = {address for address, _ in found}
        texts = erasure.texts.order_by("pk").values_list("digest", flat=True)
        self._digests = ({digest for _, digest in found} | set(texts)) - {""}

    def is_held_by(self, row: InboxPayload, body: bytes, windows: Windows) -> bool:
        try:
            records = list(records_in(row.format, body, row.media_type))
            strings = list(strings_in(row.format, body, row.media_type))
        except Exception:  # noqa: BLE001 - whatever is wrong with it: what cannot be read is not kept
            return True
        key = self._workspace.hash_key
        for record in records:
            if address_of(key, record.kind, record.namespace, record.key) in self._addresses:
                return True
            if record.content_digest and (
                keyed_digest(self._workspace, record.content_digest) in self._digests
            ):
                return True
        return any(windows.spans(one) or self._is_erased(one) for one in strings)

    def _is_erased(self, text: str) -> bool:
        """Whether it is an erased text as a whole, however it is spaced and cased."""
        return any(
            keyed_digest(self._workspace, digest) in self._digests for digest in recognised_by(text)
        )
