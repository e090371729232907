"""PROV over HTTP: documents in, statement by statement, and lineage out, in three formats."""

import json
from typing import Any

import pytest

from lineage.models import Node, Reference
from provexplorer.embedded.graph_server import GraphAddress
from provexplorer.workspaces.models import Workspace
from tests.api.caller import Caller, Reply, assert_problem, caller
from tests.api.world import answer, record, source

EX = "http://example.org/"
TYPES = {"json": "application/json", "turtle": "text/turtle", "jsonld": "application/ld+json"}

PIPELINE: dict[str, Any] = {
    "prefix": {"ex": EX},
    "entity": {
        "ex:report": {"prov:label": "Annual report"},
        "ex:table": {"ex:rows": {"$": "12", "type": "xsd:int"}},
    },
    "activity": {"ex:extract": {"prov:endTime": "2026-03-01T10:00:02Z"}},
    "agent": {"ex:ana": {"prov:type": {"$": "prov:Person", "type": "xsd:QName"}}},
    "wasGeneratedBy": {"_:g": {"prov:entity": "ex:table", "prov:activity": "ex:extract"}},
    "used": {"_:u": {"prov:activity": "ex:extract", "prov:entity": "ex:report"}},
    "wasDerivedFrom": {"_:d": {"prov:generatedEntity": "ex:table", "prov:usedEntity": "ex:report"}},
    "wasAttributedTo": {"_:a": {"prov:entity": "ex:report", "prov:agent": "ex:ana"}},
}


def send(api: Caller, document: object, media_type: str = "application/json") -> Reply:
    body = document if isinstance(document, bytes) else json.dumps(document).encode()
    return api.call("POST", "/api/v1/prov", body, media_type)


def fetch(api: Caller, uid: str, query: str = "") -> tuple[bytes, str]:
    response = api.client.get(
        f"/api/v1/nodes/{uid}/prov?{query}", headers={"Authorization": f"Bearer {api.key}"}
    )
    assert response.status_code == 200, response.content
    return response.content, response.headers["Content-Type"]


def uid_of(api: Caller, kind: str, key: str) -> str:
    uid: str = api.get(f"/resolve?kind={kind}&key={key}").body["items"][0]["uid"]
    return uid


def shape(workspace: Workspace) -> tuple[set[Any], set[Any]]:
    """Nodes and edges by what their clients call them: the same in any workspace."""
    nodes = Node.objects.filter(workspace=workspace)
    edges = Reference.objects.filter(workspace=workspace).exclude(edge="")
    ends = ("from_node__kind", "from_node__key", "to_node__kind", "to_node__key")
    return (
        {
            (*row, json.dumps(attributes, sort_keys=True))
            for *row, attributes in nodes.values_list(
                "kind",
                "namespace",
                "key",
                "digest",
                "resolved",
                "label",
                "occurred_at",
                "attributes",
            )
        },
        {
            (*row, json.dumps(properties, sort_keys=True))
            for *row, properties in edges.values_list("edge", *ends, "properties")
        },
    )


def uids_of(workspace: Workspace) -> set[str]:
    return set(Node.objects.filter(workspace=workspace).values_list("uid", flat=True))


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        (b"[1, 2]", None),
        (b'{"entity": []}', "/entity"),
        (b'{"bundle": {"b": 1}}', "/bundle/b"),
        (b'{"wasDerivedFrom": {"_:d": {"prov:usedEntity": "e1"}}}',
         "/wasDerivedFrom/_:d/prov:usedEntity"),
        (b'{"prefix": {"ex": "http://e/"}, "entity": {"ex:a": {}}, "notatype": {}}', "/notatype"),
    ],
)  # fmt: skip
def test_malformed_document_is_refused_whole(
    api: Caller, workspace: Workspace, graph_away: None, body: bytes, pointer: str | None
) -> None:
    assert_problem(send(api, body), "body-unreadable", 400, pointer)
    assert not Node.objects.filter(workspace=workspace).exists()


def test_other_types_are_refused(api: Caller) -> None:
    assert_problem(send(api, b"<x/>", "application/rdf+xml"), "media-type-unsupported", 415)


def test_key_without_the_format_is_refused(workspace: Workspace) -> None:
    assert send(caller(workspace, ["ingest:otlp"]), PIPELINE).status == 403


def test_statements_that_cannot_stand_together_are_refused_and_the_rest_is_stored(
    api: Caller, graph_away: None
) -> None:
    reply = send(
        api,
        {
            "prefix": {"ex": EX},
            "entity": {"ex:thing": {}, "ex:other": {}},
            "activity": {"ex:thing": {}},
        },
    )
    assert reply.status == 202
    assert [(o["key"], o["status"]) for o in reply.body["outcomes"]] == [
        (f"{EX}thing", "rejected"), (f"{EX}other", "accepted"), (f"{EX}thing", "rejected"),
    ]  # fmt: skip
    problem = reply.body["outcomes"][2]["problem"]
    assert problem["type"] == "/problems/prov-constraint"
    assert problem["pointer"] == "/activity/ex:thing"
    assert problem["detail"] == (
        f"Constraint 55: {EX}thing is said to be an entity and an activity. See /entity/ex:thing."
    )


