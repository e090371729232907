"""Events of OpenLineage's and Marquez's own tests, and our example: each gets the outcome its README says."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lineage.formats.openlineage import Event, read_event
from lineage.formats.openlineage_schemas import facet_faults
from lineage.types import Refused

pytestmark = pytest.mark.engine_free

FOLDER = Path(__file__).parent / "openlineage"
# What is wrong, and where. All other events are stored.
REFUSED = {
    "fluentd_event_invalid_dataset_facet": (
        "field-missing", "/outputs/0/facets/ownership/owners/0/name",
    ),
    "fluentd_event_invalid_job_facet": ("field-missing", "/job/facets/ownership/owners/0/name"),
    "fluentd_event_invalid_output_dataset_facet": (
        "wrong-type", "/outputs/0/outputFacets/outputStatistics/rowCount",
    ),
    "fluentd_event_no_run_id": ("field-missing", "/run/runId"),
}  # fmt: skip
# What is told of the events of a file, beside the nothing that is told of the others.
WARNED = {
    "dbt_duckdb_singular": {("schema_incomplete", "/producer")},
    "dbt_postgres_run_success": {("schema_incomplete", "/producer")},
    "dbt_postgres_test": {("schema_incomplete", "/producer")},
    "fluentd_event_full": {
        ("facet_invalid", "/inputs/0/inputFacets/dataQualityMetrics/columnMetrics")
    },
    "marquez_event_full": {
        ("facet_invalid", "/inputs/0/inputFacets/dataQualityMetrics/columnMetrics")
    },
    "marquez_1": {("schema_incomplete", "/schemaURL")},
    "marquez_event_required_no_timezone": {("time_without_zone", "/eventTime")},
}


def events(file: Path) -> Iterator[Any]:
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".ndjson":
        yield from map(json.loads, text.splitlines())
    else:
        document = json.loads(text)
        yield from document if isinstance(document, list) else [document]


FILES = sorted(file for file in FOLDER.iterdir() if file.suffix in (".json", ".ndjson"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_each_event_is_stored_or_refused_in_its_place(file: Path) -> None:
    for index, event in enumerate(events(file)):
        read = read_event(index, event)
        if file.stem in REFUSED:
            assert isinstance(read, Refused)
            assert (read.problem.slug, read.problem.pointer) == REFUSED[file.stem]
            assert read.problem.status == 422
            continue
        assert isinstance(read, Event), read
        told = {(warned.code, warned.pointer) for warned in read.warnings}
        assert told == WARNED.get(file.stem, set())


def test_all_files_are_there() -> None:
    lines = 14 + 10 + 72 + 26 + 26
    single, examples = 16 + 1, 4 + 4
    assert sum(len(list(events(file))) for file in FILES) == lines + single + examples
    assert len(list((FOLDER / "facets").iterdir())) == 46


@pytest.mark.parametrize("file", sorted((FOLDER / "facets").iterdir()), ids=lambda file: file.stem)
def test_a_facet_is_no_event_and_as_its_schema_says(file: Path) -> None:
    document = json.loads(file.read_text(encoding="utf-8"))
    refused = read_event(0, document)
    assert isinstance(refused, Refused)
    assert refused.problem.slug == "field-missing"
    [(name, facet)] = document.items()
    # Where facets of that name have a schema at all; an empty list is never one.
    places = [
        place
        for place in ("run", "job", "dataset", "input", "output")
        if list(facet_faults(place, name, [], ""))
    ]
    assert [] in [list(facet_faults(place, name, facet, "")) for place in places]


def test_the_guides_events_are_stored() -> None:
    guide = Path(__file__).parents[2] / "docs" / "guide" / "openlineage.md"
    text = guide.read_text(encoding="utf-8")
    shown = re.findall(r"```json\n(.*?)```", text, re.DOTALL) + re.findall(r"-d '(.*?)'\n", text)
    assert [type(read_event(0, json.loads(each))) for each in shown] == [Event, Event]


def test_what_was_found_sound_stays_so_and_what_is_faulty_is_told_each_time() -> None:
    sound = {"fields": [{"name": "a", "type": "INT"}]}
    faulty = {"fields": [{"type": "INT"}]}
    for _ in range(2):
        assert list(facet_faults("dataset", "schema", sound, "/f")) == []
        told = [
            (each.slug, each.pointer) for each in facet_faults("dataset", "schema", faulty, "/f")
        ]
        assert told == [("field-missing", "/f/fields/0/name")]
    # Sound in one place says nothing of another.
    assert list(facet_faults("dataset", "columnLineage", sound, "/f"))
