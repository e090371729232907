"""A case through its pages: refused drafts keep what was typed, each step by its role, progress that ends."""

import json
import re
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from citations.exports.signing import own_fingerprint
from lineage.models import Case, CaseFile
from provexplorer import clock
from provexplorer.cli import verify
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


def test_a_button_that_is_pressed_twice_drafts_once(workspace: Workspace) -> None:
    send(workspace, world())
    client, source = member(workspace, "operator"), uid(workspace, "source", "s")
    (once,) = re.findall(r'name="once" value="(\w+)"', client.get("/cases/new").content.decode())
    typed = {"kind": "retraction", "target": source, "once": once}
    # What the other buttons of the form give back is the same form.
    assert f'value="{once}"' in client.post("/cases/new", typed).content.decode()
    cases = [client.post("/cases/new", {**typed, "draft": "1"})["Location"] for _ in range(2)]
    assert cases[0] == cases[1]
    # Gone back to and changed, or given out anew, it means another case.
    client.post("/cases/new", {**typed, "draft": "1", "reason": "Something else"})
    client.post("/cases/new", {**typed, "draft": "1", "once": once[::-1]})
    assert Case.objects.count() == 3


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


def test_a_list_is_pasted_and_what_cannot_be_a_target_is_told(workspace: Workspace) -> None:
    send(workspace, world())
    client, source = member(workspace, "operator"), uid(workspace, "source", "s")
    answer = uid(workspace, "answer", "cites")
    pasted = f"{source}\n10.9999/unknown\n{answer}\n"
    page = client.post("/cases/new", {"kind": "retraction", "pasted": pasted, "read": "1"})
    told = page.content.decode()
    assert f'<input type="hidden" name="target" value="{source}">' in told
    assert "Nothing here has this name." in told
    assert "A case cannot be about this kind of thing." in told
    assert f"10.9999/unknown\n{answer}</textarea>" in told
    typed = {"kind": "retraction", "target": source, "pasted": "10.9999/unknown", "draft": "1"}
    refused = client.post("/cases/new", typed)
    assert refused.status_code == 422
    assert "1 line of the list was not understood." in refused.content.decode()
    assert Case.objects.count() == 0


def test_more_targets_than_a_case_can_name_are_told_and_not_dropped(workspace: Workspace) -> None:
    many = [f"src_{chr(97 + n // 26)}{chr(97 + n % 26)}{'b' * 24}" for n in range(203)]
    typed = {"kind": "retraction", "target": many, "draft": "1"}
    page = member(workspace, "operator").post("/cases/new", typed)
    assert page.status_code == 422
    assert "3 more are left out." in page.content.decode()
    assert Case.objects.count() == 0


def test_a_case_is_filed_about_what_a_report_or_a_search_is_about(workspace: Workspace) -> None:
    send(workspace, [record("source", "s", title="Tidal marshes")])
    client, source = member(workspace, "operator"), uid(workspace, "source", "s")
    of_report = client.get(f"/cases/new?node={source}").content.decode()
    assert f'<input type="hidden" name="target" value="{source}">' in of_report
    of_search = client.get("/cases/new?q=Tidal").content.decode()
    assert f'<input type="checkbox" name="add" value="{source}">' in of_search
    for unknown in ("incident=inc_" + "a" * 26, "node=src_" + "a" * 26):
        assert client.get(f"/cases/new?{unknown}").status_code == 404


def test_whoever_may_not_approve_is_told_before_the_click(workspace: Workspace) -> None:
    send(workspace, world())
    admin, editor = member(workspace, "admin"), member(workspace, "editor")
    assert member(workspace).post("/settings/cases/", {"rule": "on"}).status_code == 403
    admin.post("/settings/cases/", {"rule": "on"})
    assert "is lifted by two people" in editor.get("/settings/cases/").content.decode()
    address = a_draft(workspace, "editor")
    editor_of_draft = member(workspace, "editor")
    Case.objects.update(drafted_by=None)
    editor_of_draft.post(f"{address}/dry-run")
    assert f'action="{address}/approve"' in editor_of_draft.get(address).content.decode()
    user = int(editor_of_draft.session["_auth_user_id"])
    Case.objects.update(drafted_by_id=user)
    page = editor_of_draft.get(address).content.decode()
    assert "another person approves" in page
    assert f'action="{address}/approve"' not in page
    refused = editor_of_draft.post(f"{address}/approve", follow=True).content.decode()
    assert "Whoever drafted a case does not approve it here." in refused
    assert Case.objects.get().state == "ready"


def test_a_case_is_rejected_with_a_reason_that_its_readers_read(workspace: Workspace) -> None:
    send(workspace, world())
    address, editor = a_draft(workspace), member(workspace, "editor")
    assert (
        "Say why the case is rejected."
        in editor.post(f"{address}/reject", {"reason": " "}, follow=True).content.decode()
    )
    editor.post(f"{address}/reject", {"reason": "Another <work>."})
    page = member(workspace).get(address).content.decode()
    assert "Rejected before it took effect." in page
    assert "Another &lt;work&gt;." in page
    listed = member(workspace).get("/cases/?state=rejected").content.decode()
    assert f'href="{address}"' in listed


