"""Answers that quote an erased passage in few words keep their own, and nothing of the passage."""

import json

import pytest

from lineage.content.passages import field_text, texts_of
from lineage.erasure import elsewhere
from lineage.erasure.ledger import view_of
from lineage.erasure.run import erase
from lineage.inbox.keeping import body_of, keep
from lineage.inbox.receive import receive
from lineage.models import Case, ErasurePlace, InboxPayload, Node, Sighting
from provexplorer.workspaces.models import Workspace
from tests.cases.world import answer, node, record, send
from tests.erasure.world import erased, made, world

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("graph")]

# Of PASSAGE in tests.erasure.world, in fewer code points than a window has.
SHORT = "forty stones and a half"
QUOTE = "weighed at dawn"
SAYS = f"The log has it: “{SHORT}”. It was {QUOTE}, says another."
MASKED = SAYS.replace(SHORT, "█" * len(SHORT)).replace(QUOTE, "█" * len(QUOTE))
SELECTOR = {"type": "TextQuoteSelector", "exact": "found", "prefix": "dawn and ", "suffix": " to"}


def quoting(name: str, *, cites: str = "c1") -> list[dict[str, object]]:
    records = answer(
        name, retrieved=["c1", "c2"], included=["c1", "c2"], cites=[cites], sentence=SAYS
    )
    records[-1] |= {"quote": QUOTE, "selector": SELECTOR}
    return records  # fmt: skip


@pytest.fixture
def quoted(workspace: Workspace) -> Workspace:
    send(workspace, [*world(), *quoting("short")])
    unrelated = answer("own", retrieved=["c2"], included=["c2"], cites=["c2"], sentence=SAYS)
    unrelated[-1]["quote"] = QUOTE
    send(workspace, unrelated)
    return workspace


def test_short_quotations_go_and_words_of_ones_own_stay(quoted: Workspace) -> None:
    case = erased(quoted, ("source", "s1"))

    view = view_of(case)
    assert view.state == "done"
    assert {one.name: one.found for one in view.probes}["by_window"] == 0
    short, citation = node(quoted, "answer", "short"), node(quoted, "citation", "cit-short-c1")
    assert texts_of([short]) == {short.pk: MASKED + " [1]"}
    assert field_text([citation], "quote") == {citation.pk: "█" * len(QUOTE)}
    (selector,) = field_text([citation], "selector").values()
    assert json.loads(str(selector)) == SELECTOR | {
        name: "█" * len(SELECTOR[name]) for name in ("exact", "prefix", "suffix")
    }
    # Nor does its history tell: records as they were sent, and the digest of what it quoted.
    told = json.dumps(list(Sighting.objects.filter(node=citation).values_list("fields", flat=True)))
    assert [word for word in ("found", "dawn") if word in told] == []
    # Who has never seen the passage says the same in words of its own.
    own = node(quoted, "answer", "own")
    assert texts_of([own]) == {own.pk: SAYS + " [1]"}
    (others,) = Node.objects.filter(workspace=quoted, kind="citation", key="cit-own-c2")
    assert field_text([others], "quote") == {others.pk: QUOTE}


def test_what_was_left_is_found_by_the_probe(
    quoted: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(elsewhere, "_repeating", lambda *_: [])
        case = erased(quoted, ("source", "s1"))
    # `short` in few words, and `quotes` in all of them.
    found = {one.name: one.found for one in view_of(case).probes}
    assert found == {name: 2 if name == "by_window" else 0 for name in found}
    assert ErasurePlace.objects.get(erasure_id=case.pk, name="probes").error == "text_found"

    again = ErasurePlace.objects.filter(erasure_id=case.pk, name__in=["answers", "probes"])
    again.update(state="pending", cursor=0, next_at=None)
    assert erase(case.pk)
    assert {one.name: one.found for one in view_of(case).probes}["by_window"] == 0


def test_payloads_that_quote_it_go(workspace: Workspace) -> None:
    send(workspace, [one for one in world() if one["kind"] not in ("answer", "claim", "citation")])
    sent = quoting("short")
    apart = answer("own", retrieved=["c2"], included=["c2"], cites=["c2"], sentence=SAYS)
    parts = {
        # The answer alone quotes in few words; the citation says what it quotes.
        "answer": [one for one in sent if one["kind"] != "citation"],
        "citation": [one for one in sent if one["kind"] == "citation"],
        "own": apart,
        "silent": [record("citation", "cit-silent", claim="claim-short", marker="[1]", chunk="c1")],
    }
    rows = {}
    for name, records in parts.items():
        receipt = receive(
            workspace, format="native", media_type="application/json",
            body=json.dumps({"records": records}).encode(),
        )  # fmt: skip
        rows[name] = receipt.uid
    case = erased(workspace, ("source", "s1"))
    assert view_of(Case.objects.get(pk=case.pk)).state == "done"
    gone = {
        name: InboxPayload.objects.get(uid=uid).body_gone_at is not None
        for name, uid in rows.items()
    }
    assert gone == {"answer": True, "citation": True, "own": False, "silent": False}


def test_payloads_that_nobody_can_read_are_counted_apart(workspace: Workspace) -> None:
    made(workspace)
    bodies = {
        "unread": b"\xff no JSON",
        "holds": json.dumps({"records": world()}).encode(),
        "stays": json.dumps({"records": [record("source", "s9", title="Another")]}).encode(),
    }
    rows = {}
    for name, body in bodies.items():
        kept = keep(
            workspace, format="native", media_type="application/json", body=body, packed=None,
            key_id=None, idempotency="", digest="",
        )  # fmt: skip
        rows[name] = kept.pk
    # What waits to be applied is applied first; these are over, or were set aside.
    InboxPayload.objects.update(state=InboxPayload.State.QUARANTINED, next_at=None)
    case = erased(workspace, ("source", "s1"))
    assert {name for name, pk in rows.items() if body_of(workspace, pk) is None} == {
        "unread",
        "holds",
    }
    (told,) = [one for one in view_of(case).places if one.name == "inbox"]
    assert (told.state, told.cleared, told.unread) == ("done", 2, 1)
