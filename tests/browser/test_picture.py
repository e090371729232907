"""The picture of a lineage in Chromium: walked by arrows, opened in place, taken along, and all of it without a script."""

import re
import struct
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.visiting import Visit, visit
from tests.servers.product import Product
from tests.thorough import long_only

pytestmark = pytest.mark.needs_chromium

BOX: Final = "svg.picture a.box"
PINCHED: Final = """() => {
  const target = document.querySelector('.picture-scroll');
  const finger = (identifier, clientX) => new Touch({ identifier, target, clientX, clientY: 300 });
  for (const [name, apart] of [['touchstart', 50], ['touchmove', 100]]) {
    const touches = [finger(1, 300), finger(2, 300 + apart)];
    target.dispatchEvent(new TouchEvent(name, { touches, cancelable: true, bubbles: true }));
  }
}"""


def open_document(seen: Visit) -> str:
    """The lineage of the document behind the newest answer that cites something, which has more chunks than fit."""
    seen.open("/answers/")
    for answer in seen.uids("ans"):
        seen.open(f"/lineage/{answer}?direction=up")
        if seen.page.locator(f'{BOX}[data-uid^="cit_"]').count():
            break
    (document, *_) = seen.page.eval_on_selector_all(
        f'{BOX}[data-uid^="doc_"]', "all => all.map(box => box.dataset.uid)"
    )
    seen.open(f"/lineage/{document}")
    return str(document)


def box(page: Page, kind: str) -> Locator:
    return page.locator(f'{BOX}[data-uid^="{kind}_"]')


def focused(page: Page) -> str:
    found: str = page.evaluate(
        "() => document.activeElement.dataset.uid ?? document.activeElement.dataset.more ?? ''"
    )
    return found


def test_the_picture_is_walked_by_arrows_and_tells_in_place(
    browser: Browser, demo_stack: Product
) -> None:
    with visit(browser, demo_stack) as seen:
        document = open_document(seen)
        page, address = seen.page, seen.page.url
        expect(page.locator(f"{BOX}[tabindex='0']")).to_have_count(1)
        page.locator(f"{BOX}.root").focus()
        page.keyboard.press("ArrowRight")
        chunk = focused(page)
        assert chunk.startswith("chk_")
        page.keyboard.press("ArrowRight")
        assert focused(page)[:3] in {"ret", "ctx", "cit"}
        page.keyboard.press("ArrowLeft")
        assert focused(page) == chunk, "a step back leads back"
        page.keyboard.press("End")
        assert focused(page) == "chunk", "the bundle is the last of its column"
        page.keyboard.press("Home")
        first = focused(page)
        page.keyboard.press("Enter")
        expect(page.locator("#drawer [data-focus]")).to_be_focused()
        assert page.url == f"{address}?node={first}"
        expect(page.locator("#drawer h3")).to_have_text(
            ["Properties", re.compile("Versions"), "Events", "Impact"]
        )
        page.keyboard.press("Escape")
        expect(page.locator("#drawer [data-focus]")).to_have_count(0)
        assert (focused(page), page.url) == (first, address)

        # A bundle opens where it stands; picture and table go on to show the same.
        page.keyboard.press("End")
        page.keyboard.press("Enter")
        expect(box(page, "chk")).to_have_count(25)
        assert focused(page).startswith("chk_")
        assert page.url == f"{address}?open=chunk"
        expect(page.locator("#stage-4 td a.written")).to_have_count(25)
        page.keyboard.press("Shift+Enter")
        page.wait_for_url("**/lineage/chk_*")
        assert document not in page.url
        assert seen.wrong == []


def test_everything_in_the_picture_is_reached_without_a_script(
    browser: Browser, demo_stack: Product
) -> None:
    with visit(
        browser, demo_stack, java_script_enabled=False, viewport={"width": 360, "height": 780}
    ) as seen:
        open_document(seen)
        page = seen.page
        region = page.get_by_role("region", name="Lineage by stage; the table below says the same")
        expect(region).to_have_attribute("tabindex", "0")
        table, picture = page.locator("#as-table").bounding_box(), region.bounding_box()
        assert table is not None
        assert picture is not None
        assert table["y"] < picture["y"], "on a phone the table comes first"
        expect(page.locator("[data-png]")).to_be_hidden()
        page.locator(f"{BOX}[data-more=chunk]").click()
        page.wait_for_url("**open=chunk*")
        expect(box(page, "chk")).to_have_count(25)
        box(page, "chk").first.click()
        page.wait_for_url("**open=chunk&node=chk_*#drawer")
        expect(page.locator("#drawer h2")).to_be_visible()
        page.fill("#in-chunk", "no such words")
        page.press("#in-chunk", "Enter")
        page.wait_for_url("**in_chunk=no+such+words*")
        expect(page.locator(".bundle-says")).to_contain_text("0 match")
        page.locator(".bundle-says a").click()
        page.wait_for_url(re.compile(r"/lineage/doc_[a-z2-7]{26}#picture$"))


