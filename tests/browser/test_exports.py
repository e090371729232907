"""Copying an answer, its references and its capsule as readers use them: by keyboard, on a phone, on paper."""

from io import BytesIO
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from pypdf import PdfReader

from tests.browser.test_reader import open_answer_with_marker
from tests.browser.visiting import visit
from tests.servers.product import Product

pytestmark = pytest.mark.needs_chromium

WIDTH = "document.documentElement.scrollWidth"
CLIPBOARD = """async () => {
  const [item] = await navigator.clipboard.read();
  const read = async (type) => (await item.getType(type)).text();
  return [await read("text/html"), await read("text/plain")];
}"""


def open_menu(page: Page) -> None:
    page.locator("summary", has_text="Copy or export").focus()
    page.keyboard.press("Enter")


def test_an_answer_is_copied_with_its_citations_by_keyboard(
    browser: Browser, demo_stack: Product
) -> None:
    rights = ["clipboard-read", "clipboard-write"]
    with visit(browser, demo_stack, permissions=rights) as seen:
        open_answer_with_marker(seen)
        address = seen.page.url
        open_menu(seen.page)
        seen.page.get_by_role("link", name="Copy with citations").focus()
        seen.page.keyboard.press("Enter")
        expect(seen.page.locator("#announcer")).to_have_text("Copied, with its citations.")
        html, plain = seen.page.evaluate(CLIPBOARD)
        (uid, *_) = seen.uids("cit", "a.marker[hx-get]")
        citation = f"{demo_stack.base_url}/citations/{uid}"
        assert f'<a href="{citation}"' in html
        assert f"](<{citation}>)" in plain
        assert seen.page.url == address
        assert seen.wrong == []


def test_without_a_script_every_export_is_a_link(browser: Browser, demo_stack: Product) -> None:
    with visit(browser, demo_stack, java_script_enabled=False) as seen:
        open_answer_with_marker(seen)
        answer = seen.page.url
        for name, said in (
            ("Copy with citations", "References"),
            ("References", "APA 7"),
            ("Print view", "Citations"),
        ):
            seen.page.goto(answer)
            open_menu(seen.page)
            seen.page.get_by_role("link", name=name, exact=True).click()
            assert said.lower() in seen.page.locator("body").inner_text().lower()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_exports_fit_on_a_phone(browser: Browser, demo_stack: Product, scheme: str) -> None:
    phone = {"width": 320, "height": 700}
    with visit(browser, demo_stack, viewport=phone, color_scheme=scheme) as seen:
        open_answer_with_marker(seen)
        answer = seen.page.url
        open_menu(seen.page)
        assert seen.page.evaluate(WIDTH) <= 320
        for path in ("/print", "/references?style=abnt"):
            seen.page.goto(answer + path)
            assert seen.page.evaluate(WIDTH) <= 320
        assert seen.wrong == []


def test_a_capsule_loads_and_runs_nothing(
    browser: Browser, demo_stack: Product, tmp_path: Path
) -> None:
    with visit(browser, demo_stack) as seen:
        open_answer_with_marker(seen)
        open_menu(seen.page)
        with seen.page.expect_download() as download:
            seen.page.get_by_role("link", name="Capsule: one signed file").click()
        file = tmp_path / "capsule.html"
        download.value.save_as(file)
    phone = {"width": 320, "height": 700}
    with visit(browser, demo_stack, role=None, viewport=phone) as seen:
        asked: list[str] = []
        seen.page.on("request", lambda request: asked.append(request.url))
        seen.page.goto(file.as_uri())
        assert asked == [file.as_uri()]
        assert seen.page.evaluate(WIDTH) <= 320
        seen.page.locator(".answer-text a.marker").first.press("Enter")
        expect(seen.page.locator("article:target mark").first).to_be_visible()
        assert [each for each in seen.wrong if "violation" in each] == []


def test_paper_has_what_the_screen_folds_away(browser: Browser, demo_stack: Product) -> None:
    with visit(browser, demo_stack) as seen:
        open_answer_with_marker(seen)
        answer = seen.page.url
        for path, heading in (("/print", "Rank"), ("?expand=all", "Why was this retrieved?")):
            seen.page.goto(answer + path)
            paper = printed(seen.page)
            for said in (
                heading, "A score orders passages; it does not say that a claim is true.",
                "in the context", "Support", "Source checked",
            ):  # fmt: skip
                assert said in paper, (path, said)
            assert "As Markdown" not in paper
        # A card that was opened alone keeps its folds.
        (uid, *_) = seen.uids("cit", "a.marker[hx-get]")
        seen.page.goto(f"{answer}?open={uid}")
        alone = printed(seen.page)
        assert "Source checked" in alone
        assert "A score orders" not in alone


def printed(page: Page) -> str:
    """The words on paper."""
    reader = PdfReader(BytesIO(page.pdf()))
    return " ".join(" ".join(sheet.extract_text().split()) for sheet in reader.pages)
