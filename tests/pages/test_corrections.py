"""Asking for a correction: from wherever something is seen, to the editors' queue, and back."""

import re

import pytest
from django.test import Client

from lineage.models import Case, CaseTarget, CorrectionRequest, Node
from provexplorer.workspaces.models import User, Workspace
from tests.nodes.world import ALPHA, answer, load, source, withdraw
from tests.pages.world import member, record

pytestmark = [pytest.mark.django_db, pytest.mark.one_pair]

SENT = {"wrong": "misquoted", "reason": "It says <b>two</b>, not one.", "evidence": "10.1234/abc"}


@pytest.fixture
def nodes(workspace: Workspace) -> dict[str, Node]:
    return load(
        workspace,
        [record("agent", "ann", name="Ann")],
        source("s", ALPHA, creators=[{"agent": "ann"}]),
        answer("one", "s-c"),
    )


def ask(client: Client, node: Node, **fields: str) -> str:
    """The uid of the case that the request has drafted."""
    response = client.post(f"/corrections/about/{node.uid}", {**SENT, **fields})
    assert response.status_code == 302, response.content.decode()
    return response["Location"].removeprefix("/cases/")


def targets(case_uid: str) -> list[str]:
    named = CaseTarget.objects.filter(case__uid=case_uid).order_by("pk")
    return list(named.values_list("node__key", flat=True))


NAMED = [
    ("ann", "attribution", "ann"),
    ("s", "outdated", "s"),
    ("s@1", "licence", "s@1"),
    ("s@1", "attribution", "s"),
    ("s-doc", "licence", "s@1"),
    ("s-c", "misquoted", "s-c"),
    ("q-one", "misquoted", "s-c"),
    ("q-one", "other", "s-c"),
    ("q-one", "outdated", "s@1"),
    ("q-one", "licence", "s@1"),
    ("q-one", "attribution", "s"),
    ("q-one", "withdraw", "s"),
    ("k-one", "misquoted", "s-c"),
    ("k-one", "withdraw", "s"),
]


def test_the_case_names_what_answers_for_what_is_wrong(
    workspace: Workspace, nodes: dict[str, Node]
) -> None:
    reader = member(workspace)
    for about, wrong, named in NAMED:
        uid = ask(reader, nodes[about], wrong=wrong)
        assert targets(uid) == [named], (about, wrong)
        request = CorrectionRequest.objects.get(case__uid=uid)
        assert (request.about_uid, request.wrong) == (nodes[about].uid, wrong)


def test_a_claim_with_several_citations_names_each_passage_once(
    workspace: Workspace, nodes: dict[str, Node]
) -> None:
    load(
        workspace,
        source("t", "Delta is four."),
        [
            record("citation", "q-2", claim="k-one", marker="[2]", chunk="t-c"),
            record("citation", "q-3", claim="k-one", marker="[3]", chunk="s-c"),
        ],
    )
    assert sorted(targets(ask(member(workspace), nodes["k-one"]))) == ["s-c", "t-c"]


def test_of_an_answer_a_statement_is_chosen(workspace: Workspace, nodes: dict[str, Node]) -> None:
    client, path = member(workspace), f"/corrections/about/{nodes['a-one'].uid}"
    page = client.get(path).content.decode()
    claim = nodes["k-one"].uid
    assert f'name="claim" value="{claim}"' in page
    assert "Alpha is one." in page
    for wrong in ("", "clm_" + "a" * 26, nodes["s"].uid):
        refused = client.post(path, {**SENT, "claim": wrong})
        assert refused.status_code == 422
        assert "Choose the statement that is wrong." in refused.content.decode()
    assert not Case.objects.exists()
    assert targets(ask(client, nodes["a-one"], claim=claim)) == ["s-c"]
    assert CorrectionRequest.objects.get().about_uid == claim


