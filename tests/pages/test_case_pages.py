"""A case through its pages: refused drafts keep what was typed, each step by its role, progress that ends."""

import re

import pytest

from lineage.models import Case
from provexplorer import clock
from provexplorer.workspaces.models import Workspace
from tests.pages.world import htmx, member, record, send, uid, world

pytestmark = [pytest.mark.django_db, pytest.mark.one_pair]


def test_readers_cannot_draft(workspace: Workspace) -> None:
    client = member(workspace)
    assert client.get("/cases/new").status_code == 403
    assert client.post("/cases/new", {"draft": "1"}).status_code == 403
    assert Case.objects.count() == 0


def test_a_draft_without_kind_and_targets_is_refused_and_keeps_what_was_typed(
    workspace: Workspace,
) -> None:
    response = member(workspace, "operator").post(
        "/cases/new", {"draft": "1", "reason": "Because <of> it", "effective_at": "soon"}
    )
    page = response.content.decode()
    assert response.status_code == 422
    assert "Choose what happened." in page
    assert "Choose at least one target" in page
    assert "This is no date and time." in page
    assert "Because &lt;of&gt; it</textarea>" in page
    assert Case.objects.count() == 0


@pytest.mark.parametrize("target", ["src_" + "a" * 26, "nonsense"])
def test_a_target_that_nobody_knows_is_refused(workspace: Workspace, target: str) -> None:
    response = member(workspace, "operator").post(
        "/cases/new", {"draft": "1", "kind": "correction", "target": target}
    )
    assert response.status_code == 422
    assert target in response.content.decode()
    assert Case.objects.count() == 0


def test_targets_are_searched_added_and_removed_without_javascript(workspace: Workspace) -> None:
    send(workspace, world())
    client, source = member(workspace, "operator"), uid(workspace, "source", "s")
    typed = {"kind": "retraction", "reason": "Why not", "q": "s"}
    found = client.post("/cases/new", {**typed, "search": "1"}).content.decode()
    assert f'name="add" value="{source}"' in found
    added = client.post("/cases/new", {**typed, "add": source}).content.decode()
    assert f'<input type="hidden" name="target" value="{source}">' in added
    assert 'value="retraction" checked' in added
    assert "Why not</textarea>" in added
    removed = client.post("/cases/new", {**typed, "target": source, "remove": source})
    assert 'name="target"' not in removed.content.decode()


def test_the_picker_is_a_fragment_for_htmx(workspace: Workspace) -> None:
    page = member(workspace, "operator").post(
        "/cases/new", {"q": "x", "search": "1"}, headers=htmx("picker")
    )
    assert page.content.decode().lstrip().startswith('<div class="pick">')


def test_links_fill_the_form_in_advance(workspace: Workspace) -> None:
    send(workspace, world())
    source = uid(workspace, "source", "s")
    page = (
        member(workspace, "operator")
        .get(f"/cases/new?target={source}&kind=retraction&kind=x&evidence=10.1/n")
        .content.decode()
    )
    assert f'name="target" value="{source}"' in page
    assert "10.1/n</textarea>" in page


def a_draft(workspace: Workspace, role: str = "operator") -> str:
    """The address of a fresh draft against source `s`."""
    response = member(workspace, role).post(
        "/cases/new",
        {"draft": "1", "kind": "correction", "target": uid(workspace, "source", "s"), "reason": "Wrong"},
    )  # fmt: skip
    assert response.status_code == 302
    return str(response["Location"])


def test_a_case_goes_from_draft_to_propagation_step_by_step(workspace: Workspace) -> None:
    send(workspace, world())
    address = a_draft(workspace)
    operator, editor = member(workspace, "operator"), member(workspace, "editor")
    assert "Next: try it out" in operator.get(address).content.decode()
    assert operator.post(f"{address}/dry-run")["Location"] == address
    ready = operator.get(address).content.decode()
    assert "An editor can approve it." in ready
    assert "What it would do" in ready
    assert uid(workspace, "answer", "cites") in ready
    assert operator.post(f"{address}/approve").status_code == 403
    assert editor.post(f"{address}/approve").status_code == 302
    under_way = editor.get(address).content.decode()
    assert 'hx-trigger="every 1s"' in under_way
    assert '<progress max="100"' in under_way
    assert '<noscript><meta http-equiv="refresh" content="3"></noscript>' in under_way


