"""What readers, operators and editors come for, from the sign-in page on, by keyboard alone.

Each journey works with and without JavaScript; the caller says which it has.
"""

from playwright.sync_api import Locator, Page, expect

from tests.browser.keyboard import press_on, tab_to
from tests.browser.visiting import Visit


def link(page: Page, name: str) -> Locator:
    return page.get_by_role("link", name=name, exact=True).first


def button(page: Page, name: str) -> Locator:
    return page.get_by_role("button", name=name, exact=True).first


def sign_in_by_keyboard(seen: Visit, name: str, password: str) -> None:
    """Name and password typed, sent with Enter."""
    page = seen.page
    seen.open("/accounts/sign-in/")
    tab_to(page, page.locator("[name=username]"))
    page.keyboard.type(name)
    tab_to(page, page.locator("[name=password]"))
    page.keyboard.type(password)
    page.keyboard.press("Enter")
    page.wait_for_url(f"{seen.base_url}/")


def read_a_citation(seen: Visit, *, javascript: bool) -> None:
    """Answers, an answer, a marker, its card, and back to the marker; then on to the source."""
    page = seen.page
    press_on(page, link(page, "Answers"))
    page.wait_for_url("**/answers/**")
    press_on(page, link(page, "What is alpha?"))
    page.wait_for_url("**/answers/ans_*")
    marker = page.locator(".answer-text a.marker").first
    press_on(page, marker)
    card = page.locator("article.card")
    if javascript:
        expect(card.locator("h2")).to_be_focused()
        page.keyboard.press("Escape")
        expect(card).to_have_count(0)
        expect(marker).to_be_focused()
        page.keyboard.press("Enter")
        expect(card.locator("h2")).to_be_focused()
    else:
        page.wait_for_url("**/citations/cit_*")
    expect(card.locator("mark")).to_have_text("Alpha is one.")
    press_on(page, card.get_by_role("link", name="Versions and notices"))
    page.wait_for_url("**/sources/src_*")


def compare_versions(seen: Visit) -> None:
    """On the page of a source: its two versions, and what differs between them."""
    page = seen.page
    press_on(page, button(page, "Compare"))
    page.wait_for_url("**/difference?*")
    expect(page.locator("h1")).to_have_text("What changed")
    expect(page.locator(".difference ins").first).to_be_visible()


def see_what_is_affected(seen: Visit) -> None:
    """On the page of a source: the answers that rest on it, then those that cite it."""
    page = seen.page
    press_on(page, link(page, "Affected answers"))
    page.wait_for_url("**/impact")
    press_on(page, page.locator("a.tile").first)
    page.wait_for_url("**/impact?grade=cited*")
    expect(page.locator(".affected tbody tr").first).to_contain_text("cited")


def file_a_case(seen: Visit, kind: str, outcome: str) -> None:
    """On the page of a source: a draft of this kind, tried out, approved, and told how it ended."""
    page = seen.page
    press_on(page, link(page, "File a case"))
    page.wait_for_url("**/cases/new?*")
    chosen = page.locator(f"input[name=kind][value={kind}]")
    tab_to(page, page.locator("input[name=kind]").first)
    for _ in range(page.locator("input[name=kind]").count()):
        page.keyboard.press("ArrowDown")
        if chosen.is_checked():
            break
    tab_to(page, page.locator("#reason"))
    page.keyboard.type("Tried by keyboard.")
    press_on(page, button(page, "Make the draft"))
    page.wait_for_url("**/cases/cas_*")
    press_on(page, button(page, "Try it out"))
    expect(page.locator(".next h2")).to_have_text("Next: approve")
    press_on(page, button(page, "Approve"))
    page.wait_for_selector(f"text={outcome}", timeout=60_000)


def search(seen: Visit, words: str, title: str) -> None:
    """Words into the field of the bar, and the first thing found opened."""
    page = seen.page
    seen.open("/cases/")
    tab_to(page, page.locator("#search-field"))
    page.keyboard.type(words)
    page.keyboard.press("Enter")
    page.wait_for_url("**/search?*")
    press_on(page, page.locator("main").get_by_role("link", name=title, exact=True).first)
    expect(page.locator("h1")).to_have_text(title)
