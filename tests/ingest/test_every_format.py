"""One history told in every format ends in the same graph, whatever the order, split and repetition."""

import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lineage.inbox.receive import receive
from lineage.models import InboxPayload, Node, Reference, RestsOn
from provexplorer.workspaces.models import Workspace
from tests.formats.openinference_traces import TRACE_ID, documents, span, span_id
from tests.formats.openlineage_events import OTHER_RUN, dataset, facet, run_event
from tests.formats.trustgraph_example import ASKED, EXTRACTED
from tests.ingest.sending import record, standing_graph
from tests.traces.world import fresh, send

pytestmark = pytest.mark.django_db(databases=["default", "keys"])

TEXT = "Alpha is one. Beta is two."
EX = "https://example.org/"
REPORT = f"{EX}report"
TURTLE = """
@prefix prov: <http://www.w3.org/ns/prov#> .
@prefix ex: <https://example.org/> .
ex:digest a prov:Entity ; prov:wasDerivedFrom ex:handbook ; prov:wasGeneratedBy ex:summing .
ex:summing a prov:Activity ; prov:used ex:handbook ; prov:wasAssociatedWith ex:office .
"""
# Has the names of the document before it; but what only the bundle declares is its own.
BUNDLE = {
    "prefix": {"ex": "https://example.org/"},
    "entity": {"ex:account": {"prov:type": {"$": "prov:Bundle", "type": "xsd:QName"}}},
    "bundle": {
        "ex:account": {
            "prefix": {"ex": "https://example.org/"},
            "entity": {"ex:note": {"prov:label": "Note"}, "ex:digest": {}},
            "wasDerivedFrom": {
                "_:1": {"prov:generatedEntity": "ex:note", "prov:usedEntity": "ex:digest"}
            },
        }
    },
}
PAGE = dataset("/handbook", "https://example.org")
FILE = dataset("/text/handbook.txt", "file")


def openlineage(event: dict[str, Any]) -> Callable[[Workspace], None]:
    return _sender("openlineage", "application/json", event)


def native(*records: dict[str, Any]) -> Callable[[Workspace], None]:
    return _sender("native", "application/json", {"records": records})


def prov(
    document: dict[str, Any] | str, media_type: str = "application/json"
) -> Callable[[Workspace], None]:
    return _sender("prov", media_type, document)


def otlp(*spans: Any) -> Callable[[Workspace], None]:
    def sent(workspace: Workspace) -> None:
        send(workspace, *spans)

    return sent


def _sender(format_name: str, media_type: str, body: Any) -> Callable[[Workspace], None]:
    data = (body if isinstance(body, str) else json.dumps(body)).encode()

    def sent(workspace: Workspace) -> None:
        receive(workspace, format=format_name, body=data, media_type=media_type)

    return sent


def history() -> list[Callable[[Workspace], None]]:
    """A page parsed, cut and indexed (OpenLineage), asked for (OTLP), licensed and credited (native, PROV).

    Beside it what was made of it by PROV alone, in Turtle and in a bundle, and a report that
    TrustGraph took apart and was asked about.
    """
    parsed = FILE | {"facets": {"rag_document": facet(text=TEXT)}}
    indexed = dataset(
        "rag.chunks",
        "milvus://vectors.example.org:19530",
        version={"datasetVersion": "42"},
        rag_chunks={
            "document": {"namespace": "file", "name": "/text/handbook.txt"},
            "chunks": [
                {"id": "c1", "start": 0, "end": 13},
                {"id": "c2", "start": 14, "end": 26},
            ],
        },
    )
    found = documents("retrieval.documents", {"id": "c1", "content": TEXT[:13]}, {"id": "c2"})
    return [
        openlineage(run_event("START", job="parse", inputs=[PAGE])),
        openlineage(run_event("COMPLETE", job="parse", outputs=[parsed])),
        openlineage(
            run_event(
                at="2026-03-01T10:10:00Z",
                run=OTHER_RUN,
                job="index",
                inputs=[FILE],
                outputs=[indexed],
            )
        ),
        otlp(span(2, "RETRIEVER", parent=1, at=1, lasts=1, gen_ai__data_source__id="rag.chunks@42", **found)),
        otlp(span(3, "LLM", parent=1, at=3, lasts=1, output__value="It is one. [1]", llm__model_name="m")),
        otlp(span(1, "CHAIN", at=0, lasts=9, input__value="Which?")),
        native(
            record("source", "/handbook", namespace="https://example.org", title="Handbook"),
            record("agent", "office", name="The office", agent_kind="organization"),
        ),
        native(record("claim", "reading", answer={"uid": "ans_unknown"}, text="one")),
        prov(
            {
                "prefix": {"ex": "https://example.org/"},
                "entity": {"ex:handbook": {"prov:label": "Handbook"}},
                "agent": {"ex:office": {"prov:type": {"$": "prov:Organization", "type": "xsd:QName"}}},
                "wasAttributedTo": {"_:1": {"prov:entity": "ex:handbook", "prov:agent": "ex:office"}},
            }
        ),
        prov(TURTLE, "text/turtle"),
        prov(BUNDLE),
        prov(EXTRACTED, "text/turtle"),
        prov(ASKED.replace("ex:beta ex:knows ex:alpha", 'ex:beta ex:says "a >> b"@en'), "text/turtle"),
    ]  # fmt: skip