@long_only
def test_the_arrows_can_be_switched_off_for_good(browser: Browser, demo_stack: Product) -> None:
    with visit(browser, demo_stack) as seen:
        open_document(seen)
        page = seen.page
        page.locator(".keys summary").click()
        page.locator("[data-shortcuts]").uncheck()
        page.reload()
        page.wait_for_selector("[data-keys]:not([hidden])")
        assert page.locator(f"{BOX}[tabindex]").count() == 0, "each box is a stop of its own"
        page.locator(f"{BOX}.root").focus()
        before = focused(page)
        page.keyboard.press("ArrowRight")
        assert focused(page) == before
        assert seen.wrong == []


@long_only
def test_what_changes_the_picture_keeps_the_selection(
    browser: Browser, demo_stack: Product
) -> None:
    with visit(browser, demo_stack) as seen:
        open_document(seen)
        page = seen.page
        box(page, "chk").first.click()
        page.wait_for_selector("#drawer [data-focus]")
        title = page.locator("#drawer h2").inner_text()
        page.get_by_role("link", name="What rests on it").click()
        page.wait_for_url("**direction=down*")
        assert "node=chk_" in page.url
        expect(page.locator("#drawer h2")).to_have_text(title)
        expect(page.get_by_role("link", name="What rests on it")).to_be_focused()
        page.locator("[data-closes-drawer]").click()
        page.get_by_role("link", name="Both ways").click()
        page.wait_for_url(lambda url: "direction" not in url)
        assert "node=" not in page.url
        page.go_back()
        page.wait_for_url("**direction=down*")
        expect(page.locator("h1")).to_be_visible()
        assert seen.wrong == []


@long_only
def test_the_picture_is_sized_and_taken_along(
    browser: Browser, demo_stack: Product, tmp_path: Path
) -> None:
    with visit(browser, demo_stack) as seen:
        open_document(seen)
        page = seen.page
        width = "() => document.querySelector('.picture-canvas').offsetWidth"
        before = page.evaluate(width)
        page.get_by_role("button", name="Larger").click()
        assert page.evaluate(width) == pytest.approx(before * 1.25, abs=2)
        page.locator(f"{BOX}.root").focus()
        page.keyboard.press("0")
        over = "() => { const e = document.querySelector('.picture-scroll'); return e.scrollWidth - e.clientWidth; }"
        assert page.evaluate(over) <= 1
        fitting = page.evaluate(width)
        page.locator(".picture-scroll").hover()
        page.mouse.wheel(0, -60)
        assert page.evaluate(width) == fitting, "the wheel alone scrolls"
        page.keyboard.down("Control")
        page.mouse.wheel(0, -60)
        page.keyboard.up("Control")
        page.wait_for_function(f"({width})() > {fitting}")
        turned = page.evaluate(width)
        # Two fingers, twice as far apart as they began.
        page.evaluate(PINCHED)
        assert page.evaluate(width) == pytest.approx(turned * 2, abs=4)
        with page.expect_download() as svg:
            page.locator("[data-svg]").click()
        svg.value.save_as(tmp_path / "picture.svg")
        assert (tmp_path / "picture.svg").read_text().startswith("<?xml")
        with page.expect_download() as png:
            page.locator("[data-png]").click()
        png.value.save_as(tmp_path / "picture.png")
        drawn = (tmp_path / "picture.png").read_bytes()
        assert drawn[:8] == b"\x89PNG\r\n\x1a\n"
        assert struct.unpack(">I", drawn[16:20])[0] == 2 * 1282
        assert png.value.suggested_filename.endswith(".png")
        assert seen.wrong == []


@long_only
def test_grades_are_told_by_dashes_and_width_not_by_colour(
    browser: Browser, demo_stack: Product
) -> None:
    with visit(browser, demo_stack, forced_colors="active") as seen:
        open_document(seen)
        looks = seen.page.eval_on_selector_all(
            ".legend .edge",
            "all => all.map(e => getComputedStyle(e)).map(s => `${s.strokeWidth} ${s.strokeDasharray}`)",
        )
        words = seen.page.locator(".legend li").all_inner_texts()
        assert len(words) == len(set(words)) == len(set(looks)) >= 3