def test_steps_out_of_order_change_nothing_and_say_why(workspace: Workspace) -> None:
    send(workspace, world())
    address = a_draft(workspace)
    editor = member(workspace, "editor")
    response = editor.post(f"{address}/approve", follow=True)
    assert "A case is tried out before it is approved." in response.content.decode()
    assert Case.objects.get().state == "draft"
    assert editor.post(f"{address}/nonsense").status_code == 404
    assert editor.get(f"{address}/approve").status_code == 405


def test_progress_goes_on_until_the_case_is_over_and_then_shows_the_result(
    workspace: Workspace,
) -> None:
    send(workspace, world())
    address = a_draft(workspace)
    editor = member(workspace, "editor")
    editor.post(f"{address}/dry-run")
    editor.post(f"{address}/approve")
    going = editor.get(address, headers=htmx("progress"))
    assert (going.status_code, "HX-Retarget" in going) == (200, False)
    assert "<progress" in going.content.decode()
    Case.objects.update(state="verified")
    over = editor.get(address, headers=htmx("progress"))
    assert (over.status_code, over["HX-Retarget"]) == (286, "#case")
    assert "Done, and proved complete." in over.content.decode()
    assert "hx-trigger" not in over.content.decode()


def test_the_reason_of_a_case_is_text(workspace: Workspace) -> None:
    send(workspace, world())
    response = member(workspace, "operator").post(
        "/cases/new",
        {
            "draft": "1", "kind": "correction", "target": uid(workspace, "source", "s"),
            "reason": "<script>alert(4)</script>", "evidence": "javascript:alert(5)",
        },
    )  # fmt: skip
    page = member(workspace).get(response["Location"]).content.decode()
    assert "&lt;script&gt;alert(4)&lt;/script&gt;" in page
    assert 'href="javascript' not in page


@pytest.mark.parametrize("kind", ["erasure", "revocation"])
def test_no_page_shows_the_text_from_the_approval_on(workspace: Workspace, kind: str) -> None:
    send(workspace, world())
    source = uid(workspace, "source", "s")
    editor = member(workspace, "editor")
    drafted = editor.post("/cases/new", {"draft": "1", "kind": kind, "target": source})["Location"]
    editor.post(f"{drafted}/dry-run")
    editor.post(f"{drafted}/approve")
    reader = member(workspace)
    pages = [
        reader.get(path).content.decode()
        for path in (
            f"/answers/{uid(workspace, 'answer', 'cites')}?expand=all",
            f"/citations/{uid(workspace, 'citation', 'q1')}",
            f"/sources/{source}",
        )
    ]
    for page in pages:
        assert "alert(1)" not in page
        assert "onerror=alert(2)" not in page
    words = "it was erased on request" if kind == "erasure" else "permission to show it was revoked"
    assert words in pages[1]
    assert drafted in pages[0]


def test_what_was_erased_shows_its_tombstone_and_leads_to_the_case(workspace: Workspace) -> None:
    send(workspace, world())
    editor = member(workspace, "editor")
    document = uid(workspace, "document", "d")
    drafted = editor.post("/cases/new", {"draft": "1", "kind": "erasure", "target": document})[
        "Location"
    ]
    editor.post(f"{drafted}/dry-run")
    editor.post(f"{drafted}/approve")
    response = member(workspace).get(f"/lineage/{document}/impact")
    page = response.content.decode()
    assert response.status_code == 410
    assert "This was erased" in page
    assert "<dd>Erasure</dd>" in page
    assert f'href="{drafted}"' in page


def test_the_list_of_cases_names_their_targets(workspace: Workspace) -> None:
    send(workspace, [record("source", "s", title="Tidal marshes")])
    address = a_draft(workspace)
    page = member(workspace, "editor").get("/cases/").content.decode()
    assert f'href="{address}">Correction: Tidal marshes</a>' in page
    assert "Wrong" in page


