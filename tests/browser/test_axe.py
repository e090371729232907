"""No page breaks a rule of accessibility that a machine can check: in each theme and language, on a phone and a desk."""

import json
from importlib.resources import files
from itertools import product as every_pair
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.every_page import EveryPage, found_by_links, page_routes
from tests.browser.test_picture import box, open_document
from tests.browser.visiting import Visit, sign_in, visit
from tests.servers.product import Product
from tests.thorough import THOROUGH, long_only

pytestmark = pytest.mark.needs_chromium

# Of each page, so many forms of its address: plain, filtered, expanded, another kind of node.
FORMS: Final = 4 if THOROUGH else 1
VARIANTS: Final = list(every_pair(("light", "dark"), ("en", "pt-BR"), (320, 1280)))
USUAL: Final = [("dark", "pt-BR", 320)]

RULES: Final = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")
AXE: Final = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
# Every fold of the page; then the menus of its bar, which lie over what is beneath them.
OPEN_FOLDS: Final = "document.querySelectorAll('details').forEach(each => { each.open = !each.closest('header.bar'); })"
_OPEN_MENUS: Final = (
    "document.querySelectorAll('header.bar details').forEach(each => { each.open = true; })"
)
_CHECK: Final = """async ([where, tags]) => {
  if (!document.querySelector(where)) return [];
  const found = await axe.run(where, {runOnly: tags, resultTypes: ["violations"]});
  return found.violations.flatMap(rule => rule.nodes.map(node =>
    `${rule.id}: ${node.target.join(" ")} ${node.html.slice(0, 160)} ${node.failureSummary.slice(0, 240)}`));
}"""


def violations(page: Page) -> list[str]:
    """What axe-core finds wrong, every fold open. It is brought by the test, past the page's policy."""
    page.evaluate(f"{AXE};0")
    page.evaluate(OPEN_FOLDS)
    found: list[str] = page.evaluate(_CHECK, ["html", list(RULES)])
    page.evaluate(_OPEN_MENUS)
    found += page.evaluate(_CHECK, ["header.bar details", list(RULES)])
    return found


@pytest.fixture(scope="module")
def every_page(demo_stack: Product, every_kind: tuple[str, str]) -> EveryPage:
    return found_by_links(demo_stack, every_kind, FORMS + 1)


def test_links_lead_to_every_page(every_page: EveryPage) -> None:
    assert {each.route for each in every_page.found} == page_routes()


@pytest.mark.parametrize(("theme", "language", "width"), VARIANTS if THOROUGH else USUAL)
def test_no_page_breaks_a_rule(
    browser: Browser,
    demo_stack: Product,
    every_page: EveryPage,
    theme: str,
    language: str,
    width: int,
) -> None:
    options = {
        "color_scheme": theme, "locale": language, "viewport": {"width": width, "height": 780},
    }  # fmt: skip
    wrong: dict[str, list[str]] = {}

    def look(seen: Visit, path: str) -> None:
        seen.open(path)
        if found := violations(seen.page):
            wrong[path] = found

    with (
        visit(browser, demo_stack, role="editor", **options) as demo,
        visit(browser, demo_stack, role=None, **options) as member,
    ):
        look(member, "/accounts/sign-in/")
        sign_in(member, every_page.name, every_page.password)
        for each in every_page.some(FORMS):
            look(demo if each.in_demo else member, each.path)
        assert demo.page.locator("html").get_attribute("lang") == language.lower()
    assert not wrong, json.dumps(wrong, indent=1)


def test_what_opens_and_what_goes_wrong_breaks_no_rule_either(
    browser: Browser, demo_stack: Product, every_page: EveryPage
) -> None:
    with visit(browser, demo_stack, role=None, viewport={"width": 320, "height": 780}) as seen:
        page = seen.page
        seen.open("/accounts/sign-in/")
        page.fill("[name=username]", "nobody")
        page.fill("[name=password]", "nothing")
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_selector("[role=alert]")
        assert violations(page) == []
        sign_in(seen, every_page.name, every_page.password)
        seen.open("/answers/")
        page.get_by_role("link", name="And delta?").click()
        page.locator("a.marker[hx-get]").first.click()
        page.wait_for_selector(".card-slot .card")
        assert violations(page) == []
        seen.open("/cases/new")
        page.get_by_role("button", name="Make the draft").click()
        page.wait_for_selector("[role=alert]")
        assert violations(page) == []
        seen.open("/sources/src_" + "a" * 26)
        assert violations(page) == []
        seen.open("/search?q=nothing+has+these+words")
        assert violations(page) == []


@long_only
@pytest.mark.parametrize(("theme", "language", "width"), VARIANTS)
def test_opened_states_break_no_rule(
    browser: Browser,
    demo_stack: Product,
    every_kind: tuple[str, str],
    theme: str,
    language: str,
    width: int,
) -> None:
    options: dict[str, Any] = {
        "color_scheme": theme, "locale": language, "viewport": {"width": width, "height": 780},
    }  # fmt: skip
    wrong: dict[str, list[str]] = {}

    def look(seen: Visit, state: str) -> None:
        if found := violations(seen.page):
            wrong[state] = found

    with visit(browser, demo_stack, role=None, **options) as seen:
        page = seen.page
        sign_in(seen, *every_kind)
        seen.open("/answers/")
        page.get_by_role("link", name="And delta?").click()
        (erased, *_) = seen.uids("src", ".rail a")
        gone = page.goto(f"{seen.base_url}/sources/{erased}")
        assert gone is not None
        assert gone.status == 410
        look(seen, "tombstone")
        seen.open("/answers/")
        page.get_by_role("link", name="What is cited thrice?").click()
        page.locator("a.marker[hx-get]").first.click()
        page.wait_for_selector(".card-slot .card")
        with page.expect_response("**/since"):
            page.evaluate(OPEN_FOLDS)
        look(seen, "card in place")
        page.goto(page.url.split("?")[0] + "?expand=all")
        assert page.locator(".card-slot .card").count() == 3
        look(seen, "all expanded")
    with visit(browser, demo_stack, **options) as seen:
        document = open_document(seen)
        chunk = box(seen.page, "chk").first.get_attribute("data-uid")
        for state in (f"?node={chunk}", "?open=chunk"):
            seen.open(f"/lineage/{document}{state}")
            assert seen.page.locator("#drawer h2").count() == state.startswith("?node")
            look(seen, state)
    assert wrong == {}
