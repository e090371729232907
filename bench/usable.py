"""Measures when a page is usable in Chromium, what it sends, and how many elements it has.

`python -m bench.usable`: the first answer page of the demo with nothing cached, and the pages
at their bounds (bench.large), each in a fresh context, several times in turns. *Usable*: the
text is painted, the scripts have run, and a click on a marker would open its card. Whatever
else runs on the machine only adds to it, so the least is told beside the median.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

from bench.report import machine
from bench.servers import CHECKOUT, environment, python

if TYPE_CHECKING:
    from playwright.sync_api import Browser

_INSIDE: Final = "--inside"
_MEASURED: Final = """() => {
  const [page] = performance.getEntriesByType("navigation");
  const [paint] = performance.getEntriesByName("first-contentful-paint");
  return [Math.max(page.domContentLoadedEventEnd, paint ? paint.startTime : 0), document.querySelectorAll("*").length];
}"""
_SETTLED: Final = """document.readyState === "complete" && performance.getEntriesByName("first-contentful-paint").length > 0"""


def main() -> None:
    """Start servers, measure, print a table."""
    parser = argparse.ArgumentParser(prog="python -m bench.usable", description=__doc__)
    parser.add_argument("--rounds", type=int, default=7, help="visits of each page")
    parser.add_argument(_INSIDE, type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.inside is not None:
        given.inside.write_text(json.dumps(_measure(given.rounds)), encoding="utf-8")
        return
    with TemporaryDirectory(prefix="provexplorer-bench-out-") as folder:
        out = Path(folder) / "out.json"
        command = [*python("bench.usable"), _INSIDE, str(out), "--rounds", str(given.rounds)]
        with environment("arcadedb", "sqlite") as variables:
            done = subprocess.run(
                command, env=variables, cwd=CHECKOUT, capture_output=True, check=False
            )
        if done.returncode != 0:
            sys.exit(done.stderr.decode()[-4000:])
        measured = json.loads(out.read_text(encoding="utf-8"))
    print(machine())
    print("\n| page | usable, ms: least | median | kB sent | elements |")
    print("|---|---|---|---|---|")
    for name, visits in measured.items():
        times = [each["usable"] for each in visits]
        print(
            f"| {name} | {min(times):,.0f} | {median(times):,.0f} | {visits[0]['bytes'] / 1000:,.0f} "
            f"| {visits[0]['elements']:,} |"
        )


def _measure(rounds: int) -> dict[str, list[dict[str, Any]]]:
    """In a process with the servers' addresses: visits of each page by name."""
    import django
    from playwright.sync_api import sync_playwright

    django.setup()
    from bench.pages import bounds_of_pages, prepare
    from bench.web import served
    from tests.servers.available import chromium

    cookie, answers, _ = prepare()
    pages = {"first answer page": f"/answers/{answers[0]}"}
    pages |= {name: following()[0] for name, following in bounds_of_pages().items()}
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in pages}
    # The asynchronous loop that drives the browser is none of Django's.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    log = Path(os.environ["PROVEXPLORER_DATA_DIR"]) / "web.log"
    with served(os.environ, log) as port, sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path=chromium(), args=arguments)
        for _ in range(rounds):
            for name, path in pages.items():
                found[name].append(_visit(browser, f"http://127.0.0.1:{port}", path, cookie))
        browser.close()
    return found


def _visit(browser: "Browser", base: str, path: str, cookie: str) -> dict[str, Any]:
    name, _, value = cookie.partition("=")
    context = browser.new_context(locale="en", viewport={"width": 1360, "height": 900})
    context.add_cookies([{"name": name, "value": value, "url": base}])
    page = context.new_page()
    sent: list[int] = []
    page.on("requestfinished", lambda one: sent.append(one.sizes()["responseBodySize"]))
    page.goto(base + path)
    # The page's policy refuses to watch for it inside the page.
    while not page.evaluate(_SETTLED):
        page.wait_for_timeout(20)
    usable, elements = page.evaluate(_MEASURED)
    marker = page.locator("a.marker[hx-get]").first
    if marker.count():
        marker.click()
        page.locator(".card-slot .card").first.wait_for()
    size = sum(sent[: len(sent) - (1 if marker.count() else 0)])
    context.close()
    return {"usable": usable, "elements": elements, "bytes": size}


if __name__ == "__main__":
    main()
