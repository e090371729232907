"""Hits as one types, by the keyboard alone; and the same journey where no script runs."""

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.visiting import visit
from tests.servers.product import Product

pytestmark = pytest.mark.needs_chromium


def test_hits_under_the_box_by_the_keyboard_alone(browser: Browser, demo_stack: Product) -> None:
    with visit(browser, demo_stack) as seen:
        page = seen.page
        seen.open("/answers/")
        box, hits = page.locator("#search-field"), page.locator("#suggestions")
        page.keyboard.press("/")
        page.keyboard.type("transcript")
        expect(hits.locator("li a").first).to_be_visible()
        expect(page.locator("#suggestions-count")).to_contain_text("hit")
        page.keyboard.press("Escape")
        expect(hits).to_be_empty()
        expect(box).to_be_focused()
        page.keyboard.type("ome")
        expect(hits.locator("mark").first).to_have_text("Transcriptome")
        page.keyboard.press("ArrowDown")
        expect(hits.locator("li a").first).to_be_focused()
        page.keyboard.press("ArrowUp")
        expect(box).to_be_focused()
        page.keyboard.press("ArrowDown")
        # Whoever types on is back in the box.
        page.keyboard.type("x")
        expect(box).to_have_value("transcriptomex")
        page.keyboard.press("Backspace")
        expect(hits.locator("li a").first).to_be_visible()
        first = hits.locator("li a").first.get_attribute("href")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        page.wait_for_url(f"**{first}")
        # Focus that leaves closes what hangs over the page.
        page.keyboard.press("/")
        page.keyboard.type("genome")
        expect(hits.locator("li a").first).to_be_visible()
        page.mouse.click(20, 600)
        expect(hits).to_be_empty()
        assert seen.wrong == []


def test_page_of_hits_follows_what_is_typed(browser: Browser, demo_stack: Product) -> None:
    with visit(browser, demo_stack) as seen:
        page = seen.page
        seen.open("/search")
        expect(page.locator("#q")).to_be_focused()
        page.keyboard.type("genome")
        expect(page.locator("#found-source")).to_be_visible()
        page.wait_for_url("**/search?q=genome")
        expect(page.locator("#found-count")).to_contain_text("hit")
        page.keyboard.press("ArrowDown")
        expect(page.locator(".result .title a").first).to_be_focused()
        page.keyboard.press("Escape")
        expect(page.locator("#q")).to_be_focused()
        page.locator(".chip", has_text="Source").click()
        page.wait_for_url("**kind=source**")
        # The filter stays with what is typed next.
        page.locator("#q").fill("evolutionary")
        page.wait_for_url("**/search?q=evolutionary&kind=source")
        expect(page.locator(".result")).not_to_have_count(0)
        assert seen.wrong == []


def test_search_without_javascript(browser: Browser, demo_stack: Product) -> None:
    with visit(browser, demo_stack, java_script_enabled=False) as seen:
        page = seen.page
        seen.open("/answers/")
        page.locator("#search-field").fill("transcriptome")
        page.locator("#search-field").press("Enter")
        page.wait_for_url("**/search?q=transcriptome")
        page.locator(".chip", has_text="Source").click()
        page.locator(".result .title a").first.click()
        expect(page.locator("h1")).to_contain_text("Transcriptome")
