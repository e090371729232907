"""A full page or the part that is asked for, and what caches are told."""

import pytest
from django.test import RequestFactory

from provexplorer.htmx import partial_of, render_page

pytestmark = pytest.mark.one_pair

PARTS = {"card": "404.html", "list": "400.html"}


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, None),
        ({"HX-Target": "card"}, None),
        ({"HX-Request": "true"}, None),
        ({"HX-Request": "true", "HX-Target": "elsewhere"}, None),
        ({"HX-Request": "true", "HX-Target": "card", "HX-History-Restore-Request": "true"}, None),
        ({"HX-Request": "true", "HX-Target": "card"}, "404.html"),
        ({"HX-Request": "true", "HX-Target": "card-12"}, "404.html"),
        ({"HX-Request": "true", "HX-Target": "card-x"}, None),
    ],
)
def test_partial_of_a_request(headers: dict[str, str], expected: str | None) -> None:
    assert partial_of(RequestFactory().get("/", headers=headers), PARTS) == expected


def test_render_page_tells_caches_that_page_and_part_differ() -> None:
    response = render_page(RequestFactory().get("/"), "503.html", {}, status=503)
    assert response.status_code == 503
    assert response["Vary"] == "HX-Request, HX-Target"
