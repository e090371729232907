"""Text that would run if it could: shown letter by letter on every page, nothing runs, nothing is refused by CSP."""

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.visiting import member_with_password, sign_in, visit
from tests.pages.world import PASSAGE, QUOTE, TITLE, record, world
from tests.servers.product import Product

pytestmark = pytest.mark.needs_chromium

SLUG = "hostile"


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


def test_no_page_runs_what_people_wrote(
    browser: Browser, stack: Product, hostile: tuple[str, str]
) -> None:
    with visit(browser, stack, role=None) as seen:
        sign_in(seen, *hostile)
        for path in ("/", "/answers/", "/sources/", "/search?q=<script>alert(6)</script>"):
            seen.open(path)
        seen.open("/sources/")
        (source,) = seen.uids("src")
        for path in (
            f"/sources/{source}", f"/lineage/{source}", f"/lineage/{source}/impact",
            f"/cases/new?target={source}&reason=<img src=x onerror=alert(7)>&q=\"><svg onload=alert(8)>",
        ):  # fmt: skip
            seen.open(path)
            assert seen.page.locator("main script, main img, main svg[onload]").count() == 0
        assert seen.wrong == []


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
