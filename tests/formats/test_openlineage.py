"""OpenLineage events to native records, by hand-written expectations."""

from typing import Any

import pytest

from lineage.formats import openlineage_parts
from lineage.formats.body import as_json
from lineage.formats.openlineage import Event, read_event
from lineage.identifiers import text_digest
from lineage.types import NativeRecord, Refused
from tests.formats.openlineage_events import RUN, dataset, dataset_event, facet, run_event

pytestmark = pytest.mark.engine_free


def read(event: Any) -> Event:
    found = read_event(0, event)
    assert isinstance(found, Event), found
    return found


def problem(event: Any) -> tuple[str, str]:
    found = read_event(0, event)
    assert isinstance(found, Refused), found
    return found.problem.slug, found.problem.pointer


def records(event: Any, kind: str) -> list[NativeRecord]:
    return [made.record for made in read(event).made if made.record.kind == kind]


def without(event: dict[str, Any], *path: str) -> dict[str, Any]:
    *way, last = path
    place = event
    for step in way:
        place = place[step]
    del place[last]
    return event


def changed(event: dict[str, Any], value: Any, *path: str | int) -> dict[str, Any]:
    *way, last = path
    place: Any = event
    for step in way:
        place = place[step]
    place[last] = value
    return event


NESTED: Any = {}
for _ in range(40):
    NESTED = {"deeper": NESTED}


@pytest.mark.parametrize(
    ("event", "slug", "pointer"),
    [
        ([], "not-an-object", ""),
        ({}, "field-missing", ""),
        (without(run_event(), "job"), "field-missing", "/job"),
        (without(run_event(), "eventTime"), "field-missing", "/eventTime"),
        (without(run_event(), "job", "name"), "field-missing", "/job/name"),
        (changed(run_event(), "", "job", "name"), "key-missing", "/job/name"),
        (changed(run_event(), "n" * 2_001, "job", "name"), "key-too-long", "/job/name"),
        (changed(run_event(), "a\x00", "job", "namespace"), "characters-not-storable", "/job/namespace"),
        (changed(run_event(), "complete", "eventType"), "value-not-allowed", "/eventType"),
        (changed(run_event(), None, "inputs"), "wrong-type", "/inputs"),
        (changed(run_event(), None, "run", "facets"), "wrong-type", "/run/facets"),
        (changed(run_event(), "yesterday", "eventTime"), "time-unreadable", "/eventTime"),
        (changed(run_event(), "2026-02-30T00:00:00Z", "eventTime"), "time-unreadable", "/eventTime"),
        (changed(run_event(), "run-1", "run", "runId"), "value-not-allowed", "/run/runId"),
        (run_event(inputs=[{"name": "a"}]), "field-missing", "/inputs/0/namespace"),
        (run_event(inputs=[dataset("a"), dataset("")]), "key-missing", "/inputs/1/name"),
        (run_event(run_facets={"deep": {"x": NESTED}}), "too-deep",
         "/run/facets/deep/x" + "/deeper" * 28),
        (as_json(b'{"job": 1, "job": 2}'), "name-repeated", ""),
        ({**dataset_event(**dataset("a")), "job": {"namespace": "n", "name": "j"}},
         "value-not-allowed", "/job"),
        (dataset_event(**dataset("a", version={})), "field-missing",
         "/dataset/facets/version/datasetVersion"),
        (dataset_event(**dataset("a", lifecycleStateChange={"lifecycleStateChange": "GONE"})),
         "value-not-allowed", "/dataset/facets/lifecycleStateChange/lifecycleStateChange"),
        (dataset_event(**dataset("a", rag_chunks={"chunks": [{"id": "c", "start": 1}]})),
         "field-missing", "/dataset/facets/rag_chunks/chunks/0/end"),
        (dataset_event(**dataset("a", rag_chunks={"chunks": [{"text": "t"}]})),
         "field-missing", "/dataset/facets/rag_chunks/chunks/0/id"),
        (dataset_event(**dataset("a", rag_embeddings={"model": "m", "embeddings": {}})),
         "wrong-type", "/dataset/facets/rag_embeddings/embeddings"),
    ],
)  # fmt: skip
def test_what_is_refused_and_where(event: Any, slug: str, pointer: str) -> None:
    assert problem(event) == (slug, pointer)


def test_an_event_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    wide = run_event(run_facets={"wide": {"x": [[]] * 200_000}})
    assert problem(wide) == ("record-too-large", "")
    monkeypatch.setattr(openlineage_parts, "RECORDS", 7)
    assert len(read(run_event(inputs=[dataset("a"), dataset("b")])).made) == 7
    many = run_event(inputs=[dataset("a"), dataset("b"), dataset("c")])
    assert problem(many) == ("record-too-large", "")


