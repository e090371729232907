"""POST /lineage and /lineage/batch from outside: what OpenLineage's own clients and files meet."""

import gzip
import json
from typing import Any

import pytest

from lineage.models import Case, Node, Reference
from provexplorer.workspaces.models import Workspace
from tests.api.caller import Caller, assert_problem, caller
from tests.api.world import answer
from tests.formats.openlineage_events import (
    OTHER_RUN,
    RUN,
    dataset,
    dataset_event,
    facet,
    run_event,
)

pytestmark = pytest.mark.one_pair

OWNER_NAME = "/outputs/0/facets/ownership/owners/0/name"


def sent(api: Caller, *events: Any) -> dict[str, Any]:
    reply = api.post("/lineage/batch", list(events))
    assert reply.status == 200, reply
    body: dict[str, Any] = reply.body
    return body


def derivations(workspace: Workspace) -> set[tuple[str, str]]:
    """(made, made from) by key, of versions."""
    return {
        (row.from_node.key, row.to_node.key)
        for row in Reference.objects.filter(
            workspace=workspace, edge="WAS_DERIVED_FROM", from_node__kind="source_version"
        ).select_related("from_node", "to_node")
        if row.from_node and row.to_node
    }


@pytest.mark.parametrize(
    ("body", "headers", "slug", "status"),
    [
        (b"{", {}, "body-unreadable", 400),
        (b"{}", {"content_type": "text/plain"}, "media-type-unsupported", 415),
        (b"{}", {"content_type": "application/x-ndjson"}, "media-type-unsupported", 415),
        (b"x", {"Content-Encoding": "gzip"}, "body-unreadable", 400),
        (gzip.compress(b" " * (80 << 20), 1), {"Content-Encoding": "gzip"}, "body-too-large", 413),
    ],
    ids=lambda value: str(value)[:24],
)
@pytest.mark.parametrize("path", ["/api/v1/lineage", "/api/v1/lineage/batch"])
def test_a_body_that_is_unusable_as_a_whole(
    api: Caller, path: str, body: bytes, headers: dict[str, str], slug: str, status: int
) -> None:
    assert_problem(api.call("POST", path, body, **headers), slug, status)


def test_an_event_needs_a_key_that_may_ingest(workspace: Workspace) -> None:
    assert_problem(Caller().post("/lineage", run_event()), "key-required", 401)
    assert_problem(caller(workspace, ["read"]).post("/lineage", run_event()), "scope-missing", 403)


def test_a_refused_event_tells_where(api: Caller) -> None:
    event = run_event(outputs=[dataset("a"), dataset("b", ownership={"owners": [{"type": "x"}]})])
    assert_problem(
        api.post("/lineage", event),
        "field-missing", 422, "/outputs/1/facets/ownership/owners/0/name",
    )  # fmt: skip
    assert Node.objects.count() == 0


def test_one_bad_event_loses_no_other(graph: object, api: Caller, workspace: Workspace) -> None:
    no_run = run_event()
    del no_run["run"]["runId"]
    body = sent(api, run_event(outputs=[dataset("a")]), no_run, "event", run_event())
    assert body["status"] == "partial_success"
    assert body["summary"] == {
        "received": 4, "successful": 2, "failed": 2, "retriable": 0, "non_retriable": 2,
    }  # fmt: skip
    assert [
        (each["index"], each["pointer"], each["retriable"]) for each in body["failed_events"]
    ] == [
        (1, "/1/run/runId", False),
        (2, "/2", False),
    ]
    assert Node.objects.filter(workspace=workspace, kind="run").count() == 1


@pytest.mark.parametrize("encoding", ["", "gzip"])
@pytest.mark.parametrize("before", [b"", b"\xef\xbb\xbf", b" \r\n\t"], ids=["", "mark", "space"])
def test_a_list_of_one_event_is_answered_as_a_batch(
    graph_away: None, api: Caller, before: bytes, encoding: str
) -> None:
    refused = run_event(outputs=[dataset("a", ownership={"owners": [{"type": "x"}]})])
    # Of a refused event the graph has nothing to learn.
    for event, status, failed in (
        (run_event(), 202, []),
        (refused, 200, [f"/0{OWNER_NAME}"]),
    ):
        body = before + json.dumps([event]).encode()
        data, headers = (
            (gzip.compress(body), {"Content-Encoding": "gzip"}) if encoding else (body, {})
        )
        reply = api.call("POST", "/api/v1/lineage", data, **headers)
        assert reply.status == status
        assert reply.body["summary"]["received"] == 1
        assert [each["pointer"] for each in reply.body["failed_events"]] == failed
    assert api.post("/lineage", []).body["summary"]["received"] == 0


