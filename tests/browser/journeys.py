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


def open_the_answer(seen: Visit) -> None:
    """From any page: the list of answers, and one of them."""
    page = seen.page
    press_on(page, link(page, "Answers"))
    page.wait_for_url("**/answers/**")
    press_on(page, link(page, "What is alpha?"))
    page.wait_for_url("**/answers/ans_*")


def read_a_citation(seen: Visit, *, javascript: bool) -> None:
    """Answers, an answer, a marker, its card, and back to the marker; then on to the source."""
    page = seen.page
    open_the_answer(seen)
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


def ask_for_a_correction(seen: Visit) -> None:
    """On an answer's page: what is wrong with a citation, said and sent; it is a draft of a case."""
    page = seen.page
    press_on(page, page.get_by_role("link", name="Something is wrong").first)
    page.wait_for_url("**/corrections/about/*")
    for name in ("claim", "wrong"):
        choices = page.locator(f"input[name={name}]")
        # Of one statement alone it is chosen already.
        if choices.count():
            tab_to(page, choices.first)
            page.keyboard.press("Space")
    tab_to(page, page.locator("#reason"))
    page.keyboard.type("It says one, not two.")
    press_on(page, button(page, "Send the request"))
    page.wait_for_url("**/cases/cas_*")
    expect(page.locator("main")).to_contain_text("It says one, not two.")


def decide_and_lift(seen: Visit, outcome: str) -> None:
    """On the page of a case that is a draft: tried out, approved, and reinstated when it is done."""
    page = seen.page
    press_on(page, button(page, "Try it out"))
    expect(page.locator(".next h2")).to_have_text("Next: approve")
    press_on(page, button(page, "Approve"))
    page.wait_for_selector(f"text={outcome}", timeout=60_000)
    press_on(page, page.locator("summary", has_text="Reinstate: lift this case"))
    tab_to(page, page.locator("#reinstate-reason"))
    page.keyboard.type("It was right after all.")
    press_on(page, button(page, "Reinstate"))
    page.wait_for_selector("text=Done: the answers are free of the case.", timeout=60_000)


def work_on_an_incident(seen: Visit, title: str) -> None:
    """On the page of a source: what is affected, saved as an incident, noted, given on, closed."""
    page = seen.page
    press_on(page, link(page, "Affected answers"))
    page.wait_for_url("**/impact")
    press_on(page, link(page, "Save as an incident"))
    page.wait_for_url("**/incidents/new?*")
    tab_to(page, page.locator("#title"))
    page.keyboard.type(title)
    press_on(page, button(page, "Open the incident"))
    page.wait_for_url("**/incidents/inc_*")
    expect(page.locator("h1")).to_have_text(title)
    tab_to(page, page.locator("#note"))
    page.keyboard.type("Seen by keyboard.")
    press_on(page, button(page, "Add the note"))
    expect(page.locator(".course")).to_contain_text("Seen by keyboard.")
    press_on(page, page.locator("button[name=state][value=closed]"))
    expect(page.locator(".head-line")).to_contain_text("closed", ignore_case=True)
