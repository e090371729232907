"""What was erased and is sent again: refused with its tombstone, whatever the format; nothing of it is kept."""

import json

import pytest

from lineage.cases import workflow
from lineage.cases.view import case_view
from lineage.content import tombstones
from lineage.content.passages import field_text, texts_of
from lineage.erasure.run import erase
from lineage.identifiers import keyed_hash
from lineage.inbox.keeping import body_of
from lineage.inbox.receive import Receipt, receive
from lineage.models import Blob, Case, ErasedNode, InboxPayload, Node, Sighting
from provexplorer.workspaces.models import Workspace
from tests.cases.world import answer, node, record, run_to_end, send, states, viewer, work
from tests.erasure.payloads import retrieval_of, run_of
from tests.erasure.world import OTHER, PASSAGE, SENTINEL, TEXT, erased, made, world
from tests.faults.erased import left_of
from tests.faults.invariants import Filed, assert_invariants

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("graph"), pytest.mark.one_pair]


def _counts() -> tuple[int, int, int]:
    return Blob.objects.count(), Sighting.objects.count(), Node.objects.count()


def test_the_same_records_are_refused_with_their_tombstones(workspace: Workspace) -> None:
    made(workspace)
    uids = {key: node(workspace, kind, key).uid for kind, key in (
        ("source", "s1"), ("source_version", "s1@1"), ("document", "s1-doc"), ("chunk", "c1"),
        ("chunk", "c1b"),
    )}  # fmt: skip
    case = erased(workspace, ("source", "s1"))
    before = _counts()
    outcomes = send(workspace, world())
    refused = {one.key: one.uid for one in outcomes if one.status == "rejected"}
    assert refused == uids
    assert {one.problem.status for one in outcomes if one.problem} == {410}
    assert {one.status for one in outcomes if one.key not in uids} == {"unchanged"}
    assert _counts() == before
    assert run_to_end(case_view(viewer(workspace), case.uid)).state == Case.State.VERIFIED
    assert_invariants(workspace, world(), [Filed(case.uid, "erasure", (("source", "s1"),))])
    assert left_of(SENTINEL, workspace) == []


def test_what_is_new_of_something_erased_is_refused_with_it(workspace: Workspace) -> None:
    made(workspace)
    source = node(workspace, "source", "s1")
    erased(workspace, ("source", "s1"))
    before = _counts()
    # A version nobody knew, a document of it, a chunk of that: in one request, then one by one.
    new = [
        record("source_version", "s1@9", source="s1", published_at="2026-01-01"),
        record("document", "s1-doc9", source_version="s1@9", text="Something else entirely, of the same."),
        record("chunk", "c99", document="s1-doc9", interval={"start": 0, "end": 9}),
    ]  # fmt: skip
    assert {(one.status, one.uid) for one in send(workspace, new)} == {("rejected", source.uid)}
    for one in new[1:]:
        (outcome,) = send(workspace, [one])
        assert outcome.status == "rejected"
    (named_by_uid,) = send(
        workspace, [record("source_version", "s1@8", source={"uid": source.uid})]
    )
    assert (named_by_uid.status, named_by_uid.uid) == ("rejected", source.uid)
    assert _counts() == before


def test_the_same_words_under_another_key_are_refused(workspace: Workspace) -> None:
    made(workspace)
    erased(workspace, ("source", "s1"))
    outcomes = send(workspace, work("copy", TEXT, {}))
    assert [(one.kind, one.status) for one in outcomes] == [
        ("source", "stored"), ("source_version", "stored"), ("document", "rejected"),
    ]  # fmt: skip
    # Of a document of which a passage was erased, the document as it was would bring it back.
    chunked = [record("document", "p-doc", source_version="copy@1", text=PASSAGE)]
    assert [one.status for one in send(workspace, chunked)] == ["rejected"]
    # Fewer than 64 code points: many say the same by chance.
    short = [
        record("document", "short", source_version="copy@1", text="Before it nothing of note.")
    ]
    assert [one.status for one in send(workspace, short)] == ["stored"]


@pytest.mark.parametrize("known", [True, False])
def test_a_document_refused_as_it_was_is_let_in_without_the_passage(
    workspace: Workspace, *, known: bool
) -> None:
    """Of the source itself, which stays readable, and of another that had the same words."""
    made(workspace)
    erased(workspace, ("chunk", "c1"))
    name = "s1" if known else "copy"
    if not known:
        send(workspace, work(name, "", {})[:2])
    as_it_was = record("document", f"{name}-doc", source_version=f"{name}@1", text=TEXT)
    passage = record("chunk", "of", document=f"{name}-doc", interval={"start": 0, "end": 6})

    def statuses(*records: dict[str, object]) -> list[str]:
        return [one.status for one in send(workspace, records)]

    # Whatever has its place in it might bring it back: together with it, and after it.
    assert statuses(as_it_was, passage) == ["rejected", "rejected"]
    assert statuses(passage) == ["rejected"]
    without = as_it_was | {"text": "Before it nothing.", "occurred_at": "2026-04-01T10:00:00Z"}
    later = passage | {"occurred_at": "2026-04-01T10:00:01Z"}
    assert statuses(without, later) == ["stored", "stored"]
    of = node(workspace, "chunk", "of")
    assert texts_of([of]) == {of.pk: "Before"}
    # As it was it is refused as ever.
    assert statuses(as_it_was) == ["rejected"]
    beside = later | {"key": "beside", "interval": {"start": 7, "end": 9}}
    assert statuses(without, beside) == ["unchanged", "stored"]


