"""The same journeys where no script runs, and by keyboard too: every step is a link or a form."""

import pytest
from playwright.sync_api import Browser

from tests.browser import journeys
from tests.browser.visiting import visit
from tests.servers.product import Product

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
