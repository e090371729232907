"""Every text of an erased source is known again in every format, however it is spaced, cased and composed."""

import json
import unicodedata
from collections.abc import Callable
from typing import Any

import pytest

from lineage.content.keys import keys_of
from lineage.content.passages import field_text
from lineage.erasure.begin import begin
from lineage.erasure.owned_texts import texts_under
from lineage.inbox.keeping import body_of
from lineage.inbox.receive import receive
from lineage.models import Case, InboxPayload, Node, Sighting
from provexplorer.workspaces.models import Workspace
from tests.cases.world import answer, approved, node, record, send, work
from tests.erasure.payloads import retrieval_of, run_of
from tests.erasure.world import AT, PASSAGE, SENTINEL, TEXT, made

# Tombstones stand from the beginning of an erasure on, before any place is cleared.
pytestmark = [pytest.mark.django_db]

FORMS: dict[str, Callable[[str], str]] = {
    "case": lambda text: text.upper(),
    "lines": lambda text: text.replace(" ", "\r\n\t"),
    "composition": lambda text: unicodedata.normalize("NFD", text),
}
ACCENTED = "Déjà vu in the harbour of Orléans: the naïve café owner told the whole tale once more."


def buried(workspace: Workspace, *targets: tuple[str, str]) -> Case:
    """An erasure in effect, nothing cleared yet."""
    case = Case.objects.get(uid=approved(workspace, "erasure", *targets).uid)
    begin(case.pk)
    return case


def statuses(workspace: Workspace, *records: dict[str, Any]) -> list[str]:
    return [one.status for one in send(workspace, list(records))]


def test_every_text_that_the_source_ever_had_is_known(workspace: Workspace) -> None:
    """Of each version and document, of passages by their interval, of facts; in every form."""
    made(workspace)
    fact = {
        "subject": "The harbour master of the old town",
        "predicate": "weighed the stones at",
        "object": "dawn, before the market opened",
    }
    send(workspace, [
        record("source_version", "s1@2", source="s1", text=ACCENTED),
        record("fact", "f", subject_of="c1", **fact),
        record("source", "elsewhere", title="Else"),
        record("source_version", "e@1", source="elsewhere"),
        record("document", "e-doc", source_version="e@1", text="Something that nobody minds at all."),
    ])  # fmt: skip
    buried(workspace, ("source", "s1"))
    texts = {"document": TEXT, "passage": PASSAGE, "version": ACCENTED}
    assert all(len(one) >= 64 for one in texts.values())
    for name, text in texts.items():
        for form, change in FORMS.items():
            again = change(text)
            sent = record("chunk", f"{name}-{form}", document="e-doc", text=again)
            assert statuses(workspace, sent) == ["rejected"], (name, form)
    told = {name: value.upper() for name, value in fact.items()}
    elsewhere = record("chunk", "e-c", document="e-doc", interval={"start": 0, "end": 9})
    assert statuses(workspace, elsewhere, record("fact", "g", subject_of="e-c", **told)) == [
        "accepted", "rejected",
    ]  # fmt: skip
    # One word more is another text; so is one that only holds it.
    other = record("chunk", "other", document="e-doc", text=f"{PASSAGE} Again.")
    assert statuses(workspace, other) != ["rejected"]


def test_of_a_passage_its_document_as_it_was_is_known_too(workspace: Workspace) -> None:
    made(workspace)
    buried(workspace, ("chunk", "c1"))
    outcomes = send(workspace, work("copy", TEXT.replace(" ", "\n"), {"copy-c": AT}))
    assert [(one.kind, one.status) for one in outcomes][2:] == [
        ("document", "rejected"), ("chunk", "rejected"),
    ]  # fmt: skip


def test_an_answer_that_quotes_it_otherwise_is_masked(workspace: Workspace) -> None:
    made(workspace)
    buried(workspace, ("source", "s1"))
    new = answer("new", retrieved=["c1"], included=["c1"], cites=["c1"], sentence="It was weighed.")
    quoted = PASSAGE.upper().replace(" ", "\n")
    new[-1]["quote"] = quoted
    assert {one.status for one in send(workspace, new)} == {"accepted"}
    cited = node(workspace, "citation", "cit-new-c1")
    assert field_text([cited], "quote") == {cited.pk: "█" * len(quoted)}


# --- in every format ---------------------------------------------------------------------

_CHANGED = TEXT.upper().replace(" ", "\n")
_SPAN = retrieval_of("new", _CHANGED)
_FACET = {
    "_producer": "https://example.org/producer",
    "_schemaURL": "https://example.org/schema",
}
_EVENT = run_of(
    [],
    [
        {
            "namespace": "lake",
            "name": "copy",
            "facets": {"rag_document": _FACET | {"text": _CHANGED}},
        }
    ],
)
_PROV = {
    "prefix": {"ex": "https://example.org/"},
    "entity": {"ex:copy": {"prov:value": _CHANGED, "prov:label": "A copy"}},
}
_TURTLE = f"""
@prefix tg: <https://trustgraph.ai/ns/> . @prefix prov: <http://www.w3.org/ns/prov#> .
<https://example.org/copy> a tg:Document ; tg:content {json.dumps(_CHANGED)} .
"""
# As each format can hold the text of a document: its media type, the body, and what is answered.
SENT: dict[str, tuple[str, str, bytes, set[int]]] = {
    "native": ("native", "application/json", json.dumps({"records": [
        record("source", "copy", title="Copy"), record("source_version", "copy@1", source="copy"),
        record("document", "copy-doc", source_version="copy@1", text=_CHANGED),
    ]}).encode(), {410}),
    "openlineage": ("openlineage", "application/json", json.dumps(_EVENT).encode(), {410}),
    # A span names the passage that it holds: it is stored, the words are not.
    "otlp": ("otlp", "application/json", json.dumps(
        {"resourceSpans": [{"resource": {}, "scopeSpans": [{"scope": {}, "spans": [_SPAN]}]}]}
    ).encode(), set()),
    "prov": ("prov", "application/json", json.dumps(_PROV).encode(), {410}),
    "trustgraph": ("prov", "text/turtle", _TURTLE.encode(), {410}),
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(SENT))
def test_in_every_format_it_is_refused_and_kept_nowhere(workspace: Workspace, name: str) -> None:
    format_, media_type, body, expected = SENT[name]
    made(workspace)
    buried(workspace, ("source", "s1"))
    receipt = receive(workspace, format=format_, body=body, media_type=media_type)
    assert receipt.result is not None
    problems = {one.problem.status for one in receipt.result.outcomes if one.problem}
    assert problems == expected
    word = SENTINEL.upper()
    assert word in body.decode()
    assert word not in said(workspace)
    row = InboxPayload.objects.get(uid=receipt.uid)
    assert row.body_gone_at is not None
    assert body_of(workspace, row.pk) is None


def said(workspace: Workspace) -> str:
    """All that the workspace's records and their texts say."""
    owners = set(Node.objects.filter(workspace=workspace).values_list("owner_id", flat=True))
    owners |= set(Node.objects.filter(workspace=workspace).values_list("pk", flat=True))
    texts = [
        text
        for owner, key in keys_of(owners - {None}).items()
        for _, text in texts_under(owner, key)
    ]
    rows = Sighting.objects.filter(workspace=workspace).values_list("fields", "attributes")
    return json.dumps([texts, list(rows)])