def test_events_are_told_apart_by_what_they_hold() -> None:
    both = {**dataset_event(**dataset("a")), **run_event()}
    about_dataset = without(run_event(), "job") | {"dataset": dataset("a")}
    about_job = without(run_event(inputs=[dataset("a")]), "run")
    assert [(read(one).kind, read(one).key) for one in (both, about_dataset, about_job)] == [
        ("run", RUN), ("source", "a"), ("component", "ingest.parse"),
    ]  # fmt: skip


def test_a_run_is_known_by_its_job_and_its_id_in_any_case() -> None:
    upper = changed(run_event(), RUN.upper(), "run", "runId")
    assert {(one.key, one.namespace) for one in records(upper, "run")} == {
        (RUN, "rag#ingest.parse")
    }
    hashed = changed(changed(run_event(), "a#b", "job", "namespace"), "c", "job", "name")
    plain = changed(changed(run_event(), "a", "job", "namespace"), "b#c", "job", "name")
    assert records(hashed, "run")[0].namespace == "a%23b#c"
    assert records(plain, "run")[0].namespace == "a#b#c"
    long = changed(
        changed(run_event(), "n" * 2_000, "job", "namespace"), "j" * 2_000, "job", "name"
    )
    assert records(long, "run")[0].namespace == text_digest("n" * 2_000 + "#" + "j" * 2_000)


def test_a_versioned_input_is_used_in_that_version() -> None:
    sha = "sha256:" + "a" * 64
    event = run_event(inputs=[
        dataset("a", version={"datasetVersion": "7"}), dataset("b", version={"datasetVersion": sha}),
        dataset("c"), dataset("rag.chunks", "milvus://v:19530", version={"datasetVersion": "3"}),
    ])  # fmt: skip
    assert [
        (ref.kind, ref.namespace, ref.key, ref.digest) for ref in records(event, "run")[0].refs
        if ref.relation == "used"
    ] == [
        ("source_version", "s3://corpus", "a", text_digest("7")),
        ("source_version", "s3://corpus", "b", sha),
        ("source_version", "s3://corpus", "c", ""),
        ("index_snapshot", "rag.chunks", "rag.chunks@3", ""),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("namespace", "name", "kind", "uri"),
    [
        ("https://example.org", "/a?b=c", "webpage", "https://example.org/a?b=c"),
        ("https://example.org", "a", "webpage", None),
        ("s3://bucket", "dir/a.pdf", "dataset", "s3://bucket/dir/a.pdf"),
        ("file", "/data/a.txt", "dataset", "file:///data/a.txt"),
        ("postgres://db:5432", "shop.public.menus", "dataset", None),
        ("food_delivery", "menus", "dataset", None),
    ],
)
def test_a_dataset_is_a_source_by_its_name(
    namespace: str, name: str, kind: str, uri: str | None
) -> None:
    [source] = records(dataset_event(**dataset(name, namespace)), "source")[:1]
    assert (source.key, source.namespace, source.fields["title"]) == (name, namespace, name)
    assert (source.fields["source_kind"], source.fields.get("uri")) == (kind, uri)


def test_who_and_what_did_it() -> None:
    event = run_event(
        "START",
        job="ingest.chunk",
        run_facets={
            "processing_engine": {"name": "cutter", "version": "0.4"},
            "rag_chunking": {"chunkSize": 1200, "chunkOverlap": 100},
            "executionParameters": {"parameters": [{"key": "mode", "value": "full"}]},
            "parentRun": {"run": {"runId": RUN}, "job": {"namespace": "rag", "name": "ingest"}},
            "errorMessage": {"message": "M", "programmingLanguage": "PYTHON"},
        },
        job_facets={
            "sourceCodeLocation": {"type": "git", "url": "https://g.example", "version": "8f02"},
            "jobType": {"processingType": "BATCH", "integration": "RAG", "jobType": "TASK"},
            "ownership": {"owners": [{"name": "team:ingest"}]},
        },
    )
    pipeline, engine = sorted(records(event, "component"), key=lambda one: one.key)[::-1]
    assert (pipeline.key, pipeline.fields["version"]) == ("ingest.chunk", "8f02")
    assert set(pipeline.attributes) == {"sourceCodeLocation", "jobType", "ownership"}
    assert (engine.key, engine.namespace) == ("chunker:cutter@0.4", "")
    assert engine.fields["config"] == {"chunkSize": 1200, "chunkOverlap": 100}
    run = records(event, "run")[0]
    assert [(ref.relation, ref.key, ref.digest) for ref in run.refs] == [
        ("component", "ingest.chunk", pipeline.content_digest),
        ("engine", "chunker:cutter@0.4", engine.content_digest),
    ]
    assert run.fields["parameters"] == {"mode": "full", "chunkSize": 1200, "chunkOverlap": 100}
    assert set(run.attributes) == {
        "processing_engine", "rag_chunking", "executionParameters", "parent", "errorMessage",
        "producer",
    }  # fmt: skip
    assert "status" not in run.fields
    timeless = records(event, "run")[1]
    assert (timeless.occurred_at, timeless.fields["status"]) == (None, "running")
    assert [(one.key, one.fields["agent_kind"]) for one in records(event, "agent")] == [
        ("team:ingest", "organization")
    ]


