"""Every page by keyboard alone: one stop for each thing, in the order of reading, always in sight, and no trap."""

import pytest
from playwright.sync_api import Browser, expect

from tests.browser import journeys
from tests.browser.keyboard import focusable, press_on, stops
from tests.browser.visiting import Visit, sign_in, visit
from tests.servers.product import Product
from tests.thorough import THOROUGH, long_only

pytestmark = pytest.mark.needs_chromium


def test_the_first_stop_leads_past_the_bar(browser: Browser, demo_stack: Product) -> None:
    with visit(browser, demo_stack) as seen:
        page = seen.page
        seen.open("/sources/")
        page.keyboard.press("Tab")
        skip = page.locator(".skip")
        expect(skip).to_be_focused()
        assert skip.evaluate("element => element.getBoundingClientRect().top") >= 0
        page.keyboard.press("Enter")
        expect(page.locator("#main")).to_be_focused()
        page.keyboard.press("Tab")
        assert page.evaluate("document.querySelector('main').contains(document.activeElement)")


def test_single_keys_are_listed_and_can_be_switched_off_for_good(
    browser: Browser, demo_stack: Product
) -> None:
    with visit(browser, demo_stack) as seen:
        page = seen.page
        field = page.locator("#search-field")
        seen.open("/sources/")
        page.keyboard.press("/")
        expect(field).to_be_focused()
        # What is typed there is text.
        page.keyboard.press("?")
        expect(field).to_have_value("?")
        page.locator("#main").focus()
        page.keyboard.press("?")
        page.wait_for_url("**/shortcuts/")
        page.locator("[data-shortcuts]").uncheck()
        expect(field.locator("xpath=following-sibling::kbd")).to_be_hidden()
        page.reload()
        expect(page.locator("[data-shortcuts]")).not_to_be_checked()
        seen.open("/sources/")
        page.locator("#main").focus()
        for key in ("/", "?"):
            page.keyboard.press(key)
        expect(page.locator("#main")).to_be_focused()
        assert page.url.endswith("/sources/")
        assert seen.wrong == []
    with visit(browser, demo_stack, java_script_enabled=False) as seen:
        seen.open("/sources/")
        seen.page.get_by_role("link", name="Keyboard").click()
        assert "these shortcuts do nothing" in seen.page.locator("main").inner_text()
        assert seen.page.locator("[data-shortcuts]").is_hidden()


def paths(seen: Visit) -> list[str]:
    """A page of each sort: with an answer, a source, a picture, a report, a form, a result."""
    seen.open("/sources/")
    source = seen.uids("src")[0]
    seen.open("/answers/")
    answer = seen.uids("ans")[0]
    few = [f"/answers/{answer}", f"/sources/{source}", f"/cases/new?target={source}"]
    more = [
        "/", "/answers/", "/sources/", "/cases/", "/inbox/", "/unresolved/", "/components/",
        f"/answers/{answer}?expand=all", f"/answers/{answer}/references", f"/lineage/{answer}",
        f"/lineage/{source}/impact", "/facts/contradictions", "/search?q=alpha",
    ]  # fmt: skip
    return few + more if THOROUGH else few


@pytest.mark.parametrize("width", [360, 1280] if THOROUGH else [360])
def test_tab_stops_once_at_each_thing_in_order_and_in_sight(
    browser: Browser, demo_stack: Product, every_kind: tuple[str, str], width: int
) -> None:
    with visit(browser, demo_stack, role=None, viewport={"width": width, "height": 780}) as seen:
        sign_in(seen, *every_kind)
        for path in paths(seen):
            seen.open(path)
            expected = focusable(seen.page)
            assert stops(seen.page) == expected, path


def test_the_focus_stays_with_what_was_pressed_though_the_list_comes_anew(
    browser: Browser, demo_stack: Product, every_kind: tuple[str, str]
) -> None:
    with visit(browser, demo_stack, role=None) as seen:
        page = seen.page
        sign_in(seen, *every_kind)
        seen.open("/sources/?q=Handbook")
        source = seen.uids("src")[0]
        chosen = page.locator("main a[aria-current]:focus")
        for path, pressed in (
            ("/answers/", "a.chip[href$='state=current']"),
            # Two lead to the same list: of everything, of anybody's.
            ("/cases/", "a.chip[href='/cases/'] >> nth=1"),
            ("/cases/", "a.chip[href$='state=draft']"),
            ("/components/", "a.chip[href*='kind=']"),
            # These stand beside the list that they narrow down.
            (f"/lineage/{source}/impact", "a.tile[href*='grade=cited']"),
        ):
            seen.open(path)
            name = page.locator(pressed).first.text_content() or ""
            with page.expect_response(lambda got: "hx-request" in got.request.headers):
                press_on(page, page.locator(pressed).first)
            expect(chosen).to_have_text(name)
        assert seen.wrong == []


@long_only  # without a script it is done every day
def test_a_reader_reads_compares_and_searches(
    browser: Browser, demo_stack: Product, every_kind: tuple[str, str]
) -> None:
    with visit(browser, demo_stack, role=None) as seen:
        journeys.sign_in_by_keyboard(seen, *every_kind)
        journeys.read_a_citation(seen, javascript=True)
        journeys.compare_versions(seen)
        journeys.search(seen, "handb", "Handbook")
        assert seen.wrong == []


@long_only  # without a script it is done every day
def test_an_editor_finds_what_is_affected_and_files_a_case(
    browser: Browser, demo_stack: Product, every_kind: tuple[str, str]
) -> None:
    with visit(browser, demo_stack, role=None) as seen:
        journeys.sign_in_by_keyboard(seen, *every_kind)
        journeys.search(seen, "handb", "Handbook")
        source = seen.page.url
        journeys.see_what_is_affected(seen)
        seen.page.goto(source)
        journeys.file_a_case(seen, "license_change", "Done, and proved complete.")
        assert seen.wrong == []


@long_only  # without a script it is done every day
def test_a_reader_asks_for_a_correction_and_an_editor_decides(
    browser: Browser, demo_stack: Product, every_kind: tuple[str, str]
) -> None:
    with visit(browser, demo_stack, role=None) as seen:
        journeys.sign_in_by_keyboard(seen, *every_kind)
        journeys.open_the_answer(seen)
        journeys.ask_for_a_correction(seen)
        journeys.decide_and_lift(seen, "Done, and proved complete.")
        assert seen.wrong == []


@long_only  # without a script it is done every day
def test_an_operator_works_on_an_incident(
    browser: Browser, demo_stack: Product, every_kind: tuple[str, str]
) -> None:
    with visit(browser, demo_stack, role=None) as seen:
        journeys.sign_in_by_keyboard(seen, *every_kind)
        journeys.search(seen, "handb", "Handbook")
        journeys.work_on_an_incident(seen, "Signs dropped")
        assert seen.wrong == []
