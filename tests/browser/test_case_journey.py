"""The flagship through the pages: a correction makes exactly the right answers stale, and is lifted again."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.visiting import Visit, visit
from tests.servers.product import Product

pytestmark = pytest.mark.needs_chromium

TRACES = Path(__file__).resolve().parents[2] / "demo" / "data" / "traces"
# The article PMC212691 and the notice that corrects it.
ARTICLE, NOTICE = "10.1371/journal.pbio.0000010", "10.1371/journal.pbio.0020089"
CITES, IN_CONTEXT, RETRIEVED = (
    {"llamaindex_01"}, {"haystack_03", "haystack_04", "haystack_05"}, {"llamaindex_05"},
)  # fmt: skip


def trace_of(product: Product) -> dict[str, str]:
    """Uid of each answer of the demo → the name of its trace."""
    ids = {
        re.findall(r'"traceId": ?"([0-9a-f]{32})"', path.read_text(encoding="utf-8"))[0]: path.stem
        for path in TRACES.glob("*.json")
    }
    items = product.request("GET", "/api/v1/search?q=&kind=answer").json().get("items", [])
    assert items == [], "an empty search finds nothing"
    return ids


def answers_in_state(seen: Visit, state: str) -> set[str]:
    seen.open(f"/answers/?state={state}")
    return set(seen.uids("ans", ".list .title a"))


def traces(product: Product, uids: set[str]) -> set[str]:
    """The traces that the answers came from, by the keys that the API tells."""
    ids = trace_of(product)
    keys = [product.request("GET", f"/api/v1/nodes/{uid}").json()["key"] for uid in uids]
    return {ids[key.partition(":")[0]] for key in keys}


def file_the_correction(page: Page, base_url: str) -> str:
    """From the article's page to an approved case; its address."""
    page.goto(f"{base_url}/search?q={ARTICLE}")
    page.click(".result .title a >> nth=0")
    page.click("text=File a case")
    page.check("input[name=kind][value=correction]")
    page.fill("#reason", "The published correction.")
    page.fill("#evidence", NOTICE)
    page.click("text=Make the draft")
    page.wait_for_url("**/cases/cas_*")
    page.click("button:has-text('Try it out')")
    expect(page.locator(".next h2")).to_have_text("Next: approve")
    tiles = page.locator(".tile .figure")
    expect(tiles).to_have_text(["1", "3", "1"])
    page.click("button:has-text('Approve')")
    return page.url


@pytest.mark.parametrize(
    "javascript",
    [pytest.param(True, id="htmx", marks=pytest.mark.both_pairs), pytest.param(False, id="plain")],
)
def test_a_correction_turns_exactly_its_answers_and_reinstatement_frees_them(
    browser: Browser, demo_stack: Product, *, javascript: bool
) -> None:
    with visit(browser, demo_stack, role="editor", java_script_enabled=javascript) as seen:
        page = seen.page
        assert answers_in_state(seen, "stale") == answers_in_state(seen, "review") == set()
        case = file_the_correction(page, demo_stack.base_url)
        # Reads obey from the approval on, before propagation is over.
        stale, review = answers_in_state(seen, "stale"), answers_in_state(seen, "review")
        assert traces(demo_stack, stale) == CITES
        assert traces(demo_stack, review) == IN_CONTEXT
        page.goto(case)
        # Under way the page asks by itself, by htmx or by loading itself again.
        page.wait_for_selector("text=Done, and proved complete.", timeout=60_000)
        (answer,) = stale
        seen.open(f"/answers/{answer}")
        expect(page.locator(".banner")).to_contain_text("must be checked")
        expect(page.locator(".claim.sign-check").first).to_be_visible()
        page.locator(".banner a", has_text="Read the case").first.click()
        page.click("text=Reinstate: lift this case")
        page.fill("#reinstate-reason", "Tried out.")
        page.click("button:has-text('Reinstate')")
        page.wait_for_selector("text=Done: the answers are free of the case.", timeout=60_000)
        assert answers_in_state(seen, "stale") == answers_in_state(seen, "review") == set()
        assert seen.wrong == []


def test_impact_lists_the_same_answers_with_their_grades(
    browser: Browser, demo_stack: Product
) -> None:
    with visit(browser, demo_stack, role="operator") as seen:
        seen.open(f"/search?q={ARTICLE}")
        (source,) = seen.uids("src", ".result .title a")
        found = {}
        for grade in ("cited", "in_context", "retrieved"):
            seen.open(f"/lineage/{source}/impact?grade={grade}")
            found[grade] = traces(demo_stack, set(seen.uids("ans", ".affected td:first-child a")))
        assert found == {"cited": CITES, "in_context": IN_CONTEXT, "retrieved": RETRIEVED}
        # A click on a number changes the list in place, and the address with it.
        seen.page.click(".tile >> nth=0")
        seen.page.wait_for_url("**/impact?grade=cited")
        expect(seen.page.locator(".affected tbody tr")).to_have_count(1)
        expect(seen.page.locator(".tile[aria-current]")).to_have_count(1)
        assert seen.wrong == []


def test_the_demo_has_the_traces_that_these_tests_name() -> None:
    named = {path.stem for path in TRACES.glob("*.json")}
    assert CITES | IN_CONTEXT | RETRIEVED <= named
    assert json.loads((TRACES / "llamaindex_01.json").read_text(encoding="utf-8"))
