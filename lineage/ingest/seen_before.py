"""What a workspace has seen before: which records, which keys, all of a key or what was last.

Most is asked of keys one by one through the index of sightings, which Django cannot compose:
its lists would read every sighting of the keys, however many they are.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from django.db import connections, router

from lineage.bulk_rows import slices
from lineage.models import Sighting
from provexplorer.clock import BEFORE_ALL

# Keys in one statement: below SQLite's limit of 32,766 variables.
_AT_ONCE: Final = 2_000
_TABLE: Final = Sighting._meta.db_table  # noqa: SLF001 - Django's documented API


def known_records(
    workspace_id: int, records: Collection[tuple[str, str]]
) -> dict[tuple[str, str], tuple[int, bool]]:
    """Those of the (address, record digest) that have a sighting → its id, whether it was sent as such."""
    found: dict[tuple[str, str], tuple[int, bool]] = {}
    for some in slices(records, _AT_ONCE):
        marks = ", ".join(["(%s, %s)"] * len(some))
        rows = _rows(
            f"WITH asked(address, digest) AS (VALUES {marks}) "  # noqa: S608 - our own names
            f"SELECT seen.address, seen.digest, seen.id, seen.direct FROM asked JOIN {_TABLE} seen "
            "ON seen.workspace_id = %s AND seen.address = asked.address "
            "AND seen.digest = asked.digest ORDER BY seen.id",
            [*(part for pair in some for part in pair), workspace_id],
        )
        found |= {(address, digest): (pk, bool(direct)) for address, digest, pk, direct in rows}
    return found


def seen_addresses(workspace_id: int, addresses: Collection[str]) -> set[str]:
    """Those of the keys that have a sighting."""
    found: set[str] = set()
    for some in slices(addresses, _AT_ONCE):
        marks = ", ".join(["(%s)"] * len(some))
        rows = _rows(
            f"WITH asked(address) AS (VALUES {marks}) SELECT asked.address FROM asked "  # noqa: S608 - our own names
            f"WHERE EXISTS (SELECT 1 FROM {_TABLE} seen "
            "WHERE seen.workspace_id = %s AND seen.address = asked.address)",
            [*some, workspace_id],
        )
        found |= {address for (address,) in rows}
    return found


def sightings_of(workspace_id: int, addresses: Collection[str]) -> dict[str, list[Sighting]]:
    """All sightings of these keys, in the order of their arrival; keys without any are missing."""
    found: dict[str, list[Sighting]] = defaultdict(list)
    for some in slices(addresses, _AT_ONCE):
        rows = Sighting.objects.filter(workspace_id=workspace_id, address__in=some)
        for sighting in rows.order_by("pk"):
            found[sighting.address].append(sighting)
    return found


def orders_since(
    workspace_id: int, addresses: Mapping[str, datetime]
) -> Iterator[tuple[int, datetime | None, str]]:
    """(node id, instant, record digest) of the sightings of these keys, each key's from an instant on."""
    whole = [address for address, at in addresses.items() if at == BEFORE_ALL]
    for some in slices(whole, _AT_ONCE):
        rows = Sighting.objects.filter(workspace_id=workspace_id, address__in=some)
        told = rows.filter(node__isnull=False).order_by("pk")
        for node_id, at, digest in told.values_list("node_id", "occurred_at", "digest"):
            yield node_id or 0, at, digest
    adapt = connections[router.db_for_read(Sighting)].ops.adapt_datetimefield_value
    for part in slices(sorted(addresses.keys() - set(whole)), _AT_ONCE):
        marks = ", ".join(["(%s, %s)"] * len(part))
        for node_id, at, digest in _rows(
            f"WITH asked(address, since) AS (VALUES {marks}) "  # noqa: S608 - our own names
            f"SELECT seen.node_id, seen.occurred_at, seen.digest FROM asked JOIN {_TABLE} seen "
            "ON seen.workspace_id = %s AND seen.address = asked.address "
            "AND seen.occurred_at >= asked.since WHERE seen.node_id IS NOT NULL ORDER BY seen.id",
            [*(v for address in part for v in (address, adapt(addresses[address]))), workspace_id],
        ):
            yield node_id, _instant(at), digest


def _instant(value: datetime) -> datetime:
    """An instant as the driver gives it: SQLite's tells no zone, and keeps them in UTC."""
    return value if value.tzinfo else value.replace(tzinfo=UTC)


def _rows(statement: str, values: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    with connections[router.db_for_write(Sighting)].cursor() as cursor:
        cursor.execute(statement, values)
        yield from cursor.fetchall()