def test_one_event_sent_as_a_batch_is_pointed_into_where_it_stands(
    graph_away: None, api: Caller
) -> None:
    refused = run_event(outputs=[dataset("a", ownership={"owners": [{"type": "x"}]})])
    (failed,) = api.post("/lineage/batch", refused).body["failed_events"]
    assert failed["pointer"] == OWNER_NAME
    naive = run_event(at="2026-03-01T10:00:00")
    (told,) = api.post("/lineage/batch", naive).body["warnings"]
    assert (told["index"], told["pointer"]) == (0, "/eventTime")


def test_while_the_graph_is_away_events_are_accepted(
    graph_away: None, api: Caller, workspace: Workspace
) -> None:
    reply = api.post("/lineage", run_event(inputs=[dataset("a")]))
    assert (reply.status, reply.body["status"], reply.body["kind"]) == (202, "accepted", "run")
    assert Node.objects.filter(workspace=workspace, kind="source").count() == 1
    assert api.post("/lineage/batch", [run_event(outputs=[dataset("b")])]).status == 202


def test_a_late_and_a_repeated_start_leave_a_completed_run_completed(
    graph: object, api: Caller
) -> None:
    """MarquezProject/marquez#2264: a run's state followed the order of arrival."""
    start = run_event("START", inputs=[dataset("doc_v1")])
    complete = run_event("COMPLETE", at="2026-03-01T10:05:00Z", outputs=[dataset("chunks_v1")])
    for event in (complete, start, start, run_event("RUNNING", at="2026-03-01T10:06:00Z")):
        reply = api.post("/lineage", event)
        assert (reply.status, reply.body["warnings"]) == (200, [])
    assert api.post("/lineage", start).body["status"] == "unchanged"
    run = api.get(f"/nodes/{reply.body['uid']}").body
    fields = run["fields"]
    assert (fields["status"], fields["started_at"], fields["ended_at"], fields["run_kind"]) == (
        "completed", "2026-03-01T10:00:00Z", "2026-03-01T10:05:00Z", "parse",
    )  # fmt: skip
    assert [each["key"] for each in fields["used"]] == ["doc_v1"]
    assert derivations(Workspace.objects.get()) == {("chunks_v1", "doc_v1")}


def test_a_run_id_that_two_jobs_bear_names_two_runs(
    graph: object, api: Caller, workspace: Workspace
) -> None:
    """MarquezProject/marquez#2519: one id for two jobs joined what has nothing in common."""
    first = run_event(job="etl_menus", outputs=[dataset("menus")])
    second = run_event(job="my-job", inputs=[dataset("my-in")], outputs=[dataset("my-out")])
    assert api.post("/lineage", first).body["warnings"] == []
    warnings = api.post("/lineage", second).body["warnings"]
    assert [(each["code"], each["pointer"]) for each in warnings] == [
        ("run_id_reused", "/run/runId")
    ]
    assert derivations(workspace) == {("my-out", "my-in")}
    source = Node.objects.get(workspace=workspace, kind="source", key="my-in")
    reached = api.get(f"/nodes/{source.uid}/downstream").body["nodes"]
    assert "my-out" in {each["key"] for each in reached}
    assert "menus" not in {each["key"] for each in reached}


def test_names_of_any_length_are_kept(graph: object, api: Caller, workspace: Workspace) -> None:
    """MarquezProject/marquez#1758, #2120: names of more than 64 characters gave a 500."""
    path = "s3://bucket" + "/deep" * 300 + "/file.pdf"
    event = run_event(job="j" * 2_000, inputs=[dataset(path, "n" * 300)])
    event["job"]["namespace"] = "n" * 300
    reply = api.post("/lineage", event)
    assert (reply.status, reply.body["status"]) == (200, "stored")
    job = Node.objects.get(workspace=workspace, kind="component")
    source = Node.objects.get(workspace=workspace, kind="source")
    assert api.get(f"/nodes/{job.uid}").body["fields"]["name"] == "j" * 2_000
    assert api.get(f"/nodes/{source.uid}").body["fields"]["title"] == path


