"""A visitor of the product in Chromium: signed in by a button, watched for what pages must never do."""

import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Browser, ConsoleMessage, Dialog, Page

from tests.servers.product import Product

# Reported by the page itself, so that a violation is seen wherever it happens.
_WATCH = """
window.violations = [];
document.addEventListener("securitypolicyviolation", (event) => {
  const seen = `${event.violatedDirective} ${event.blockedURI} ${event.sample}`;
  console.error("violation: " + seen);
});
"""


# No slots: Playwright keeps its handlers' wrappers on their owner.
@dataclass
class Visit:
    """A page under the eyes of the test; `wrong` collects errors, violations and dialogs."""

    page: Page
    base_url: str
    wrong: list[str] = field(default_factory=list)

    def hear(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.wrong.append(message.text)

    def refuse(self, dialog: Dialog) -> None:
        self.wrong.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def open(self, path: str) -> None:
        self.page.goto(self.base_url + path)

    def uids(self, kind: str, selector: str = "main a") -> list[str]:
        """The uids of this kind (a prefix) that the page links to, in order, each once."""
        links = self.page.eval_on_selector_all(selector, "all => all.map(a => a.href)")
        found = [re.search(rf"{kind}_[a-z2-7]{{26}}", link) for link in links]
        return list(dict.fromkeys(match.group(0) for match in found if match))


@contextmanager
def visit(
    browser: Browser, product: Product, *, role: str | None = "reader", **options: Any
) -> Iterator[Visit]:
    """A visit of the demo in this role (None: not signed in). `options` are Chromium's context."""
    context = browser.new_context(**options)
    try:
        page = context.new_page()
        seen = Visit(page, product.base_url)
        page.add_init_script(_WATCH)
        page.on("pageerror", lambda error: seen.wrong.append(f"error: {error}"))
        page.on("dialog", seen.refuse)
        page.on("console", seen.hear)
        page.set_default_timeout(20_000)
        if role is not None:
            seen.open("/accounts/sign-in/")
            page.click(f"button[name=role][value={role}]")
            page.wait_for_url(f"{product.base_url}/")
        yield seen
    finally:
        context.close()


def sign_in(seen: Visit, name: str, password: str) -> None:
    """Sign in by the form, and arrive at home."""
    seen.open("/accounts/sign-in/")
    seen.page.fill("[name=username]", name)
    seen.page.fill("[name=password]", password)
    seen.page.locator("form:has([name=password]) button[type=submit]").click()
    seen.page.wait_for_url(f"{seen.base_url}/")


def member_with_password(
    product: Product, slug: str, role: str = "editor", *, besides: str = ""
) -> tuple[str, str]:
    """A new member of a workspace, by name and password, made on the command line.

    `besides` is Python to run there for the `workspace` and the `user`.
    """
    name, password = f"{slug}-{role}", secrets.token_urlsafe(16)
    made = product.manage(
        "shell", "-c",
        "from provexplorer.workspaces.models import *;"
        f"user = User.objects.create_user({name!r}, password={password!r});"
        f"workspace = Workspace.objects.get(slug={slug!r});"
        f"Membership.objects.create(user=user, workspace=workspace, role={role!r});"
        f"{besides}",
    )  # fmt: skip
    assert made.returncode == 0, made.stderr.decode()
    return name, password
