"""Answers, citations, sources and creators as pages: what is foreign, hidden, hostile, and the rest."""

import re

import pytest
from django.test import Client
from django.utils.html import escape

from lineage.models import Case, Node, Withdrawal
from provexplorer import clock
from provexplorer.workspaces.models import Workspace
from tests.pages.world import PASSAGE, QUOTE, TITLE, htmx, member, record, send, uid, world

pytestmark = [pytest.mark.django_db, pytest.mark.one_pair]

PATHS = (
    "/answers/{}", "/citations/{}", "/sources/{}", "/creators/{}", "/lineage/{}",
    "/lineage/{}/impact", "/cases/{}",
)  # fmt: skip
KIND_OF_PATH = ("answer", "citation", "source", "agent", "chunk", "chunk", "case")


def html(response: object) -> str:
    return response.content.decode()  # type: ignore[attr-defined, no-any-return]


def without_csrf(page: str) -> str:
    return re.sub(r'value="[A-Za-z0-9]{64}"', "", page)


def test_pages_send_strangers_to_the_sign_in_page_and_back() -> None:
    response = Client().get("/answers/?state=stale")
    assert (response.status_code, response["Location"]) == (
        302, "/accounts/sign-in/?next=/answers/%3Fstate%3Dstale",
    )  # fmt: skip


@pytest.mark.parametrize(("path", "kind"), [*zip(PATHS, KIND_OF_PATH, strict=True)])
def test_a_foreign_uid_answers_exactly_like_one_that_nobody_holds(
    workspace: Workspace, path: str, kind: str
) -> None:
    other = Workspace.objects.create(slug=f"{workspace.slug}-other", name="Other")
    send(other, world())
    node = Node.objects.filter(workspace=other, kind=kind).first()
    foreign = node.uid if node else "cas_" + "b" * 26
    unknown = foreign[:4] + "a" * 26
    client = member(workspace)
    answers = [client.get(path.format(each)) for each in (foreign, unknown)]
    assert [answer.status_code for answer in answers] == [404, 404]
    bodies = [
        without_csrf(html(answer)).replace(each, "UID")
        for answer, each in zip(answers, (foreign, unknown), strict=True)
    ]
    assert bodies[0] == bodies[1]


def test_an_answer_shows_hostile_text_literally(workspace: Workspace) -> None:
    send(workspace, world())
    page = html(member(workspace).get(f"/answers/{uid(workspace, 'answer', 'cites')}?expand=all"))
    assert escape("<b>What</b> happened?") in page
    assert escape(TITLE) in page
    assert escape("<i>Ada</i>") in page
    for markup in ("<script>alert", "<img src=x", "<svg onload", "<b>What", "<i>Ada"):
        assert markup not in page
    # The direction override of the answer is named, not obeyed.
    assert "\u202e" not in page
    assert '<span class="control" title="U+202E RIGHT-TO-LEFT OVERRIDE">U+202E</span>' in page


def test_a_citation_marks_exactly_the_quoted_characters(workspace: Workspace) -> None:
    send(workspace, world())
    page = html(member(workspace).get(f"/citations/{uid(workspace, 'citation', 'q1')}"))
    assert f"<mark>{escape(QUOTE)}</mark>" in page
    before, after = (escape(part) for part in PASSAGE.split(QUOTE))
    assert f"{before}<mark>" in page
    assert f"</mark>{after}" in page
    assert '<blockquote lang="en"' in page


def test_addresses_that_do_not_lead_to_the_web_are_text(workspace: Workspace) -> None:
    send(workspace, world())
    client = member(workspace)
    source = html(client.get(f"/sources/{uid(workspace, 'source', 's')}"))
    citation = html(client.get(f"/citations/{uid(workspace, 'citation', 'q1')}"))
    assert "<dd>javascript:alert(9)</dd>" in source
    for page in (source, citation):
        assert re.findall(r"""href=["']?\s*(?!https?:|/|\#|\?)[a-z]+:""", page) == []


def test_a_citation_says_what_the_source_does_not_state(workspace: Workspace) -> None:
    send(workspace, world())
    page = html(member(workspace).get(f"/citations/{uid(workspace, 'citation', 'q1')}"))
    assert "CC-BY-4.0" in page
    publisher = re.search(r"<dt>Publisher</dt><dd>(.*?)</dd>", page)
    assert publisher is not None
    assert publisher.group(1) == '<span class="unstated">not stated by the source</span>'