def test_an_overlong_line_of_evidence_is_refused_in_words_of_the_form(workspace: Workspace) -> None:
    send(workspace, world())
    typed = {
        "draft": "1", "kind": "correction", "target": uid(workspace, "source", "s"),
        "evidence": "e" * 4_001,
    }  # fmt: skip
    response = member(workspace, "operator").post("/cases/new", typed)
    assert response.status_code == 422
    assert "A line of evidence has at most 4,000 characters." in response.content.decode()


def test_a_certificate_is_told_in_words_before_its_data(workspace: Workspace) -> None:
    send(workspace, world())
    address = a_draft(workspace)
    proof = {"answers": 12, "missing": 0, "surplus": 0, "differing": 0, "truncated": False}
    certificate = {
        "answers": 12, "answers_digest": "hmac-sha256:ab", "proof": proof,
        "counts": {"grades": {"cited": 5, "in_context": 7}},
        "effective_at": "2026-05-12T14:03:09.123456+00:00",
        "verified_at": "2026-05-12T14:04:10.654321+00:00",
    }  # fmt: skip
    Case.objects.update(state="verified", certificate=certificate)
    page = member(workspace).get(address).content.decode()
    told, _, data = page.partition("The whole certificate, as data")
    assert "12 answers that the case reaches: 5 cited · 7 in context" in told
    assert "found 12: 0 missing, 0 too many, 0 of another grade." in told
    assert ".654321" not in told
    assert "12 May 2026, 14:04" in told
    assert ".654321" in data


def test_a_lifted_case_speaks_in_the_past_tense(workspace: Workspace) -> None:
    send(workspace, world())
    address = a_draft(workspace)
    member(workspace, "operator").post(f"{address}/dry-run")
    Case.objects.update(state="verified")
    reader = member(workspace)
    assert "What it does" in reader.get(address).content.decode()
    Case.objects.create(
        workspace=workspace, uid="cas_" + "b" * 26, kind="reinstatement", created_at=clock.now(),
        reinstates=Case.objects.get(),
    )  # fmt: skip
    page = reader.get(address).content.decode()
    assert "The case was lifted since" in page
    assert "What it did" in page
    assert "What it does" not in page


@pytest.mark.parametrize(
    ("kind", "before", "after"),
    [
        ("revocation", "Once it is in effect, nothing of it is shown here", "Nothing of it is shown here"),
        ("correction", "It stays visible here, with a notice", "It stays visible here, with a notice"),
    ],
)  # fmt: skip
def test_indexes_to_build_anew_are_told_before_the_approval_too(
    workspace: Workspace, kind: str, before: str, after: str
) -> None:
    index = record("index_snapshot", "i", collection="An <index>", chunks=["c"])
    send(workspace, [*world(), index])
    editor = member(workspace, "editor")
    typed = {"draft": "1", "kind": kind, "target": uid(workspace, "source", "s")}
    address = editor.post("/cases/new", typed)["Location"]
    assert "Indexes to build anew" not in editor.get(address).content.decode()
    for step, told in (("dry-run", before), ("approve", after)):
        editor.post(f"{address}/{step}")
        page = editor.get(address).content.decode()
        assert page.count("Indexes to build anew") == 1
        assert told in page
        assert "An &lt;index&gt;</a>" in page
        assert "1 member<" in page


@pytest.mark.parametrize("typed", [{}, {"reason": " \n"}])
def test_who_lifts_a_case_says_why(workspace: Workspace, typed: dict[str, str]) -> None:
    send(workspace, world())
    address = a_draft(workspace)
    editor = member(workspace, "editor")
    editor.post(f"{address}/dry-run")
    editor.post(f"{address}/approve")
    assert re.search(r'<textarea[^>]*name="reason" required', editor.get(address).content.decode())
    refused = editor.post(f"{address}/reinstate", typed, follow=True).content.decode()
    assert "Say why the case is lifted." in refused
    assert Case.objects.count() == 1
    lifted = editor.post(f"{address}/reinstate", {"reason": "Filed in error."})["Location"]
    assert lifted != address
    assert "Filed in error." in editor.get(lifted).content.decode()
