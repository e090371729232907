"""The keyboard as the only way in: Tab to what one wants, see where one is, press a key."""

from typing import Final

import pytest
from playwright.sync_api import Locator, Page

_IS_FOCUSED: Final = "element => element === document.activeElement"
# An outline, or, in a picture, a frame that grows. What is told: nothing, or what is wrong.
_UNSEEN: Final = """() => {
  const element = document.activeElement, style = getComputedStyle(element);
  const told = element.outerHTML.slice(0, 160);
  const frame = element.querySelector(":scope > rect");
  const outlined = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
  const framed = frame && parseFloat(getComputedStyle(frame).strokeWidth) >= 3;
  if (!outlined && !framed) return `no sign of focus: ${told}`;
  const boxes = Array.from(element.getClientRects());
  const seen = boxes.some(box => {
    const points = [[box.left + box.width / 2, box.top + box.height / 2], [box.left + 6, box.top + 6]];
    return points.map(([x, y]) => document.elementFromPoint(x, y)).some(there => there && (
      element.contains(there) || there.contains(element) || Array.from(element.labels ?? []).some(
        label => label.contains(there))));
  });
  return seen ? "" : `covered or out of sight: ${told}`;
}"""


def tab_to(page: Page, target: Locator, *, most: int = 150) -> None:
    """Press Tab until the target has the focus; each stop on the way must be seen."""
    for _ in range(most):
        page.keyboard.press("Tab")
        if target.evaluate(_IS_FOCUSED):
            wrong = page.evaluate(_UNSEEN)
            assert wrong == "", wrong
            return
    pytest.fail(f"Tab does not lead to {target}")


def press_on(page: Page, target: Locator, key: str = "Enter") -> None:
    """Tab to it, then press the key there."""
    tab_to(page, target)
    page.keyboard.press(key)


def stops(page: Page, most: int = 600) -> list[str]:
    """What Tab stops at from the top of the page until it leaves it; what cannot be seen is told."""
    found: list[str] = []
    wrong: list[str] = []
    for number in range(most):
        page.keyboard.press("Tab")
        told = page.evaluate(
            """() => document.activeElement === document.body ? null
              : document.activeElement.dataset.stop ?? document.activeElement.outerHTML.slice(0, 160)"""
        )
        # Past the last one the focus leaves the page, or begins anew.
        if told is None or found[:1] == [told]:
            break
        # A date field has a stop for each of its parts.
        if found[-1:] != [told]:
            found.append(told)
        if unseen := page.evaluate(_UNSEEN):
            wrong.append(f"{number}: {unseen}")
    else:
        wrong.append("Tab never leaves the page")
    assert wrong == [], wrong
    return found


def focusable(page: Page) -> list[str]:
    """All that Tab should stop at, in the order of reading; each is numbered for `stops`."""
    numbered: list[str] = page.evaluate(
        """() => Array.from(document.querySelectorAll(
            "a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex]"))
          .filter(element => element.tabIndex >= 0 && !element.disabled && element.checkVisibility({visibilityProperty: true}))
          .filter(element => element.type !== "radio" || element === (element.form.querySelector(
            `[name="${element.name}"]:checked`) || element.form.querySelector(`[name="${element.name}"]`)))
          .map((element, place) => (element.dataset.stop = `${place} ${element.outerHTML.slice(0, 120)}`))"""
    )
    return numbered