@pytest.mark.parametrize(
    ("job", "job_type", "kind"),
    [
        ("ingest.parse", "TASK", "parse"),
        ("nightly/Embedder", None, "embed"),
        ("dbt-run-shop", "MODEL", "pipeline"),
        ("step-3", "CHUNK", "chunk"),
        ("ingest.parse", "INDEX", "index"),
    ],
)
def test_what_a_run_does(job: str, job_type: str | None, kind: str) -> None:
    said = {"processingType": "BATCH", "integration": "RAG", "jobType": job_type}
    event = run_event(job=job, job_facets={"jobType": said} if job_type else None)
    merged: dict[str, Any] = {}
    for one in sorted(records(event, "run"), key=lambda one: one.occurred_at is not None):
        merged |= one.fields
    assert merged["run_kind"] == kind


def test_facets_of_a_dataset_stand_where_they_belong() -> None:
    schema = {"fields": [{"name": "id"}]}
    output = dataset("a", schema=schema, custom={"x": None})
    output["outputFacets"] = {"outputStatistics": facet(rowCount=3)}
    source = records(run_event(outputs=[output]), "source")[1]
    [version] = records(run_event(outputs=[output]), "source_version")
    assert dict(source.attributes) == {"schema": facet(**schema), "custom": facet(x=None)}
    assert dict(version.attributes) == {
        "schema": facet(**schema), "output:outputStatistics": facet(rowCount=3),
    }  # fmt: skip


def test_a_dataset_under_two_names_is_written_under_both() -> None:
    names = {"identifiers": [{"namespace": "hive://h", "name": "db.a", "type": "TABLE"}]}
    first, second = records(run_event(outputs=[dataset("a", symlinks=names)]), "source_version")
    assert (second.namespace, second.key) == ("hive://h", "db.a")
    assert second.content_digest == first.content_digest
    assert [(ref.relation, ref.key) for ref in second.refs] == [
        ("source", "db.a"),
        ("derived_from", "a"),
    ]


def test_a_dataset_changed_in_place_at_the_first_instant_of_the_calendar_is_read() -> None:
    """Clients write so that they know no time; nothing was before it."""
    zero = "0001-01-01T00:00:00Z"
    runs = records(run_event(at=zero, inputs=[dataset("a")], outputs=[dataset("a")]), "run")
    used = [each for each in runs if any(ref.relation == "used" for ref in each.refs)]
    assert [str(each.occurred_at) for each in used] == ["0001-01-01 00:00:00+00:00"]


def test_text_stays_out_of_attributes() -> None:
    event = dataset_event(**dataset(
        "a", rag_document={"text": "Secret words."},
        rag_chunks={"chunks": [{"id": "c", "text": "Secret words."}]},
    ))  # fmt: skip
    for made in read(event).made:
        assert "Secret" not in repr(dict(made.record.attributes)) + repr(dict(made.record.fields))


def test_a_change_is_known_by_the_run_that_made_it() -> None:
    change = {"lifecycleStateChange": "OVERWRITE"}
    output = [dataset("a", lifecycleStateChange=change)]
    told = [
        read(run_event("START", outputs=output)),
        read(run_event("COMPLETE", at="2026-03-01T10:09:00Z", outputs=output)),
    ]
    assert len({change.key for event in told for change in event.changes}) == 1
    assert read(run_event("ABORT", outputs=output)).changes == ()
    static = [
        read(dataset_event(f"2026-03-0{day}T00:00:00Z", **output[0])).changes[0].key
        for day in (1, 2)
    ]
    assert len(set(static)) == 2
