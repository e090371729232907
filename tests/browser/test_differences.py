"""What changed, as a reader finds it: without JavaScript on a small screen, and by keyboard in a card."""

import re

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.test_reader import open_answer_with_marker
from tests.browser.visiting import visit
from tests.servers.product import Product

pytestmark = pytest.mark.needs_chromium


def test_two_versions_are_chosen_and_compared_without_javascript(
    browser: Browser, demo_stack: Product
) -> None:
    small = {"width": 320, "height": 780}
    with visit(browser, demo_stack, java_script_enabled=False, viewport=small) as seen:
        page = seen.page
        seen.open("/search?q=OpenLineage+Spec")
        page.get_by_role("link", name="OpenLineage Spec", exact=True).first.click()
        page.wait_for_url("**/src_*")
        uid = re.findall(r"src_[a-z2-7]{26}", page.url)[0]
        seen.open(f"/sources/{uid}")
        page.select_option("#compare-from", index=2)
        page.click(".compare button")
        page.wait_for_url("**/difference?from=srv_*", timeout=60_000)
        expect(page.locator("h1")).to_have_text("What changed")
        expect(page.locator(".difference del").first).to_be_visible()
        struck = page.locator(".difference del").first.evaluate(
            "e => getComputedStyle(e).textDecorationLine"
        )
        lined = page.locator(".difference ins").first.evaluate(
            "e => getComputedStyle(e).textDecorationLine"
        )
        assert (struck, lined) == ("line-through", "underline")
        fold = page.locator("details.fold").first
        expect(fold.locator("p")).to_be_hidden()
        fold.locator("summary").click()
        expect(fold.locator("p")).to_be_visible()
        assert not page.evaluate("document.documentElement.scrollWidth > innerWidth")


def test_a_card_tells_by_keyboard_what_changed_since(browser: Browser, demo_stack: Product) -> None:
    with visit(browser, demo_stack) as seen:
        open_answer_with_marker(seen)
        page = seen.page
        page.locator("a.marker[hx-get]").first.focus()
        page.keyboard.press("Enter")
        asked = page.locator(".card summary", has_text="What changed since?")
        expect(asked).to_be_visible()
        asked.focus()
        page.keyboard.press("Enter")
        expect(page.locator(".card")).to_contain_text("No newer version with a text is held here")
        expect(asked).to_be_focused()
        assert seen.wrong == []


def test_what_changed_is_told_however_soon_it_is_asked_for(
    browser: Browser, demo_stack: Product
) -> None:
    with visit(browser, demo_stack) as seen:
        open_answer_with_marker(seen)
        seen.page.evaluate(
            """() => new MutationObserver((_, observer) => {
              const asked = Array.from(document.querySelectorAll(".card details")).find(
                each => each.querySelector("[hx-get*='/since']"));
              if (asked) { observer.disconnect(); asked.open = true; }
            }).observe(document.body, {childList: true, subtree: true})"""
        )
        seen.page.locator("a.marker[hx-get]").first.click()
        told = seen.page.locator(".card", has_text="No newer version with a text is held here")
        expect(told).to_be_visible()
        assert seen.wrong == []
