"""The reader's journey: by keyboard, without JavaScript, on a phone, in forced colours and in Portuguese."""

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.visiting import Visit, sign_in, visit
from tests.servers.product import Product
from tests.thorough import THOROUGH

pytestmark = pytest.mark.needs_chromium

PAGES = ("/", "/answers/", "/sources/", "/components/", "/cases/", "/search?q=genome")


def open_answer_with_marker(visit: Visit) -> None:
    """The latest answer that cites something."""
    visit.open("/answers/")
    for uid in visit.uids("ans"):
        visit.open(f"/answers/{uid}")
        if visit.page.locator("a.marker[hx-get]").count():
            return
    pytest.fail("no answer of the demo has a marker")


def test_a_marker_opens_its_card_in_place_by_keyboard(
    browser: Browser, demo_stack: Product
) -> None:
    with visit(browser, demo_stack) as seen:
        open_answer_with_marker(seen)
        page, marker = seen.page, seen.page.locator("a.marker[hx-get]").first
        address = page.url
        marker.focus()
        page.keyboard.press("Enter")
        card = page.locator(".card-slot .card")
        expect(card).to_have_count(1)
        expect(marker).to_have_attribute("aria-expanded", "true")
        expect(card.locator("h2")).to_be_focused()
        assert card.locator("mark").count() >= 1
        expect(page.locator(".rail .evidence.chosen")).to_have_count(1)
        page.keyboard.press("Escape")
        expect(card).to_have_count(0)
        expect(marker).to_be_focused()
        expect(marker).to_have_attribute("aria-expanded", "false")
        expect(page.locator(".rail .evidence.chosen")).to_have_count(0)
        # Once more, and closed by the marker itself.
        page.keyboard.press("Enter")
        expect(card).to_have_count(1)
        marker.focus()
        page.keyboard.press("Enter")
        expect(card).to_have_count(0)
        expect(marker).to_be_focused()
        assert page.url == address
        assert seen.wrong == []


def test_of_several_open_cards_only_the_one_that_is_left_closes(
    browser: Browser, demo_stack: Product, every_kind: tuple[str, str]
) -> None:
    with visit(browser, demo_stack, role=None) as seen:
        sign_in(seen, *every_kind)
        page = seen.page
        seen.open("/answers/")
        page.click("text=What is cited thrice?")
        page.click("text=Open all citations")
        markers, cards = page.locator(".answer-text .marker"), page.locator(".card-slot .card")
        uids = [marker.get_attribute("data-lights") for marker in markers.all()]

        def standing() -> tuple[list[str | None], list[str | None]]:
            return (
                [card.get_attribute("data-citations") for card in cards.all()],
                [marker.get_attribute("aria-expanded") for marker in markers.all()],
            )

        expect(cards).to_have_count(3)
        cards.nth(1).locator("h2").focus()
        page.keyboard.press("Escape")
        assert standing() == ([uids[0], uids[2]], ["true", "false", "true"])
        expect(markers.nth(1)).to_be_focused()
        # By its own marker, then by its cross.
        markers.nth(2).focus()
        page.keyboard.press("Enter")
        assert standing() == ([uids[0]], ["true", "false", "false"])
        expect(markers.nth(2)).to_be_focused()
        cards.nth(0).locator("[data-closes]").click()
        assert standing() == ([], ["false", "false", "false"])
        expect(markers.nth(0)).to_be_focused()
        expect(page.locator(".card-slot")).to_be_empty()
        page.keyboard.press("Enter")
        expect(cards).to_have_count(1)
        assert standing() == ([uids[0]], ["true", "false", "false"])
        assert seen.wrong == []


def test_evidence_lights_up_with_its_marker(browser: Browser, demo_stack: Product) -> None:
    with visit(browser, demo_stack) as seen:
        open_answer_with_marker(seen)
        marker = seen.page.locator("a.marker[hx-get]").first
        evidence = seen.page.locator(".rail .evidence").first
        expect(evidence).not_to_have_class("evidence lit")
        marker.focus()
        expect(evidence).to_have_class("evidence lit")


def test_slash_leads_to_the_search(browser: Browser, demo_stack: Product) -> None:
    with visit(browser, demo_stack) as seen:
        seen.open("/answers/")
        seen.page.keyboard.press("/")
        expect(seen.page.locator("#search-field")).to_be_focused()
        seen.page.keyboard.type("transcriptome")
        seen.page.keyboard.press("Enter")
        seen.page.wait_for_url("**/search?q=transcriptome")
        seen.page.click(".result .title a >> nth=0")
        expect(seen.page.locator("h1")).to_contain_text("Transcriptome")