def test_document_becomes_a_graph_and_comes_back_in_every_format(
    api: Caller, graph: GraphAddress
) -> None:
    reply = send(api, PIPELINE)
    assert reply.status == 200
    assert (reply.body["received"], reply.body["stored"]) == (8, 8)
    assert [o["kind"] for o in reply.body["outcomes"]] == [
        "source", "source", "run", "agent", "wasGeneratedBy", "used", "wasDerivedFrom",
        "wasAttributedTo",
    ]  # fmt: skip
    again = send(api, PIPELINE)
    assert (again.body["stored"], again.body["unchanged"]) == (0, 8)
    table = uid_of(api, "source", f"{EX}table")
    edges = {
        (edge["type"], edge["from"][:3], edge["to"][:3])
        for edge in api.get(f"/nodes/{table}/upstream").body["edges"]
    }
    assert edges == {
        ("WAS_GENERATED_BY", "src", "run"),
        ("WAS_DERIVED_FROM", "src", "src"),
        ("WAS_ATTRIBUTED_TO", "src", "agt"),
    }
    plain = json.loads(fetch(api, table, "plain=true")[0])
    assert plain["entity"]["ex:table"] == {"ex:rows": {"$": "12", "type": "xsd:int"}}
    assert plain.keys() == PIPELINE.keys()
    for form, media_type in TYPES.items():
        content, sent_as = fetch(api, table, f"format={form}")
        assert sent_as == media_type
        returned = send(api, content, sent_as)
        assert returned.status == 200
        assert returned.body["rejected"] == 0, returned.body
        assert uid_of(api, "source", f"{EX}table") == table


@pytest.mark.parametrize("form", TYPES)
def test_export_of_an_answer_has_the_same_shape_in_another_workspace(
    api: Caller, workspace: Workspace, graph: GraphAddress, form: str
) -> None:
    api.records(
        *source(),
        record("run", "r", run_kind="chunk", started_at="2026-03-01T10:00:00Z",
               used=[{"kind": "document", "key": "d"}], parameters={"size": 512, "overlap": 0.1}),
        record("chunk", "c3", document="d", interval={"start": 27, "end": 42}, run="r",
               attributes={"note": "a \\ \"b\"\n\tc", "ex:n": [1, {"x": None}]}),
        record("document", "d", source_version="s@1", acquisition="q1"),
        record("document", "d", source_version="s@1", acquisition="q2"),
        record("acquisition", "q1", source_version="s@1", http_status=200),
        record("acquisition", "q2", source_version="s@1", http_status=304),
        record("embedding", "e1", chunk="c1", model="m", dimensions=3),
        record("index_snapshot", "i", collection="docs", embeddings=["e1"]),
        record("retrieval", "a-ret", index_snapshot="i", query="What is alpha?",
               candidates=[{"chunk": "c1", "rank": 1, "score": 1e-7}, {"chunk": "c3", "rank": 2}]),
        *answer()[1:],
    )  # fmt: skip
    uid = uid_of(api, "answer", "a")
    before, uids = shape(workspace), uids_of(workspace)
    content, media_type = fetch(api, uid, f"format={form}")
    again = send(api, content, media_type)
    assert again.status == 200
    assert again.body["rejected"] == 0, [o for o in again.body["outcomes"] if o["problem"]]
    assert (shape(workspace), uids_of(workspace)) == (before, uids)
    other = Workspace.objects.create(slug=f"{workspace.slug}-2", name="second")
    sent = send(caller(other), content, media_type)
    assert sent.body["rejected"] == 0
    assert shape(other) == before


def test_hidden_nodes_keep_their_shape_alone(
    api: Caller, workspace: Workspace, graph: GraphAddress
) -> None:
    api.records(*source(), record("source_version", "s@1", source="s", version="9", acl=["board"]))
    uid = uid_of(api, "chunk", "c1")
    reader = caller(workspace, ["read"])
    content, _ = fetch(reader, uid)
    document = json.loads(content)
    told = {name: entity for name, entity in document["entity"].items() if uid in name}
    assert [sorted(entity) for entity in told.values()] == [
        ["prov:type", "pvx:hidden", "pvx:kind", "pvx:state", "pvx:uid"]
    ]
    for word in (b"Alpha", b"Handbook", b"s@1", b"c1"):
        assert word not in content
    assert {"wasDerivedFrom", "specializationOf"} <= document.keys()
    # What is hidden cannot be stored from it either, and nothing is refused.
    returned = send(api, content)
    assert returned.status == 200
    assert returned.body["rejected"] == 0