def test_what_a_run_wrote_depends_on_no_more_than_its_facets_say(
    graph: object, api: Caller, workspace: Workspace
) -> None:
    """Two inputs, three outputs: without facets none derives from any; by them each from its own."""
    columns = {"text": {"inputFields": [{"namespace": "s3://corpus", "name": "a", "field": "t"}]}}
    explicit = {"inputs": [{"namespace": "s3://corpus", "name": "b", "type": "DATASET"}]}
    sent(
        api,
        run_event(
            inputs=[dataset("a", version={"datasetVersion": "7"}), dataset("b")],
            outputs=[
                dataset("of-a", columnLineage={"fields": columns}),
                dataset("of-b", lineage=explicit),
                dataset("of-job"),
                dataset("of-any"),
            ],
            job_facets={
                "lineage": {
                    "entries": [
                        {
                            "type": "DATASET",
                            "namespace": "s3://corpus",
                            "name": "of-job",
                            **explicit,
                        }
                    ]
                }
            },
        ),
    )
    assert derivations(workspace) == {("of-a", "a"), ("of-b", "b"), ("of-job", "b")}


def test_what_is_read_without_a_version_is_the_last_state_before(
    graph: object, api: Caller, workspace: Workspace
) -> None:
    """Written twice, read in between: the reader rests on the first writer's source alone."""

    def moved(run: str, at: str, source: str, target: str) -> dict[str, Any]:
        event = run_event(at=at, run=run, inputs=[dataset(source)], outputs=[dataset(target)])
        event["job"]["name"] = f"{source} to {target}"
        return event

    sent(
        api,
        moved(OTHER_RUN, "2026-03-03T00:00:00Z", "b", "table"),
        moved(RUN, "2026-03-02T00:00:00Z", "table", "report"),
        moved(OTHER_RUN, "2026-03-01T00:00:00Z", "a", "table"),
    )
    source = Node.objects.get(workspace=workspace, kind="source", key="a").uid
    other = Node.objects.get(workspace=workspace, kind="source", key="b").uid

    def reaches(uid: str) -> set[str]:
        nodes = api.get(f"/nodes/{uid}/downstream").body["nodes"]
        return {each["key"] for each in nodes if each["kind"] == "source_version"}

    assert reaches(source) == {"a", "table", "report"}
    assert reaches(other) == {"b", "table"}


def test_a_dataset_changed_in_place_is_two_states(
    graph: object, api: Caller, workspace: Workspace
) -> None:
    body = sent(
        api,
        run_event(at="2026-03-01T00:00:00Z", run=OTHER_RUN, outputs=[dataset("chunks")]),
        run_event(job="dedupe", inputs=[dataset("chunks")], outputs=[dataset("chunks")]),
    )
    assert body["warnings"] == []
    states = Node.objects.filter(workspace=workspace, kind="source_version").order_by("occurred_at")
    edges = Reference.objects.filter(workspace=workspace, relation="computed.run")
    assert states.count() == 2
    assert [(row.from_node_id, row.to_node_id) for row in edges] == [(states[1].pk, states[0].pk)]


def test_a_dataset_that_its_run_reads_and_writes_leads_to_no_endless_walk(
    graph: object, api: Caller, workspace: Workspace
) -> None:
    """datahub-project/datahub#2954: a dataset in inputs and outputs broke the view."""
    sent(api, run_event(job="dedupe", inputs=[dataset("chunks")], outputs=[dataset("chunks")]))
    state = Node.objects.get(workspace=workspace, kind="source_version")
    run = Node.objects.get(workspace=workspace, kind="run")
    edges = Reference.objects.filter(workspace=workspace, edge__in=("USED", "WAS_GENERATED_BY"))
    assert sorted(edges.values_list("edge", "from_node", "to_node")) == [
        ("USED", run.pk, state.pk),
        ("WAS_GENERATED_BY", state.pk, run.pk),
    ]
    nodes = api.get(f"/nodes/{state.uid}/upstream").body["nodes"]
    assert len({each["uid"] for each in nodes}) == len(nodes)