def test_the_journey_without_javascript(browser: Browser, demo_stack: Product) -> None:
    with visit(browser, demo_stack, java_script_enabled=False) as seen:
        open_answer_with_marker(seen)
        page = seen.page
        page.locator("a.marker[hx-get]").first.click()
        page.wait_for_url("**/citations/cit_*")
        expect(page.locator(".card .facts dt")).to_contain_text(["Publisher", "Version", "Licence"])
        page.click("text=Versions and notices")
        page.wait_for_url("**/sources/src_*")
        page.click("text=Affected answers")
        page.wait_for_url("**/impact")
        page.click(".tile >> nth=0")
        page.wait_for_url("**/impact?grade=cited")
        expect(page.locator(".affected tbody tr").first).to_contain_text("cited")
        page.click(".affected tbody tr a >> nth=0")
        page.wait_for_url("**/answers/ans_*")


# The narrowest each day: what fits there fits on wider screens, but for what only they show.
@pytest.mark.parametrize("width", [320, 360, 1360] if THOROUGH else [320])
def test_no_page_scrolls_sideways(browser: Browser, demo_stack: Product, width: int) -> None:
    with visit(
        browser, demo_stack, role="editor", viewport={"width": width, "height": 780}
    ) as seen:
        seen.open("/sources/")
        source = seen.uids("src")[0]
        seen.open("/answers/")
        answer = seen.uids("ans")[0]
        paths = [
            *PAGES, f"/answers/{answer}?expand=all", f"/sources/{source}", f"/lineage/{source}",
            f"/lineage/{source}/impact", f"/lineage/{answer}", f"/cases/new?target={source}",
            "/answers/ans_" + "a" * 26,
        ]  # fmt: skip
        wide = []
        for path in paths:
            seen.open(path)
            if seen.page.evaluate("document.documentElement.scrollWidth > innerWidth"):
                wide.append(path)
        assert wide == []
        # What lies over a page is on the screen as well, and makes no page wider where it is not.
        seen.open(f"/lineage/{source}")
        seen.page.click(".keys summary")
        box = seen.page.locator(".keys-list").bounding_box()
        assert box is not None
        assert 0 <= box["x"] <= box["x"] + box["width"] <= width


def test_pages_have_one_heading_names_for_controls_and_targets_large_enough(
    browser: Browser, demo_stack: Product
) -> None:
    with visit(browser, demo_stack, role="editor") as seen:
        for path in PAGES:
            seen.open(path)
            page = seen.page
            assert page.locator("h1").count() == 1, path
            nameless = page.eval_on_selector_all(
                "a, button, input:not([type=hidden]), select, textarea",
                """all => all.filter(e => !(e.innerText || e.textContent).trim() && !e.getAttribute("aria-label")
                     && !(e.labels && e.labels.length)).map(e => e.outerHTML)""",
            )
            assert nameless == [], path
            small = page.eval_on_selector_all(
                "button, .button, .chip, .marker, .bar nav a",
                """all => all.map(e => [e.getBoundingClientRect(), e.textContent.trim()])
                     .filter(([box]) => box.width > 1 && (box.height < 24 || box.width < 24)).map(([, text]) => text)""",
            )
            assert small == [], path
        assert seen.wrong == []


def test_states_are_told_in_words_where_colours_are_forced(
    browser: Browser, demo_stack: Product
) -> None:
    with visit(browser, demo_stack, forced_colors="active") as seen:
        seen.open("/answers/")
        badge = seen.page.locator(".list .badge").first
        assert badge.inner_text().strip()
        assert badge.locator("svg").count() == 1
        assert badge.evaluate("e => getComputedStyle(e).borderTopStyle") == "solid"


def test_pages_are_in_portuguese_for_who_reads_portuguese(
    browser: Browser, demo_stack: Product
) -> None:
    with visit(browser, demo_stack, role=None, locale="pt-BR") as seen:
        seen.open("/accounts/sign-in/")
        seen.page.click("button[name=role][value=editor]")
        seen.page.wait_for_url(f"{demo_stack.base_url}/")
        expect(seen.page.locator("html")).to_have_attribute("lang", "pt-br")
        expect(seen.page.locator("h1")).to_have_text(
            "Quem disse, em que versão, e isso ainda vale?"
        )
        seen.page.set_viewport_size({"width": 1360, "height": 780})
        bar = [_height(seen, "header.bar")]
        seen.page.click("button[name=language]")
        expect(seen.page.locator("html")).to_have_attribute("lang", "en")
        bar.append(_height(seen, "header.bar"))
        assert bar == [_height(seen, ".bar nav") + 1] * 2, "all in one line, in each language"
        assert seen.wrong == []


def _height(seen: Visit, selector: str) -> int:
    height: int = seen.page.eval_on_selector(selector, "element => element.offsetHeight")
    return height


def test_going_back_after_signing_out_shows_nothing(browser: Browser, demo_stack: Product) -> None:
    with visit(browser, demo_stack) as seen:
        seen.open("/answers/")
        seen.page.click("text=Sign out")
        seen.page.wait_for_url("**/accounts/sign-in/**")
        seen.page.go_back()
        seen.page.wait_for_url("**/accounts/sign-in/**")
