"""Generated OpenLineage events as a warehouse's jobs send them, the same for the same seed.

Each run sends START and COMPLETE. It reads two tables that earlier runs wrote and writes one of
ten columns, with schema, column lineage and statistics.
"""

import random
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final

Event = dict[str, Any]

EVENTS_A_BATCH: Final = 100
_EVENTS_A_RUN: Final = 2
_COLUMNS: Final = 10
_TRACED_COLUMNS: Final = 5
_TABLES: Final = 200
_BEGIN: Final = datetime(2026, 1, 5, 8, tzinfo=UTC)
_PRODUCER: Final = "https://example.org/warehouse/1.4"
_SPEC: Final = "https://openlineage.io/spec"
_STORE: Final = "postgres://warehouse.example.org:5432"


@dataclass(slots=True)
class Warehouse:
    """`name` sets apart the runs and tables of two streams of one shape."""

    name: str
    _random: random.Random = field(default_factory=lambda: random.Random(11))
    _run: int = 0

    def batches(self, count: int) -> Iterator[list[Event]]:
        """So many requests of 100 events each."""
        for _ in range(count):
            events: list[Event] = []
            for _ in range(EVENTS_A_BATCH // _EVENTS_A_RUN):
                events += self._events()
            yield events

    def _events(self) -> Iterator[Event]:
        self._run += 1
        began = _BEGIN + timedelta(minutes=self._run)
        run = {"runId": str(uuid.UUID(int=self._random.getrandbits(128), version=4))}
        written = self._run % _TABLES
        job = {"namespace": f"{self.name}.etl", "name": f"load_table_{written}"}
        chosen = self._random.sample(range(_TABLES), 2)
        read = [self._table(number) for number in chosen]
        output = self._table(written)
        common: Event = {
            "run": run, "job": job, "producer": _PRODUCER,
            "schemaURL": f"{_SPEC}/2-0-2/OpenLineage.json#/$defs/RunEvent",
        }  # fmt: skip
        yield common | {
            "eventType": "START", "eventTime": began.isoformat(), "inputs": read, "outputs": [output],
        }  # fmt: skip
        yield common | {
            "eventType": "COMPLETE", "eventTime": (began + timedelta(seconds=50)).isoformat(),
            "inputs": [
                each | {"facets": {"schema": _schema(number)}}
                for number, each in zip(chosen, read, strict=True)
            ],
            "outputs": [
                output | {
                    "facets": {"schema": _schema(written), "columnLineage": _columns(read)},
                    "outputFacets": {
                        "outputStatistics": _facet("OutputStatisticsOutputDatasetFacet", "1-0-2")
                        | {"rowCount": 1_000 + self._run, "size": 64_000}
                    },
                }
            ],
        }  # fmt: skip

    def _table(self, number: int) -> Event:
        return {"namespace": _STORE, "name": f"{self.name}.public.table_{number}"}


def _facet(name: str, version: str) -> Event:
    return {"_producer": _PRODUCER, "_schemaURL": f"{_SPEC}/facets/{version}/{name}.json"}


def _schema(table: int) -> Event:
    fields = [{"name": f"column_{n}", "type": f"VARCHAR({table + n})"} for n in range(_COLUMNS)]
    return _facet("SchemaDatasetFacet", "1-1-1") | {"fields": fields}


def _columns(read: list[Event]) -> Event:
    return _facet("ColumnLineageDatasetFacet", "1-2-0") | {
        "fields": {
            f"column_{n}": {"inputFields": [each | {"field": f"column_{n}"} for each in read]}
            for n in range(_TRACED_COLUMNS)
        }
    }
