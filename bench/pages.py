"""Measures the answer page and the opening of a citation against a bare view, in turns."""

import argparse
import http
import json
import os
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path
from typing import Any, Final

import django

_WARM_UP: Final = 40
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

    cookie, answers, citations = _prepare()
    requests = _requests(answers, citations)
    log = Path(os.environ["PROVEXPLORER_DATA_DIR"]) / "web.log"
    with served(os.environ, log) as port:
        client = Client(port, {"Cookie": cookie, "Accept-Language": "en"})
        took: dict[str, list[float]] = defaultdict(list)
        sizes: dict[str, int] = {}
        for number in range(_WARM_UP + given.requests):
            # In turns, so that whatever else the machine does meets all of them alike.
            for name, following in requests.items():
                path, headers = following()
                seconds, status, body = client.ask(path, headers=headers)
                if status != http.HTTPStatus.OK:
                    sys.exit(f"{path}: {status} {body[:300]!r}")
                sizes[name] = max(sizes.get(name, 0), len(body))
                if number >= _WARM_UP:
                    took[name].append(seconds)
    result: dict[str, Any] = {"seconds": took, "most_bytes": sizes}
    given.out.write_text(json.dumps(result), encoding="utf-8")


def _prepare() -> tuple[str, list[str], list[str]]:
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