def test_export_is_bounded_and_says_so(api: Caller, graph: GraphAddress) -> None:
    api.records(*source(), *answer())
    uid = uid_of(api, "answer", "a")
    response = api.client.get(
        f"/api/v1/nodes/{uid}/prov?depth=1", headers={"Authorization": f"Bearer {api.key}"}
    )
    assert response.headers["Provexplorer-Truncated"] == "true"
    entities = json.loads(response.content)["entity"]
    assert sorted(e["pvx:kind"] for e in entities.values()) == ["answer", "claim", "context"]
    assert [e["pvx:truncated"] for e in entities.values() if "pvx:truncated" in e] == [True]


@pytest.mark.parametrize("query", ["direction=sideways", "format=xml", "depth=0"])
def test_parameters_are_checked(api: Caller, graph_away: None, query: str) -> None:
    api.records(*source())
    uid = uid_of(api, "chunk", "c1")
    assert_problem(api.get(f"/nodes/{uid}/prov?{query}"), "invalid-request", 422)


def test_foreign_nodes_are_unknown(api: Caller, graph_away: None) -> None:
    assert_problem(api.get(f"/nodes/src_{'a' * 26}/prov"), "not-found", 404)


def test_trustgraph_s_documents_are_read_as_such_and_nothing_beside_them_is_lost(
    api: Caller, workspace: Workspace, graph_away: None
) -> None:
    tg = "https://trustgraph.ai/ns/"
    reply = send(
        api,
        PIPELINE
        | {
            "prefix": {"ex": EX, "tg": tg, "urn": "urn:"},
            "entity": {
                "urn:report": {"prov:type": {"$": "tg:Document", "type": "xsd:QName"}},
                "urn:chunk:1": {"prov:type": {"$": "tg:Chunk", "type": "xsd:QName"}},
            },
            "used": {"_:u": {"prov:activity": "ex:extract", "prov:entity": "urn:report"}},
            "wasGeneratedBy": {},
            "wasDerivedFrom": {
                "_:d": {"prov:generatedEntity": "urn:chunk:1", "prov:usedEntity": "urn:report"}
            },
            "wasAttributedTo": {},
        },
    )
    assert reply.status == 202
    assert reply.body["rejected"] == 0
    kinds = Node.objects.filter(workspace=workspace, resolved=True).values_list("kind", "key")
    assert set(kinds) == {
        ("source", "urn:report"), ("source_version", "urn:report"), ("document", "urn:report"),
        ("chunk", "urn:chunk:1"), ("run", f"{EX}extract"), ("agent", f"{EX}ana"),
    }  # fmt: skip
    used = Reference.objects.get(workspace=workspace, edge="USED")
    assert used.to_node is not None
    assert (used.to_node.kind, used.to_node.key) == ("document", "urn:report")


def test_what_cannot_be_read_beside_trustgraph_s_words_is_told(
    api: Caller, graph_away: None
) -> None:
    turtle = f"""@prefix prov: <http://www.w3.org/ns/prov#> . @prefix ex: <{EX}> .
    @prefix tg: <https://trustgraph.ai/ns/> . ex:d a tg:Document ; ex:said "of nothing" .
    ex:known ex:by "TrustGraph" . ex:run a prov:Activity ; prov:startedAtTime "yesterday" ."""
    outcomes = send(api, turtle.encode(), "text/turtle").body["outcomes"]
    refused = [one for one in outcomes if one["status"] == "rejected"]
    assert [(one["index"], one["kind"], one["key"]) for one in refused] == [
        (len(outcomes) - 1, "activity", f"{EX}run")
    ]
    assert refused[0]["problem"]["type"] == "/problems/time-unreadable"
    assert refused[0]["problem"]["pointer"] == f"{EX}run prov:startedAtTime"


def test_what_was_retracted_is_exported_as_invalidated(api: Caller, graph: GraphAddress) -> None:
    api.records(*source(), *answer())
    version = uid_of(api, "source_version", "s@1")
    case = api.post("/cases", {"kind": "retraction", "targets": [{"uid": version}]}).body["uid"]
    api.post(f"/cases/{case}/dry-run")
    assert api.post(f"/cases/{case}/approve").status == 200
    content, media_type = fetch(api, uid_of(api, "chunk", "c1"))
    document = json.loads(content)
    (invalidation,) = document["wasInvalidatedBy"].values()
    assert invalidation["prov:entity"] == f"node:{version}"
    assert invalidation["prov:activity"] == f"node:{case}"
    assert "prov:time" in invalidation
    assert document["activity"][f"node:{case}"]["pvx:case_kind"] == "retraction"
    states = {one["pvx:uid"]: one["pvx:state"] for one in document["entity"].values()}
    assert states[version] == "withdrawn"
    # A case is a decision taken here: an export does not take it anywhere.
    returned = send(api, content, media_type)
    assert returned.body["rejected"] == 0
    assert api.get(f"/cases/{case}").status == 200