def test_a_citation_outside_the_context_says_that_nothing_supports_it(workspace: Workspace) -> None:
    send(workspace, world())
    page = html(member(workspace).get(f"/citations/{uid(workspace, 'citation', 'q2')}"))
    assert "The marker names position 9" in page
    assert "Nothing supports this marker." in page
    assert "<blockquote" not in page.partition("card-head")[2]


def test_a_citation_is_a_fragment_for_htmx_and_a_page_otherwise(workspace: Workspace) -> None:
    send(workspace, world())
    client, path = member(workspace), f"/citations/{uid(workspace, 'citation', 'q1')}"
    whole = client.get(path)
    part = client.get(path, headers=htmx("card-2"))
    assert html(whole).startswith("<!doctype html>")
    assert "<html" not in html(part)
    assert "data-closes" in html(part)
    assert "data-closes" not in html(whole)
    for response in (whole, part):
        assert {"HX-Request", "HX-Target", "Cookie"} <= set(response["Vary"].split(", "))
        assert response["Cache-Control"] == "private, no-store"


def test_an_answer_has_a_link_behind_every_marker_and_a_slot_for_its_card(
    workspace: Workspace,
) -> None:
    send(workspace, world())
    page = html(member(workspace).get(f"/answers/{uid(workspace, 'answer', 'cites')}"))
    citation = uid(workspace, "citation", "q1")
    marker = re.search(rf'<a class="marker[^>]*href="/citations/{citation}"[^>]*>', page)
    assert marker is not None
    assert f'hx-get="/citations/{citation}" hx-target="#card-1"' in marker.group(0)
    assert 'aria-expanded="false" aria-controls="card-1"' in marker.group(0)
    assert page.count('class="card-slot"') == 2
    assert "cites a passage that the model was never given" in page


def test_open_shows_that_card_without_javascript(workspace: Workspace) -> None:
    send(workspace, world())
    citation = uid(workspace, "citation", "q1")
    path = f"/answers/{uid(workspace, 'answer', 'cites')}"
    page = html(member(workspace).get(f"{path}?open={citation}"))
    assert f'id="title-{citation}"' in page
    assert 'aria-expanded="true"' in page


def test_the_rail_tells_why_a_passage_was_dropped(workspace: Workspace) -> None:
    send(workspace, world())
    page = html(member(workspace).get(f"/answers/{uid(workspace, 'answer', 'drops')}"))
    assert "Retrieved and dropped (1)" in page.replace("</h2>", "")
    assert "rank 7</a> · dropped by the reranker" in page


def test_hidden_sources_show_their_shape_only(workspace: Workspace) -> None:
    send(workspace, world(acl=["board"]))
    client = member(workspace)
    pages = {
        path: html(client.get(path.format(uid(workspace, kind, key))))
        for path, kind, key in (
            ("/citations/{}", "citation", "q1"),
            ("/sources/{}", "source", "s"),
            ("/answers/{}?expand=all", "answer", "cites"),
        )
    }
    for path, page in pages.items():
        assert escape(TITLE) not in page, path
        assert escape(PASSAGE) not in page, path
        assert "not visible to you" in page, path
    insider = member(workspace, groups=["board"])
    assert escape(PASSAGE[:20]) in html(
        insider.get(f"/citations/{uid(workspace, 'citation', 'q1')}")
    )


def test_a_source_and_its_creator_lead_to_each_other(workspace: Workspace) -> None:
    send(workspace, world())
    client, source = member(workspace), uid(workspace, "source", "s")
    page = html(client.get(f"/sources/{source}"))
    creator = re.search(r"/creators/(agt_[a-z2-7]{26})", page)
    assert creator is not None
    assert f"/sources/{source}" in html(client.get(creator.group(0)))


def test_pages_speak_the_language_of_the_reader(workspace: Workspace) -> None:
    send(workspace, world())
    page = html(
        member(workspace).get(
            f"/answers/{uid(workspace, 'answer', 'cites')}", headers={"Accept-Language": "pt-BR"}
        )
    )
    assert '<html lang="pt-br">' in page
    assert "Recuperad" in page or "No contexto" in page or "Citadas" in page
    assert "1 de março de 2026" in page