def ended(workspace: Workspace) -> Any:
    states = InboxPayload.objects.filter(workspace=workspace).values_list("state", flat=True)
    assert set(states) <= {"applied", "partly_applied"}, states
    found = standing_graph(workspace)
    InboxPayload.objects.filter(workspace=workspace).delete()
    Node.objects.filter(workspace=workspace).delete()
    workspace.delete()
    return found


def test_the_history_is_one_chain_from_the_page_to_the_answer() -> None:
    workspace = fresh()
    for send_one in history():
        send_one(workspace)
    nodes = Node.objects.filter(workspace=workspace)
    answer = nodes.get(kind="answer", key=f"{TRACE_ID}:{span_id(3)}")
    page = nodes.get(kind="source", key="/handbook")
    assert page.label == "Handbook"
    assert RestsOn.objects.filter(answer=answer, target=page).exists()
    snapshot = nodes.get(kind="index_snapshot", key="rag.chunks@42")
    assert RestsOn.objects.filter(answer=answer, target=snapshot).exists()
    chunks = nodes.filter(kind="chunk", namespace="rag.chunks")
    assert sorted(chunks.values_list("key", "start")) == [("c1", 0), ("c2", 14)]


def test_beside_it_stand_what_prov_and_trustgraph_told() -> None:
    workspace = fresh()
    for send_one in history():
        send_one(workspace)
    nodes = Node.objects.filter(workspace=workspace)
    derived = Reference.objects.filter(workspace=workspace, edge="WAS_DERIVED_FROM")
    ends = derived.filter(from_node__key__startswith=EX).values_list(
        "from_node__namespace", "from_node__key", "to_node__namespace", "to_node__key"
    )
    bundle = f"{EX}account"
    assert set(ends) == {
        ("", f"{EX}digest", "", f"{EX}handbook"),
        (bundle, f"{EX}note", bundle, f"{EX}digest"),
        ("", REPORT, "", REPORT),
    }
    # Of the facts that were chosen one is told by two chunks: nobody has said which; the other leads on.
    asked = nodes.get(kind="answer", key="urn:trustgraph:prov:synthesis:s")
    reached = RestsOn.objects.filter(answer=asked, target__key__in=("urn:chunk:1", REPORT))
    assert {row.target.key for row in reached} == {"urn:chunk:1", REPORT}
    assert nodes.filter(kind="fact", resolved=False).count() == 1


@given(chance=st.randoms(use_true_random=False))
@settings(
    max_examples=settings().max_examples // 5,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_any_order_and_repetition_over_all_formats_ends_in_the_same_graph(
    db: None, chance: random.Random
) -> None:
    workspace = fresh()
    for send_one in history():
        send_one(workspace)
    expected = ended(workspace)
    sent = [*history(), *chance.sample(history(), 3)]
    chance.shuffle(sent)
    workspace = fresh()
    for send_one in sent:
        send_one(workspace)
    assert ended(workspace) == expected
