"""The same journeys where no script runs, and by keyboard too: every step is a link or a form."""

import pytest
from playwright.sync_api import Browser

from tests.browser import journeys
from tests.browser.visiting import visit
from tests.servers.product import Product
from tests.thorough import long_only

pytestmark = pytest.mark.needs_chromium


def test_a_reader_reads_compares_and_searches(
    browser: Browser, demo_stack: Product, every_kind: tuple[str, str]
) -> None:
    with visit(browser, demo_stack, role=None, java_script_enabled=False) as seen:
        journeys.sign_in_by_keyboard(seen, *every_kind)
        journeys.read_a_citation(seen, javascript=False)
        journeys.compare_versions(seen)
        journeys.search(seen, "handb", "Handbook")


def test_an_editor_finds_what_is_affected_and_files_a_case(
    browser: Browser, demo_stack: Product, every_kind: tuple[str, str]
) -> None:
    with visit(browser, demo_stack, role=None, java_script_enabled=False) as seen:
        journeys.sign_in_by_keyboard(seen, *every_kind)
        journeys.search(seen, "handb", "Handbook")
        source = seen.page.url
        journeys.see_what_is_affected(seen)
        seen.page.goto(source)
        journeys.file_a_case(seen, "concern", "Done, and proved complete.")


def test_a_reader_asks_for_a_correction_and_an_editor_decides(
    browser: Browser, demo_stack: Product, every_kind: tuple[str, str]
) -> None:
    with visit(browser, demo_stack, role=None, java_script_enabled=False) as seen:
        journeys.sign_in_by_keyboard(seen, *every_kind)
        journeys.open_the_answer(seen)
        journeys.ask_for_a_correction(seen)
        journeys.decide_and_lift(seen, "Done, and proved complete.")


@long_only
def test_an_operator_works_on_an_incident(
    browser: Browser, demo_stack: Product, every_kind: tuple[str, str]
) -> None:
    with visit(browser, demo_stack, role=None, java_script_enabled=False) as seen:
        journeys.sign_in_by_keyboard(seen, *every_kind)
        journeys.search(seen, "handb", "Handbook")
        journeys.work_on_an_incident(seen, "Signs dropped, without a script")