def test_a_case_does_not_silence_markers_that_lead_to_nothing(workspace: Workspace) -> None:
    send(workspace, world())
    case = Case.objects.create(
        workspace=workspace, uid="cas_" + "b" * 26, kind="retraction", created_at=clock.now()
    )
    source = Node.objects.get(workspace=workspace, kind="source", key="s")
    Withdrawal.objects.create(workspace=workspace, case=case, node=source, at=clock.now())
    page = html(member(workspace).get(f"/answers/{uid(workspace, 'answer', 'cites')}"))
    assert f"/cases/{case.uid}" in page
    assert page.count("1 of 2 claims cites a passage that the model was never given.") == 1


def test_an_answer_tells_parameters_remarks_and_what_else_its_record_says(
    workspace: Workspace,
) -> None:
    more = {"parameters": {"temperature": 0.2, "<b>stop": ["\n"]}, "trace_colour": "<i>teal"}
    send(workspace, [*world(), record("answer", "told", text="No.", **more)])
    page = html(member(workspace).get(f"/answers/{uid(workspace, 'answer', 'told')}"))
    fold = page.partition("How was this answer made?</summary>")[2]
    assert "<dt>temperature</dt><dd>0.2</dd>" in fold
    assert "<dt>&lt;b&gt;stop</dt><dd>[&quot;\\n&quot;]</dd>" in fold
    assert '<dt>trace_colour</dt><dd class="written">&lt;i&gt;teal</dd>' in fold
    assert "<span>It came with a field that nobody knows.</span>" in fold
    plain = html(member(workspace).get(f"/answers/{uid(workspace, 'answer', 'drops')}"))
    assert "How was this answer made?" not in plain


def test_what_a_reader_may_not_see_is_masked_in_what_else_the_record_says(
    workspace: Workspace,
) -> None:
    send(workspace, world(acl=["board"]))
    told = {"parameters": {"stop": [PASSAGE]}, "context_sent": {"first": PASSAGE}}
    send(workspace, [record("answer", "tells", context="x1", text="No.", **told)])
    path = f"/answers/{uid(workspace, 'answer', 'tells')}"
    outside, inside = (html(member(workspace, groups=each).get(path)) for each in ((), ["board"]))
    assert escape(PASSAGE[:20]) not in outside
    assert outside.count("█" * 20) == 2
    assert inside.count(escape(PASSAGE)) == 2


def test_orcid_and_ror_are_linked_beside_the_name(workspace: Workspace) -> None:
    ror = "https://ror.org/02mhbdp94"
    makers = [
        {"name": "Ada & <i>Bo", "orcid": "https://orcid.org/0000-0002-1825-0097"},
        {"name": "House", "ror": ror}, {"name": "Cy", "orcid": "javascript:alert(1)"},
    ]  # fmt: skip
    press = "https://ror.org/05dxps055"
    publisher = {"name": "Open Press", "ror": press}
    work = record("source", "s", title=TITLE, creators=makers, publisher=publisher)
    send(workspace, [*world()[1:], work])
    client = member(workspace)
    rel = 'rel="noopener noreferrer external"'
    orcid = f'href="https://orcid.org/0000-0002-1825-0097" {rel}'
    for path, kind, key in (("citations", "citation", "q1"), ("sources", "source", "s")):
        page = html(client.get(f"/{path}/{uid(workspace, kind, key)}"))
        assert f'{orcid} aria-label="ORCID of Ada &amp; &lt;i&gt;Bo">ORCID</a>' in page
        for name, at in (("House", ror), ("Open Press", press)):
            assert f'href="{at}" {rel} aria-label="ROR of {name}">ROR</a>' in page
        assert '<span class="soft">ORCID javascript:alert(1)</span>' in page
    # On paper the numbers themselves are read.
    printed = html(client.get(f"/answers/{uid(workspace, 'answer', 'cites')}/print"))
    assert f"{orcid}>ORCID https://orcid.org/0000-0002-1825-0097</a>" in printed
    for at in (ror, press):
        assert f'href="{at}" {rel}>ROR {at}</a>' in printed
