"""Text that would run if it could: shown letter by letter on every page, nothing runs, nothing is refused by CSP."""

from typing import Final
from urllib.parse import quote, urlencode

import pytest
from playwright.sync_api import Browser, Response, expect

from tests.browser.every_page import Found, found_for, signed_in
from tests.browser.hostile import ALL, CORPUS, NAMED, TOLD, everywhere, key_of
from tests.browser.visiting import Visit, member_with_password, sign_in, visit
from tests.pages.world import PASSAGE, QUOTE, TITLE, record, world
from tests.servers.product import Product
from tests.thorough import THOROUGH, long_only

pytestmark = pytest.mark.needs_chromium

SLUG = "hostile"
# Of each page, so many forms of its address.
FORMS: Final = 6 if THOROUGH else 1
# So few at once that the address stays one that the web server takes; those that decide whether
# there is a page at all by themselves.
PARAMETERS: Final = (
    ("q", "state", "grade", "kind", "from", "to", "around"),
    ("open", "expand", "start", "page", "style", "direction", "stage"),
    ("target", "reason", "evidence", "address", "next"),
    ("ws", "cursor"),
)


@pytest.fixture(scope="module")
def hostile(stack: Product) -> tuple[str, str]:
    """A workspace whose every text is markup; name and password of its editor."""
    key = stack.new_key(slug=SLUG)
    answer = stack.request("POST", "/api/v1/records", body={"records": world()}, key=key)
    assert answer.json()["rejected"] == 0
    return member_with_password(stack, SLUG)


def test_markup_in_a_passage_is_shown_literally_and_marked_exactly(
    browser: Browser, stack: Product, hostile: tuple[str, str]
) -> None:
    with visit(browser, stack, role=None) as seen:
        sign_in(seen, *hostile)
        page = seen.page
        seen.open("/answers/")
        page.click("text=<b>What</b> happened?")
        page.locator("a.marker[hx-get]").first.click()
        card = page.locator(".card-slot .card")
        expect(card.locator("mark")).to_have_text(QUOTE)
        assert PASSAGE in card.locator("blockquote .taken").inner_text()
        expect(card.locator("h2")).to_contain_text(TITLE)
        expect(page.locator(".answer-text .control").first).to_have_text("U+202E")
        assert seen.wrong == []


@pytest.fixture(scope="module")
def hostile_everywhere(stack: Product) -> tuple[tuple[str, str], list[Found]]:
    """A workspace with the corpus in every field of every kind, its editor, and its pages."""
    slug = "hostile-everywhere"
    key = stack.new_key(slug=slug)
    sent = stack.request("POST", "/api/v1/records", body={"records": everywhere()}, key=key)
    assert sent.json()["rejected"] == 0
    target = {"kind": "source", "key": key_of("source")}
    drafted = stack.request(
        "POST", "/api/v1/cases", key=key,
        body={"kind": "concern", "targets": [target], "reason": ALL, "evidence": list(CORPUS)},
    )  # fmt: skip
    assert drafted.status in (200, 201), drafted
    case = f"/api/v1/cases/{drafted.json()['uid']}"
    for step, body in (("dry-run", {}), ("approve", {}), ("comments", {"text": TOLD})):
        done = stack.request("POST", f"{case}/{step}", key=key, body=body)
        assert done.status < 300, (step, done)
    about = {"component": key_of("component")}
    asked = {"title": NAMED, "note": f"note {TOLD}", "question": about}
    opened = stack.request("POST", "/api/v1/incidents", key=key, body=asked)
    assert opened.status == 201, opened
    member = member_with_password(
        stack, slug, "admin",
        besides=f"workspace.name = {NAMED!r}; workspace.save();"
        f"workspace.api_keys.update(label={NAMED!r})",
    )  # fmt: skip
    session = signed_in(stack, *member)
    citation = stack.request(
        "GET", f"/api/v1/resolve?{urlencode({'kind': 'citation', 'key': 'another'})}", key=key
    )
    wrong = f"/corrections/about/{citation.json()['items'][0]['uid']}"
    for form, fields in (
        ("/views/new", {"name": NAMED, "address": "/answers/"}),
        (
            wrong,
            {
                "wrong": "outdated",
                "reason": f"reason {TOLD}",
                "evidence": f"evidence {TOLD}"[:1_900],
            },
        ),
    ):
        assert session.post(form, page=form, **fields).status < 400, form
    return member, found_for(stack, member, FORMS)


# Where a character that reorders what stands around it would do so.
_REORDERED = """() => [document.title, document.body.innerText,
  ...Array.from(document.querySelectorAll("[aria-label], [title]")).flatMap(each => [each.ariaLabel, each.title])]
  .filter(said => said && said.includes("\u202e")).map(said => said.slice(Math.max(0, said.indexOf("\u202e") - 100)).slice(0, 120))"""
# Elements and attributes that only the corpus has; links that run or lead away from the frame.
_PLANTED = """() => [
  ...document.querySelectorAll("main script:not([src]), iframe, math, base, link[href*=invalid], meta[http-equiv=refresh][content*=invalid]," +
    "[onerror], [onload], [onfocus], [onmouseover], [ontoggle]"),
  ...Array.from(document.querySelectorAll("[href], [src], [action], [formaction]")).filter(element =>
    ["href", "src", "action", "formaction"].some(name => /^\\s*(javascript|data|vbscript):/i.test(element.getAttribute(name) ?? ""))),
].map(element => element.outerHTML.slice(0, 200))"""