def test_readers_see_neither_comments_nor_files_nor_names(workspace: Workspace) -> None:
    send(workspace, world())
    address, operator = a_draft(workspace), member(workspace, "operator")
    operator.post(f"{address}/comment", {"text": "Ask the <lawyers>."})
    sent = SimpleUploadedFile("Läs mig.pdf", b"%PDF-1.7", content_type="text/html")
    operator.post(f"{address}/files", {"file": sent})
    page = operator.get(address).content.decode()
    assert "Ask the &lt;lawyers&gt;." in page
    (link,) = re.findall(rf'href="({address}/files/\d+)"', page)
    download = operator.get(link)
    assert download.content == b"%PDF-1.7"
    assert download["Content-Disposition"] == "attachment; filename*=utf-8''L%C3%A4s%20mig.pdf"
    assert (download["X-Content-Type-Options"], download["Content-Type"]) == ("nosniff", "application/pdf")  # fmt: skip
    reader = member(workspace)
    told = reader.get(address).content.decode()
    assert "lawyers" not in told
    assert "Läs mig" not in told
    assert reader.get(link).status_code == 403
    for step in ("comment", "assign", "files"):
        assert reader.post(f"{address}/{step}", {"text": "x"}).status_code == 403
    assert operator.post(f"{link}/remove").status_code == 403
    assert member(workspace, "editor").post(f"{link}/remove").status_code == 302
    assert operator.get(link).status_code == 404


@pytest.mark.parametrize(
    ("name", "content", "detail"),
    [
        ("page.html", b"<p>", "Only these kinds of file are kept"),
        ("large.txt", b"x" * (10 * 2**20 + 1), "A file has at most 10 MiB."),
        (None, b"", "Choose a file of at most 10 MiB."),
    ],
)
def test_a_file_that_is_not_kept_says_why(
    workspace: Workspace, name: str | None, content: bytes, detail: str
) -> None:
    send(workspace, world())
    address, operator = a_draft(workspace), member(workspace, "operator")
    typed = {"file": SimpleUploadedFile(name, content)} if name else {}
    assert detail in operator.post(f"{address}/files", typed, follow=True).content.decode()


def test_an_upload_without_the_token_or_of_any_size_is_refused(workspace: Workspace) -> None:
    send(workspace, world())
    address, operator = a_draft(workspace), member(workspace, "operator")
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = operator.cookies
    sent = SimpleUploadedFile("a.txt", b"x")
    assert strict.post(f"{address}/files", {"file": sent}).status_code == 403
    huge = SimpleUploadedFile("a.txt", b"x" * (11 * 2**20))
    assert operator.post(f"{address}/files", {"file": huge}).status_code in (302, 400)
    assert CaseFile.objects.count() == 0


def test_the_certificate_is_read_printed_and_checked_offline(
    workspace: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    send(workspace, world())
    address, editor = a_draft(workspace), member(workspace, "editor")
    assert editor.get(f"{address}/certificate")["Location"] == address
    editor.post(f"{address}/dry-run")
    editor.post(f"{address}/approve")
    shortfall = {"code": "proof_differs", "missing": 1}
    case = Case.objects.get()
    Case.objects.update(state="incomplete", counts={**case.counts, "shortfall": shortfall})
    page = member(workspace).get(f"{address}/certificate").content.decode()
    assert "In effect, but not complete." in page
    assert uid(workspace, "source", "s") in page
    signed = member(workspace).get(f"{address}/certificate?signed")
    file = tmp_path / "certificate.json"
    file.write_bytes(signed.content)
    told = json.loads(signed.content)
    assert (told["state"], told["shortfall"], told["kind"]) == (
        "incomplete",
        shortfall,
        "correction",
    )
    assert [step["what"] for step in told["history"]] == ["drafted", "tried", "approved"]
    fingerprint = own_fingerprint()
    assert verify(file, key=fingerprint) == 0
    assert (
        f"Certificate of the case {told['case']}, correction, incomplete" in capsys.readouterr().out
    )
    for broken in (
        signed.content.replace(b'"incomplete"', b'"verified"', 1),
        signed.content.replace(b'"history"', b' "history"', 1),
        signed.content[:-2],
        b"{}",
    ):
        file.write_bytes(broken)
        assert verify(file, key=None) == 1
    assert verify(tmp_path / "nothing.json", key=None) == 2


def test_the_list_is_narrowed_by_kind_and_whose(workspace: Workspace) -> None:
    send(workspace, world())
    address, operator = a_draft(workspace), member(workspace, "operator")
    for query, there in {
        "?kind=correction": True, "?kind=retraction": False, "?whose=nobody": True,
        "?whose=mine": False, "?whose=feed": False, "?order=newest": True,
    }.items():  # fmt: skip
        page = operator.get(f"/cases/{query}").content.decode()
        assert (f'href="{address}"' in page) is there, query
    assert operator.get("/cases/?cursor=x").status_code == 400
