"""Pages at their bounds: bounded in elements and bytes, and everything is reached by paging."""

import re
import time
from html.parser import HTMLParser

import pytest
from django.test import Client

from bench.large import CITATIONS, CLAIMS, PASSAGE_LENGTH, records
from provexplorer.workspaces.models import Workspace
from tests.pages.world import member, send, uid
from tests.thorough import long_only

pytestmark = [
    pytest.mark.django_db,
    long_only,
    pytest.mark.one_pair,
]

MOST_ELEMENTS = 5_000
# Processor seconds of this process for one request, the least of several: what else runs on the
# machine only adds to it.
MOST_SECONDS = 0.3
TIMES = 6


class Elements(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def elements(client: Client, path: str) -> list[tuple[str, dict[str, str | None]]]:
    response = client.get(path)
    assert response.status_code == 200
    parser = Elements()
    parser.feed(response.content.decode())
    return parser.found


def test_pages_at_their_bounds_stay_bounded_and_take_little_of_a_processor(
    workspace: Workspace,
) -> None:
    send(workspace, records())
    client = member(workspace)
    answer = f"/answers/{uid(workspace, 'answer', 'long-answer')}"

    found = elements(client, answer)
    assert len(found) <= MOST_ELEMENTS
    markers = [
        each["data-citations"]
        for tag, each in found
        if tag == "a" and "marker" in (each.get("class") or "") and "hx-get" in each
    ]
    claims = [each for _, each in found if (each.get("class") or "").startswith("claim sign-")]
    # The legend shows the sign once more.
    assert (len(set(markers)), len(claims) - 1) == (CITATIONS, CLAIMS)

    opened: list[str] = []
    following: str | None = "?expand=all"
    while following is not None:
        found = elements(client, answer + following)
        assert len(found) <= MOST_ELEMENTS
        opened += [each["data-citations"] or "" for tag, each in found if tag == "article"]
        pages = [
            each["href"]
            for tag, each in found
            if tag == "a" and "from=" in (each.get("href") or "")
        ]
        numbers = sorted(int(re.findall(r"from=(\d+)", href or "")[0]) for href in pages)
        following = (
            f"?expand=all&from={numbers[-1]}" if numbers and numbers[-1] > len(opened) else None
        )
    assert opened == markers

    for path in (
        f"/sources/{uid(workspace, 'source', 'many-versions')}",
        f"/passages/{uid(workspace, 'chunk', 'long-chunk')}",
        f"/passages/{uid(workspace, 'context', 'long-context')}",
        f"/answers/{uid(workspace, 'answer', 'short-answer')}?expand=all",
        f"{answer}/print?from=101",
        f"{answer}/copy.html",
        f"{answer}/references",
    ):
        assert len(elements(client, path)) <= MOST_ELEMENTS
    citation = client.get(f"/citations/{uid(workspace, 'citation', 'short-citation')}")
    text = citation.content.decode()
    assert text.count("<mark>") == 1
    assert len(text) >= PASSAGE_LENGTH
    assert slow(workspace, client) == {}


def slow(workspace: Workspace, client: Client) -> dict[str, float]:
    """The pages that take too much, with the seconds that they take."""
    answer = f"/answers/{uid(workspace, 'answer', 'long-answer')}"
    took = {
        path: min(seconds(client, path) for _ in range(TIMES))
        for path in (
            answer, f"{answer}?expand=all", f"{answer}/print", f"{answer}/copy.html", f"{answer}/copy.md",
            f"{answer}/references", f"{answer}/references?style=abnt", f"{answer}/references.bib",
            f"/citations/{uid(workspace, 'citation', 'long-citation-7')}",
            f"/citations/{uid(workspace, 'citation', 'short-citation')}",
            f"/passages/{uid(workspace, 'chunk', 'long-chunk')}",
            f"/sources/{uid(workspace, 'source', 'many-versions')}",
        )
    }  # fmt: skip
    return {path: spent for path, spent in took.items() if spent > MOST_SECONDS}


def seconds(client: Client, path: str) -> float:
    began = time.process_time()
    assert client.get(path).status_code == 200
    return time.process_time() - began