def test_facets_are_kept_and_replaced_one_by_one(graph: object, api: Caller) -> None:
    first = dataset("a", custom_thing={"x": [None, 1]}, ownership={"owners": [{"name": "team:x"}]})
    second = dataset("a", custom_thing={"y": 2}, documentation={"description": "D"})
    third = dataset("a", documentation={"_deleted": True, "description": "D"})
    for day, named in ((3, second), (1, first), (5, third)):
        reply = api.post("/lineage", dataset_event(f"2026-03-0{day}T00:00:00Z", **named))
        assert (reply.status, reply.body["kind"]) == (200, "source")
    node = api.get(f"/nodes/{reply.body['uid']}").body
    attributes = node["attributes"]
    assert attributes["custom_thing"] == facet(y=2)
    assert attributes["documentation"] is None
    assert attributes["ownership"] == facet(owners=[{"name": "team:x"}])
    creator = node["fields"]["creators"][0]
    assert (creator["role"], creator["agent"]["key"]) == ("creator", "team:x")
    assert (node["fields"]["title"], node["fields"]["uri"]) == ("a", "s3://corpus/a")


def test_a_naive_time_is_utc_and_told(graph: object, api: Caller) -> None:
    """OpenLineage/OpenLineage#2858: FAIL events had no offset where others had one."""
    reply = api.post("/lineage", run_event("FAIL", at="2024-07-02T12:23:22.829392"))
    assert [(each["code"], each["pointer"]) for each in reply.body["warnings"]] == [
        ("time_without_zone", "/eventTime")
    ]
    fields = api.get(f"/nodes/{reply.body['uid']}").body["fields"]
    assert (fields["status"], fields["ended_at"]) == ("failed", "2024-07-02T12:23:22.829392Z")


def test_a_drop_drafts_one_case_however_often_it_is_told(
    graph: object, api: Caller, workspace: Workspace
) -> None:
    drop = dataset_event(**dataset("a.pdf", lifecycleStateChange={"lifecycleStateChange": "DROP"}))
    for _ in range(2):
        warnings = api.post("/lineage", drop).body["warnings"]
        assert [each["code"] for each in warnings] == ["case_drafted"]
    case = Case.objects.get(workspace=workspace)
    assert (case.kind, case.state) == ("revocation", "draft")
    assert [(t.node.kind, t.node.key) for t in case.targets.select_related("node")] == [
        ("source", "a.pdf")
    ]
    assert api.get(f"/cases/{case.uid}").body["state"] == "draft"


def test_a_dropped_collection_questions_every_build_of_it(
    graph: object, api: Caller, workspace: Workspace
) -> None:
    def build(version: str, day: int, run: str) -> dict[str, Any]:
        named = dataset("rag.chunks", "milvus://v:19530", version={"datasetVersion": version})
        return run_event(at=f"2026-03-0{day}T00:00:00Z", run=run, outputs=[named])

    change = {"lifecycleStateChange": "DROP"}
    drop = dataset_event(
        "2026-03-03T00:00:00Z",
        **dataset("rag.chunks", "milvus://v:19530", lifecycleStateChange=change),
    )
    sent(api, build("1", 1, RUN), build("2", 2, OTHER_RUN), build("3", 4, RUN), drop)
    case = Case.objects.get(workspace=workspace)
    assert sorted(case.targets.values_list("node__key", flat=True)) == [
        "rag.chunks@1", "rag.chunks@2",
    ]  # fmt: skip


def test_an_overwrite_supersedes_what_was_there_before(
    graph: object, api: Caller, workspace: Workspace
) -> None:
    change = {"lifecycleStateChange": "OVERWRITE"}
    again = [dataset("table", lifecycleStateChange=change)]
    # The first of all supersedes nothing; what failed has not happened.
    sent(api, run_event(run=OTHER_RUN, outputs=again))
    sent(api, run_event("FAIL", at="2026-03-02T00:00:00Z", outputs=again))
    assert Case.objects.count() == 0
    sent(api, run_event("COMPLETE", at="2026-03-02T00:00:01Z", outputs=again))
    case = Case.objects.get(workspace=workspace)
    target = case.targets.select_related("node").get().node
    assert (case.kind, target.kind) == ("supersession", "source_version")
    assert target.occurred_at is not None
    assert target.occurred_at.isoformat() == "2026-03-01T10:00:00+00:00"


def test_a_renamed_dataset_is_made_from_what_it_was(
    graph: object, api: Caller, workspace: Workspace
) -> None:
    change = {
        "lifecycleStateChange": "RENAME",
        "previousIdentifier": {"namespace": "s3://corpus", "name": "old"},
    }
    sent(
        api,
        run_event(inputs=[dataset("a")], outputs=[dataset("old")]),
        dataset_event(**dataset("new", lifecycleStateChange=change)),
    )
    assert derivations(workspace) == {("old", "a"), ("new", "old")}
    assert Case.objects.count() == 0


