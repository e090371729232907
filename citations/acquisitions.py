"""Responses from the origins of a source, as recorded."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from citations.stated import stated
from lineage.models import Node, Reference
from lineage.types import JsonValue
from lineage.vocabulary import Edge

MOST_LISTED: Final = 50
# Rows read to find the newest by the time they state.
_MOST_READ: Final = 500


@dataclass(frozen=True, slots=True)
class AcquisitionRow:
    """One response from the source's origin, as recorded."""

    uid: str
    version_uid: str
    uri: str | None
    final_uri: str | None
    http_status: int | None
    etag: str | None
    last_modified: str | None
    fetched_at: str | None
    media_type: str | None
    rights_signals: JsonValue


def acquisitions_of(
    workspace_id: int, versions: Sequence[Node]
) -> tuple[tuple[AcquisitionRow, ...], int]:
    """The newest acquisitions of these versions, and how many there are."""
    if not versions:
        return (), 0
    uids = {version.pk: version.uid for version in versions}
    found = Reference.objects.filter(
        workspace_id=workspace_id,
        to_node_id__in=uids.keys(),
        edge=Edge.WAS_DERIVED_FROM,
        from_node__kind="acquisition",
    )
    rows = [
        _row(reference.from_node, uids[reference.to_node_id])
        for reference in found.select_related("from_node").order_by("-from_node_id")[:_MOST_READ]
        if reference.from_node is not None and reference.to_node_id is not None
    ]
    rows.sort(key=lambda row: (row.fetched_at or "", row.uid), reverse=True)
    return tuple(rows[:MOST_LISTED]), found.count()


def _row(acquisition: Node, version_uid: str) -> AcquisitionRow:
    said = acquisition.fields
    status = said.get("http_status")
    return AcquisitionRow(
        uid=acquisition.uid,
        version_uid=version_uid,
        uri=stated(said.get("uri")),
        final_uri=stated(said.get("final_uri")),
        http_status=status if isinstance(status, int) else None,
        etag=stated(said.get("etag")),
        last_modified=stated(said.get("last_modified")),
        fetched_at=stated(said.get("fetched_at")),
        media_type=stated(said.get("media_type")),
        rights_signals=said.get("rights_signals"),
    )
