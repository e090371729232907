"""Measures the answer page and the opening of a citation against a bare view, in turns.

Then pages at the bounds of what they show (bench.large), and what the first page of a reader sends.
"""

import argparse
import http
import json
import os
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import django

if TYPE_CHECKING:
    from bench.web import Client

_WARM_UP: Final = 40
# Each of them does so much that it warms itself.
_WARM_UP_LARGE: Final = 4
# Requests of each page at its bounds, for those of the others.
_OF_LARGE: Final = 5
# As htmx asks for a card that opens under the first paragraph.
_HTMX: Final = {"HX-Request": "true", "HX-Target": "card-1"}

# What is measured → how one more request of it is made: (path, headers).
Requests = dict[str, Callable[[], tuple[str, dict[str, str]]]]


def main() -> None:
    """Measure on the servers that the environment names, with the demo's records; JSON to a file."""
    parser = argparse.ArgumentParser(prog="python -m bench.pages")
    parser.add_argument("out", type=Path)
    parser.add_argument("--requests", type=int, default=400)
    given = parser.parse_args()
    django.setup()
    from bench.web import Client, served

    cookie, answers, citations = prepare()
    requests = _requests(answers, citations)
    bounds = bounds_of_pages()
    log = Path(os.environ["PROVEXPLORER_DATA_DIR"]) / "web.log"
    with served(os.environ, log) as port:
        client = Client(port, {"Cookie": cookie, "Accept-Language": "en"})
        took, sizes = _in_turns(client, requests, given.requests, _WARM_UP)
        large, _ = _in_turns(client, bounds, max(20, given.requests // _OF_LARGE), _WARM_UP_LARGE)
        sent = _sent(client, f"/answers/{answers[0]}")
    result: dict[str, Any] = {
        "seconds": took, "most_bytes": sizes, "large_seconds": large, "first_page_bytes": sent,
    }  # fmt: skip
    given.out.write_text(json.dumps(result), encoding="utf-8")


def _in_turns(
    client: "Client", requests: Requests, times: int, warm_up: int
) -> tuple[dict[str, list[float]], dict[str, int]]:
    """Seconds of each request, and the most bytes; in turns, so that whatever else runs meets all alike."""
    took: dict[str, list[float]] = defaultdict(list)
    sizes: dict[str, int] = {}
    for number in range(warm_up + times):
        for name, following in requests.items():
            path, headers = following()
            seconds, status, body = client.ask(path, headers=headers)
            if status != http.HTTPStatus.OK:
                sys.exit(f"{path}: {status} {body[:300]!r}")
            sizes[name] = max(sizes.get(name, 0), len(body))
            if number >= warm_up:
                took[name].append(seconds)
    return took, sizes


def _sent(client: "Client", path: str) -> dict[str, int]:
    """The bytes of a page and of the styles and scripts that it names, compressed where they are."""
    page = client.ask(path)[2]
    named = re.findall(rb'(?:href|src)="(/static/[^"]+\.(?:css|js))"', page)
    files = [
        client.ask(name.decode(), headers={"Accept-Encoding": "br, gzip"})[2] for name in named
    ]
    return {"page": len(page), "styles_and_scripts": sum(map(len, files))}


def bounds_of_pages() -> Requests:
    """Load the records of bench.large into the demo's workspace; the pages that show them."""
    from bench.large import records
    from lineage.formats.records import parse_record
    from lineage.ingest.apply import apply_records
    from lineage.models import Node
    from provexplorer.workspaces.models import Workspace

    workspace = Workspace.objects.get()
    apply_records(workspace, [parse_record(at, record) for at, record in enumerate(records())])
    uids = dict(Node.objects.filter(workspace=workspace).values_list("key", "uid"))
    paths = {
        "answer of 200 claims and 500 citations": f"/answers/{uids['long-answer']}",
        "the same, 25 of them open": f"/answers/{uids['long-answer']}?expand=all",
        "one citation of it opened": f"/citations/{uids['long-citation-7']}",
        "passage of 100,000 characters": f"/citations/{uids['short-citation']}",
        "source of 300 versions": f"/sources/{uids['many-versions']}",
        "500 citations to print": f"/answers/{uids['long-answer']}/print",
        "500 citations to copy": f"/answers/{uids['long-answer']}/copy.html",
        "their references": f"/answers/{uids['long-answer']}/references",
    }
    return {name: partial(_plainly, path) for name, path in paths.items()}


def _plainly(path: str) -> tuple[str, dict[str, str]]:
    return path, {}


def prepare() -> tuple[str, list[str], list[str]]:
    """Load the demo; the cookie of its reader, and the uids of its answers and citations."""
    from django.conf import settings
    from django.core.management import call_command
    from django.test import Client

    from lineage.models import Node
    from provexplorer.embedded.demo_data import load_demo
    from provexplorer.embedded.prepare import migrate_relational, prepare_graph
    from provexplorer.workspaces.models import User

    call_command("collectstatic", interactive=False, verbosity=0)
    migrate_relational()
    prepare_graph()
    load_demo(Path(settings.DATA_DIR))
    browser = Client()
    browser.force_login(User.objects.get(username="reader"))
    name = settings.SESSION_COOKIE_NAME
    nodes = Node.objects.filter(resolved=True).order_by("pk")
    return (
        f"{name}={browser.cookies[name].value}",
        list(nodes.filter(kind="answer").values_list("uid", flat=True)),
        list(nodes.filter(kind="citation").values_list("uid", flat=True)),
    )


def _requests(answers: list[str], citations: list[str]) -> Requests:
    pages, cards = _around("answers", answers), _around("citations", citations)
    return {
        "bare": lambda: ("/bench/bare", {}),
        "floor": lambda: ("/bench/floor", {}),
        "floor_in_site": lambda: ("/bench-in-site/floor", {}),
        "answer": lambda: (next(pages), {}),
        "citation": lambda: (next(cards), _HTMX),
    }


def _around(place: str, uids: list[str]) -> Iterator[str]:
    return cycle(f"/{place}/{uid}" for uid in uids)


if __name__ == "__main__":
    main()