def look_for_what_ran(seen: Visit) -> None:
    """Fails if a script of the corpus ran, if something of it became markup, or if the policy had to help."""
    page = seen.page
    assert page.evaluate("window.ran") is None, page.url
    assert page.evaluate(_PLANTED) == [], page.url
    # The console repeats the status of a page that refuses what it was asked for.
    assert [each for each in seen.wrong if "Failed to load resource" not in each] == [], page.url


@long_only  # each page; each day those that most of it is on
def test_no_page_runs_what_people_wrote(
    browser: Browser, stack: Product, hostile_everywhere: tuple[tuple[str, str], list[Found]]
) -> None:
    member, found = hostile_everywhere
    shown, policies, reordered = set[str](), set[str](), set[tuple[str, str]]()

    def note(response: Response) -> None:
        policies.add(response.headers.get("content-security-policy", "none"))

    with visit(browser, stack, role=None) as seen:
        sign_in(seen, *member)
        seen.page.on("response", note)
        for each in found:
            seen.open(each.path)
            look_for_what_ran(seen)
            reordered.update((each.path, said) for said in seen.page.evaluate(_REORDERED))
            if CORPUS[1] in seen.page.locator("main").inner_text():
                shown.add(each.route)
    assert shown >= {
        "answers/<str:uid>", "citations/<str:uid>", "sources/<str:uid>", "passages/<str:uid>",
        "lineage/<str:uid>", "answers/", "sources/", "facts/<str:uid>", "cases/<str:uid>",
        "answers/<str:uid>/print", "answers/<str:uid>/copy.html", "answers/<str:uid>/references",
        "incidents/", "incidents/<str:uid>", "views/", "corrections/", "settings/keys/",
    }  # fmt: skip
    assert reordered == set()
    (policy,) = {each for each in policies if "script-src" in each}
    assert "unsafe" not in policy
    assert policies - {policy} <= {"none"}, "static files alone have none"


def test_nothing_runs_in_what_opens_in_place_or_in_a_form(
    browser: Browser, stack: Product, hostile_everywhere: tuple[tuple[str, str], list[Found]]
) -> None:
    with visit(browser, stack, role=None) as seen:
        page = seen.page
        seen.open("/accounts/sign-in/")
        page.fill("[name=username]", ALL[:150])
        page.fill("[name=password]", ALL)
        page.locator("form:has([name=password]) button[type=submit]").click()
        page.wait_for_selector("[role=alert]")
        look_for_what_ran(seen)
        sign_in(seen, *hostile_everywhere[0])
        seen.open("/answers/")
        answer = seen.uids("ans")[0]
        seen.open(f"/answers/{answer}")
        page.locator(".answer-text a.marker[hx-get]").first.click()
        card = page.locator(".card-slot .card")
        expect(card).to_be_visible()
        for fold in card.locator("summary").all():
            fold.click()
        page.wait_for_load_state("networkidle")
        look_for_what_ran(seen)
        seen.open("/cases/new")
        for name in ("q", "reason", "evidence"):
            page.fill(f"main [name={name}]", ALL[:400])
        page.locator("main button[name=draft]").click()
        page.wait_for_selector("[role=alert]")
        look_for_what_ran(seen)
        expect(page.locator("#reason")).to_have_value(ALL[:400])


@long_only  # a page for each payload
@pytest.mark.parametrize("payload", [CORPUS[3], CORPUS[4], CORPUS[6], CORPUS[9]])
def test_what_an_address_says_is_never_markup(
    browser: Browser,
    stack: Product,
    hostile_everywhere: tuple[tuple[str, str], list[Found]],
    payload: str,
) -> None:
    """In each parameter that a page reads, on each page, and on the pages that refuse it."""
    member, found = hostile_everywhere
    with visit(browser, stack, role=None) as seen:
        seen.open("/accounts/sign-in/?next=" + quote(payload))
        look_for_what_ran(seen)
        sign_in(seen, *member)
        for each in {one.route: one for one in found}.values():
            path = each.path.partition("?")[0]
            for names in PARAMETERS:
                seen.open(f"{path}?{urlencode(dict.fromkeys(names, payload))}")
                assert seen.page.locator("header.bar").count() == 1, seen.page.url
                look_for_what_ran(seen)


def test_words_without_end_do_not_widen_a_page(
    browser: Browser, stack: Product, hostile: tuple[str, str]
) -> None:
    endless = [
        record("source", "w", title="w" * 2_000, creators=[{"name": "c" * 500}]),
        record("source_version", "w@1", source="w", version="v" * 500, license="l" * 500),
        record("document", "wd", source_version="w@1", text="t" * 2_000),
    ]
    sent = stack.request(
        "POST", "/api/v1/records", body={"records": endless}, key=stack.new_key(slug=SLUG)
    )
    assert sent.json()["rejected"] == 0
    with visit(browser, stack, role=None, viewport={"width": 360, "height": 780}) as seen:
        sign_in(seen, *hostile)
        page = seen.page
        seen.open("/sources/?q=" + "w" * 300)
        (source,) = seen.uids("src")
        seen.open(f"/cases/new?target={source}&kind=correction")
        page.fill("[name=reason]", "r" * 10_000)
        page.fill("[name=evidence]", "e" * 4_000)
        page.click("button[name=draft]")
        page.wait_for_url("**/cases/cas_*")
        wide = []
        for path in (page.url.removeprefix(seen.base_url), "/cases/", "/sources/", "/", f"/sources/{source}",
                     f"/lineage/{source}", f"/lineage/{source}/impact"):  # fmt: skip
            seen.open(path)
            if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
                wide.append(path)
        assert wide == []