def test_the_whole_chain_arises_from_events_alone(
    graph: object, api: Caller, workspace: Workspace
) -> None:
    """A page is fetched, parsed, cut, embedded and indexed; an answer that cites the chunk rests on it."""
    web, files = "https://example.org", "file"
    page = dataset(
        "/handbook?page=1", web,
        rag_source={"title": "Handbook", "license": "CC-BY-4.0", "creators": [{"name": "A. Uthor"}]},
        version={"datasetVersion": "3"},
    )  # fmt: skip
    text = dataset(
        "/text/handbook.txt", files,
        rag_document={
            "text": "Alpha is one. Beta is two.",
            "origin": {"namespace": web, "name": "/handbook?page=1", "datasetVersion": "3"},
            "parts": [{"id": "p1", "kind": "page", "start": 0, "end": 26, "pageLabel": "i"}],
        },
    )  # fmt: skip
    collection = dataset(
        "rag.chunks", "milvus://vectors:19530",
        version={"datasetVersion": "42"},
        rag_chunks={
            "document": {"namespace": files, "name": "/text/handbook.txt"},
            "chunks": [
                {"id": "c1", "start": 0, "end": 13, "index": 0, "part": "p1"},
                {"id": "c2", "start": 14, "end": 26, "index": 1},
            ],
        },
        rag_embeddings={"model": "minilm", "dimensions": 384, "embeddings": [{"chunkId": "c1"}]},
        rag_index={"embedder": {"name": "minilm", "version": "2"}, "retrieverKind": "dense"},
    )  # fmt: skip
    engine = {
        "processing_engine": {"name": "cutter", "version": "0.4"},
        "rag_chunking": {"chunkSize": 13},
    }
    body = sent(
        api,
        run_event(
            run=OTHER_RUN,
            job="ingest.index",
            inputs=[text],
            outputs=[collection],
            run_facets=engine,
        ),
        run_event(inputs=[page], outputs=[text]),
    )
    assert (body["status"], body["warnings"]) == ("success", [])
    chunk = Node.objects.get(workspace=workspace, kind="chunk", key="c1")
    assert (chunk.namespace, chunk.anchor) == ("rag.chunks", "exact")
    upstream = api.get(f"/nodes/{chunk.uid}/upstream").body["nodes"]
    assert {(each["kind"], each["label"]) for each in upstream} >= {
        ("source", "Handbook"), ("source_version", "3"), ("part", "i"), ("run", "parse"),
        ("run", "index"), ("component", "ingest.parse unstated"), ("component", "cutter 0.4"),
        ("agent", "A. Uthor"),
    }  # fmt: skip
    snapshot = Node.objects.get(workspace=workspace, kind="index_snapshot")
    assert (snapshot.key, snapshot.namespace) == ("rag.chunks@42", "rag.chunks")
    members = Reference.objects.filter(from_node=snapshot, edge="HAD_MEMBER")
    assert sorted(members.values_list("to_node__kind", "to_node__key")) == [
        ("chunk", "c1"), ("chunk", "c2"), ("embedding", "c1"),
    ]  # fmt: skip
    # A trace names the collection's chunks and the snapshot by the same words.
    retrieval, *rest = answer("q")
    retrieval["index_snapshot"] = {"key": "rag.chunks@42", "namespace": "rag.chunks"}
    outcomes = api.records(*({**each, "namespace": "rag.chunks"} for each in (retrieval, *rest)))
    assert {warned["code"] for each in outcomes for warned in each["warnings"]} == set()
    source = Node.objects.get(workspace=workspace, kind="source", label="Handbook")
    impact = api.get(f"/nodes/{source.uid}/impact").body
    assert [(each["key"], each["grade"]) for each in impact["items"]] == [("q", "cited")]


def test_our_schemas_are_published(api: Caller) -> None:
    reply = Caller().get("/lineage/schemas/1-0-0/RagChunksDatasetFacet.json")
    assert reply.status == 200
    assert reply.headers["Content-Type"] == "application/schema+json"
    assert reply.body["$id"].endswith("/api/v1/lineage/schemas/1-0-0/RagChunksDatasetFacet.json")
    assert set(reply.body["properties"]) == {"rag_chunks"}
    for name in ("1-0-0/Nothing", "2-0-0/RagChunksDatasetFacet", "..%2F1-0-0/x"):
        assert Caller().get(f"/lineage/schemas/{name}.json").status == 404