def test_a_key_used_again_elsewhere_is_no_erased_one(workspace: Workspace) -> None:
    made(workspace)
    erased(workspace, ("chunk", "c1"))
    sent = [record("chunk", "c1", document="s2-doc", interval={"start": 0, "end": 4})]
    assert [one.status for one in send(workspace, sent)] == ["stored"]
    back = [record("chunk", "c1", document="s1-doc", interval={"start": 0, "end": 4})]
    assert [one.status for one in send(workspace, back)] == ["rejected"]


def test_answers_may_name_it_and_are_born_stale(workspace: Workspace) -> None:
    made(workspace)
    erased(workspace, ("source", "s1"))
    new = answer("new", retrieved=["c1"], included=["c1"], cites=["c1"], sentence="It was weighed.")
    new[-1]["quote"] = PASSAGE
    outcomes = send(workspace, new)
    assert {one.status for one in outcomes} == {"stored"}
    assert states(workspace, "new") == {"new": "stale"}
    cited = node(workspace, "citation", "cit-new-c1")
    assert field_text([cited], "quote") == {cited.pk: "█" * len(PASSAGE)}
    assert "erased_text_masked" in {one.code for one in outcomes[-1].warnings}


@pytest.mark.parametrize("format_", ["native", "openlineage", "otlp"])
def test_the_payload_goes_with_what_was_refused(workspace: Workspace, format_: str) -> None:
    made(workspace)
    if format_ == "openlineage":
        # Known by the name that this format gives it.
        _received(workspace, format_)
        chosen = Node.objects.filter(workspace=workspace, kind="source", resolved=True)
        named = chosen.exclude(key__in=("s1", "s2")).get()
        _erase_in(workspace, named)
    else:
        _received(workspace, format_)
        assert len(_holding(workspace)) == 1
        erased(workspace, ("source", "s1"))
    assert not _holding(workspace)
    receipt = _received(workspace, format_)
    assert receipt.result is not None
    # A span only names the passage that it holds: it is stored, and the passage is not.
    problems = {one.problem.status for one in receipt.result.outcomes if one.problem}
    assert problems == (set() if format_ == "otlp" else {410})
    assert not _holding(workspace)
    assert InboxPayload.objects.get(uid=receipt.uid).body_gone_at is not None


def _received(workspace: Workspace, format_: str) -> Receipt:
    return receive(workspace, format=format_, body=_BODIES[format_], media_type="application/json")


def _erase_in(workspace: Workspace, named: Node) -> None:
    case = workflow.draft(
        viewer(workspace), workflow.NewCase(kind="erasure", targets=[{"uid": named.uid}])
    )
    workflow.dry_run(viewer(workspace), case.uid)
    workflow.approve(viewer(workspace), case.uid)
    erase(Case.objects.get(uid=case.uid).pk)


def _holding(workspace: Workspace) -> list[str]:
    """Payloads that still hold the word."""
    rows = InboxPayload.objects.filter(workspace=workspace)
    return [
        row.uid
        for row in rows
        if (body := body_of(workspace, row.pk)) is not None and SENTINEL.encode() in body
    ]


_SPAN = retrieval_of("c1", PASSAGE)
_EVENT = run_of([{"namespace": "lake", "name": f"{SENTINEL}/table"}], [])
_BODIES: dict[str, bytes] = {
    "native": json.dumps({"records": world()[:5]}).encode(),
    "openlineage": json.dumps(_EVENT).encode(),
    "otlp": json.dumps(
        {"resourceSpans": [{"resource": {}, "scopeSpans": [{"scope": {}, "spans": [_SPAN]}]}]}
    ).encode(),
}


def test_guesses_at_a_tombstone_fail(workspace: Workspace) -> None:
    made(workspace)
    document = node(workspace, "document", "s1-doc")
    plain = document.digest
    case = erased(workspace, ("source", "s1"))
    told = json.dumps([
        list(ErasedNode.objects.filter(erasure_id=case.pk).values()),
        list(Node.objects.filter(workspace=workspace).values("digest", "fields")),
        list(Sighting.objects.filter(workspace=workspace).values("content_digest", "fields")),
    ], default=str)  # fmt: skip
    assert plain.removeprefix("sha256:") not in told
    # Who has the workspace's key and the right guess, but not the master key, computes something else.
    right = tombstones.keyed_digest(workspace, plain)
    assert right in told
    other = tombstones.ERASED + keyed_hash(b"\0" * 32, workspace.hash_key.hex(), plain)
    by_workspace = tombstones.ERASED + keyed_hash(workspace.hash_key, "digest", plain)
    assert other not in told
    assert by_workspace not in told
    assert OTHER  # its digest is told as ever