def test_a_faulty_form_keeps_what_was_typed(workspace: Workspace, nodes: dict[str, Node]) -> None:
    client, path = member(workspace), f"/corrections/about/{nodes['s'].uid}"
    response = client.post(path, {"wrong": "", "reason": "Because <of> it", "evidence": 'a"b'})
    page = response.content.decode()
    assert response.status_code == 422
    assert "Choose what is wrong." in page
    assert "Because &lt;of&gt; it</textarea>" in page
    assert 'value="a&quot;b"' in page
    empty = client.post(path, {"wrong": "outdated", "reason": " \0 "})
    assert empty.status_code == 422
    assert 'value="outdated" required checked' in empty.content.decode()
    assert not Case.objects.exists()


def test_the_editors_are_told_who_asks_and_what(
    workspace: Workspace, nodes: dict[str, Node]
) -> None:
    reader = member(workspace)
    User.objects.filter(username__contains="-reader-").update(first_name="Rita")
    uid = ask(reader, nodes["q-one"])
    editor = member(workspace, "editor")
    for path in ("/", "/cases/"):
        listed = editor.get(path).content.decode()
        assert "Request of Rita" in listed, path
        assert "Misquoted" in listed
        # What the claim says, not the marker of its citation.
        assert '<span class="written">Alpha is one.</span>' in listed
    page = editor.get(f"/cases/{uid}").content.decode()
    assert "Rita asked for this on" in page
    assert "It says &lt;b&gt;two&lt;/b&gt;, not one." in page
    assert 'href="https://doi.org/10.1234/abc"' in page
    assert f'href="/citations/{nodes["q-one"].uid}"' in page
    assert "Withdraw the request" not in page
    other = member(workspace).get(f"/cases/{uid}").content.decode()
    assert ("A member asked for this on" in other, "Rita" in other) == (True, False)


def test_who_asked_follows_it_and_may_withdraw(
    workspace: Workspace, nodes: dict[str, Node]
) -> None:
    reader = member(workspace)
    assert "You have asked for nothing yet" in reader.get("/corrections/").content.decode()
    uid = ask(reader, nodes["q-one"])
    followed = reader.get(f"/cases/{uid}").content.decode()
    assert "Your request has been sent to the editors." in followed
    assert "You asked for this on" in followed
    assert "It waits for an operator to try it out" in followed
    listed = reader.get("/corrections/").content.decode()
    assert f'<a href="/cases/{uid}">Misquoted: Alpha is one.</a>' in listed
    assert ask(reader, nodes["q-one"]) == uid
    assert "You have asked for this already" in reader.get(f"/cases/{uid}").content.decode()
    assert reader.get(f"/corrections/{uid}/withdraw").status_code == 405
    response = reader.post(f"/corrections/{uid}/withdraw")
    assert response["Location"] == f"/cases/{uid}"
    assert Case.objects.get(uid=uid).state == "cancelled"
    gone = reader.get(f"/cases/{uid}").content.decode()
    assert "It was closed without effect." in gone
    assert "Withdraw the request" not in gone


def test_nobody_withdraws_the_request_of_another(
    workspace: Workspace, nodes: dict[str, Node]
) -> None:
    uid = ask(member(workspace), nodes["s"])
    for role in ("reader", "editor", "admin"):
        assert member(workspace, role).post(f"/corrections/{uid}/withdraw").status_code == 404
    assert Case.objects.get(uid=uid).state == "draft"


def test_an_approved_request_can_no_longer_be_withdrawn(
    workspace: Workspace, nodes: dict[str, Node]
) -> None:
    reader, editor = member(workspace), member(workspace, "editor")
    uid = ask(reader, nodes["s"], wrong="withdraw")
    for step in ("dry-run", "approve"):
        assert editor.post(f"/cases/{uid}/{step}").status_code == 302
    reader.post(f"/corrections/{uid}/withdraw")
    assert Case.objects.get(uid=uid).state == "propagating"
    page = reader.get(f"/cases/{uid}").content.decode()
    assert "It has taken effect: reinstate it instead." in page
    assert "An editor has approved it; it is in effect." in page


