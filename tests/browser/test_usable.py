"""What a reader waits for: few bytes at first, few elements always, and markers that answer soon."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, Request, expect

from bench.large import CITATIONS, records
from tests.browser.test_reader import open_answer_with_marker
from tests.browser.visiting import Visit, member_with_password, sign_in, visit
from tests.servers.product import Product
from tests.thorough import long_only

pytestmark = pytest.mark.needs_chromium

# The first page of a reader, with all its styles and scripts, before anything is cached.
MOST_SENT: Final = 100_000
MOST_ELEMENTS: Final = 5_000
SLUG: Final = "large"
# Milliseconds from the request to the first paint with every script run. What else runs on the
# machine only adds to them, so of several visits the quickest tells what the page costs.
VISITS: Final = 6
USABLE_AT_FIRST, USABLE_WHEN_LARGE = 500, 1_000
_READY: Final = """document.readyState === "complete" &&
  performance.getEntriesByName("first-contentful-paint").length > 0"""
_USABLE: Final = """Math.max(performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd,
  performance.getEntriesByName("first-contentful-paint")[0].startTime)"""


@contextmanager
def at_first(browser: Browser, product: Product, of: Visit, path: str) -> Iterator[Any]:
    """The page as one sees it who comes with a session and nothing cached."""
    context = browser.new_context(storage_state=of.page.context.storage_state())
    try:
        page = context.new_page()
        sent: list[Request] = []
        page.on("requestfinished", lambda one: sent.append(one))  # noqa: PLW0108 - must be a function
        page.goto(product.base_url + path)
        # The page's policy refuses to watch for it inside the page.
        while not page.evaluate(_READY):
            page.wait_for_timeout(20)
        yield page, sent
    finally:
        context.close()


def usable(browser: Browser, product: Product, of: Visit, path: str) -> float:
    """The least of several visits, in milliseconds; a marker of each opens its card."""
    times = []
    for _ in range(VISITS):
        with at_first(browser, product, of, path) as (page, _sent):
            times.append(float(page.evaluate(_USABLE)))
            marker = page.locator("a.marker[hx-get]").first
            if marker.count():
                marker.click()
                expect(page.locator(".card-slot .card").first).to_be_visible()
    return min(times)


def test_the_first_answer_page_sends_little(browser: Browser, demo_stack: Product) -> None:
    with visit(browser, demo_stack) as seen:
        open_answer_with_marker(seen)
        path = seen.page.url.removeprefix(demo_stack.base_url)
        with at_first(browser, demo_stack, seen, path) as (page, sent):
            bytes_of = {each.url: each.sizes()["responseBodySize"] for each in sent}
            assert sum(bytes_of.values()) < MOST_SENT, bytes_of
            assert {each.resource_type for each in sent} >= {"document", "stylesheet", "script"}
            # Nothing comes from elsewhere.
            assert [each for each in bytes_of if not each.startswith(demo_stack.base_url)] == []
            assert page.evaluate("document.querySelectorAll('*').length") < 1_000


@long_only
def test_the_first_answer_page_is_usable_at_once(browser: Browser, demo_stack: Product) -> None:
    with visit(browser, demo_stack) as seen:
        open_answer_with_marker(seen)
        path = seen.page.url.removeprefix(demo_stack.base_url)
        assert usable(browser, demo_stack, seen, path) < USABLE_AT_FIRST


@long_only
def test_pages_at_their_bounds_are_usable_soon_and_have_few_elements(
    browser: Browser, demo_stack: Product
) -> None:
    key = demo_stack.new_key(slug=SLUG)
    sent = demo_stack.request(
        "POST", "/api/v1/records", body={"records": records()}, key=key, seconds=300
    )
    assert sent.json()["rejected"] == 0

    def uid(kind: str, name: str) -> str:
        asked = demo_stack.request("GET", f"/api/v1/resolve?kind={kind}&key={name}", key=key)
        (found,) = asked.json()["items"]
        return str(found["uid"])

    answer, citation = uid("answer", "long-answer"), uid("citation", "short-citation")
    paths = [
        f"/answers/{answer}", f"/answers/{answer}?expand=all", f"/citations/{citation}",
        f"/passages/{uid('chunk', 'long-chunk')}", f"/sources/{uid('source', 'many-versions')}",
        f"/answers/{answer}/print", f"/answers/{answer}/references",
    ]  # fmt: skip
    with visit(browser, demo_stack, role=None) as seen:
        sign_in(seen, *member_with_password(demo_stack, SLUG))
        slow, many = {}, {}
        for path in paths:
            if (took := usable(browser, demo_stack, seen, path)) > USABLE_WHEN_LARGE:
                slow[path] = took
            seen.open(path)
            elements = seen.page.evaluate("document.querySelectorAll('*').length")
            if elements > MOST_ELEMENTS:
                many[path] = elements
        assert (slow, many) == ({}, {})
        seen.open(f"/answers/{answer}")
        expect(seen.page.locator("a.marker[hx-get]")).to_have_count(CITATIONS)
