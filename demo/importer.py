"""The demo's data as native records.

`python -m demo.importer > demo.jsonl` writes them one a line, for `provexplorer load`.
How each file becomes records is told in docs/guide/demo.md.
"""

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Final

from demo import articles, histories
from demo import notices as notice_data
from demo.files import DATA, read_json
from demo.notices import Notice, notices
from lineage.formats.openinference import to_records
from lineage.types import JsonValue

__all__ = ["Notice", "notices", "records", "trace_records"]

BATCH: Final = 500

# What others rest on comes first; any other order gives the same end state.
_STAGES: Final[tuple[Callable[[], Iterable[JsonValue]], ...]] = (
    articles.component_records,
    articles.run_records,
    histories.run_records,
    histories.agent_records,
    articles.source_records,
    histories.source_records,
    notice_data.source_records,
    articles.version_records,
    histories.version_records,
    articles.acquisition_records,
    articles.document_records,
    histories.document_records,
    articles.chunk_records,
    articles.snapshot_records,
)


def records() -> Iterator[list[JsonValue]]:
    """All records in batches of at most 500, in the order of the stages."""
    return _in_batches(chain.from_iterable((*(stage() for stage in _STAGES), trace_records())))


def trace_records() -> Iterator[JsonValue]:
    """The records of all traces, in the order of their file names; each record once."""
    namespace = articles.collection_of(articles.snapshot()["name"])
    seen: set[str] = set()
    for file in sorted((DATA / "traces").glob("*.json")):
        for record in to_records(read_json(file), snapshot_namespace=namespace):
            # Components recur from trace to trace.
            canonical = json.dumps(record, sort_keys=True)
            if canonical not in seen:
                seen.add(canonical)
                yield record


def _in_batches(every: Iterable[JsonValue]) -> Iterator[list[JsonValue]]:
    batch: list[JsonValue] = []
    for record in every:
        batch.append(record)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def main() -> None:
    """Write all records as JSON Lines to standard output."""
    for batch in records():
        for record in batch:
            sys.stdout.write(json.dumps(record) + "\n")


if __name__ == "__main__":
    main()