def test_at_the_limit_there_is_no_form(
    workspace: Workspace, nodes: dict[str, Node], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lineage.cases.request.MOST_OPEN", 1)
    monkeypatch.setattr("citations.pages.correction.MOST_OPEN", 1)
    reader, path = member(workspace), f"/corrections/about/{nodes['s-c'].uid}"
    ask(reader, nodes["s"])
    page = reader.get(path).content.decode()
    assert ("You have 1 open requests" in page, "<textarea" in page) == (True, False)
    assert reader.post(path, SENT).status_code == 422
    assert Case.objects.count() == 1


def test_what_is_hidden_cannot_be_asked_about(workspace: Workspace) -> None:
    nodes = load(
        workspace,
        source("s", ALPHA, acl=["staff"], title="Secret"),
        answer("one", "s-c"),
        [record("claim", "k-free", answer="a-one", text="Uncited.")],
    )
    reader = member(workspace)
    for key in ("s", "s-c", "q-one", "k-one"):
        path = f"/corrections/about/{nodes[key].uid}"
        page = reader.get(path).content.decode()
        assert "You can ask only about what is visible to you." in page, key
        assert not re.search("Secret|Alpha|<textarea", page), key
        refused = reader.post(path, SENT)
        assert (refused.status_code, "Secret" in refused.content.decode()) == (422, False)
    # Chosen among an answer's, it is as hidden.
    path = f"/corrections/about/{nodes['a-one'].uid}"
    assert "Alpha" not in reader.get(path).content.decode()
    assert reader.post(path, {**SENT, "claim": nodes["k-one"].uid}).status_code == 422
    assert not Case.objects.exists()
    # What cites nothing: there is nothing that a case could name.
    page = reader.get(f"/corrections/about/{nodes['k-free'].uid}").content.decode()
    assert ("There is nothing to correct" in page, "<textarea" in page) == (True, False)
    assert reader.post(f"/corrections/about/{nodes['k-free'].uid}", SENT).status_code == 422


def test_what_was_erased_is_a_tombstone_and_what_is_no_such_thing_not_found(
    workspace: Workspace, nodes: dict[str, Node]
) -> None:
    withdraw(workspace, nodes["s"], "erasure")
    reader = member(workspace)
    assert reader.get(f"/corrections/about/{nodes['s'].uid}").status_code == 410
    assert reader.post(f"/corrections/about/{nodes['s'].uid}", SENT).status_code == 410
    for uid in (nodes["ctx-one"].uid, nodes["ret-one"].uid, "nonsense"):
        assert reader.get(f"/corrections/about/{uid}").status_code == 404
    assert not CorrectionRequest.objects.exists()


def test_pages_lead_to_the_form(workspace: Workspace, nodes: dict[str, Node]) -> None:
    reader = member(workspace)
    for path, about in (
        (f"/sources/{nodes['s'].uid}", "s"),
        (f"/creators/{nodes['ann'].uid}", "ann"),
        (f"/citations/{nodes['q-one'].uid}", "q-one"),
        (f"/answers/{nodes['a-one'].uid}", "a-one"),
    ):
        assert f'href="/corrections/about/{nodes[about].uid}"' in reader.get(path).content.decode()


def test_a_bad_cursor_of_the_list_is_a_bad_request(workspace: Workspace) -> None:
    assert member(workspace).get("/corrections/?cursor=x").status_code == 400


@pytest.mark.parametrize(
    ("wrong", "told"),
    [("misquoted", "does not say what the answer makes of it"), ("other", "It says &lt;b&gt;two")],
)
def test_an_open_request_is_told_by_what_is_wrong_not_by_its_kind(
    workspace: Workspace, nodes: dict[str, Node], wrong: str, told: str
) -> None:
    reader = member(workspace)
    address = f"/cases/{ask(reader, nodes['q-one'], wrong=wrong)}"

    def head() -> str:
        (line,) = re.findall(r'<p class="head-line">.*?</p>', reader.get(address).content.decode())
        return str(line)

    assert told in head()
    Case.objects.update(state="verified")
    assert told not in head()
    assert "Doubts have been voiced" in head()
