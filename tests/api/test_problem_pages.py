"""The pages of problem types: Markdown for programs, the site's frame for browsers."""

import re

import pytest
from django.http import HttpResponse
from django.test import Client

from provexplorer.problem_pages import paragraphs
from provexplorer.problems import ROWS

pytestmark = pytest.mark.engine_free

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


def get(path: str, accept: str) -> HttpResponse:
    response: HttpResponse = Client(headers={"accept": accept}).get(path)  # type: ignore[assignment]
    return response


def test_html_in_a_page_s_text_is_text() -> None:
    assert paragraphs("\n\n<b>one</b>\ntwo `<i>`\n\n**What & why.** three\n") == [
        "&lt;b&gt;one&lt;/b&gt; two <code>&lt;i&gt;</code>",
        "<strong>What &amp; why.</strong> three",
    ]


def test_a_problem_that_does_not_exist_is_a_page_for_browsers() -> None:
    response = get("/problems/none", BROWSER)
    assert response.status_code == 404
    assert response.headers["Content-Type"] == "text/html; charset=utf-8"


@pytest.mark.parametrize("slug", sorted(ROWS))
def test_a_browser_gets_each_page_in_the_frame_of_the_site(slug: str) -> None:
    response = get(f"/problems/{slug}", BROWSER)
    assert response.status_code == 200
    text = response.content.decode()
    assert response.headers["Content-Type"] == "text/html; charset=utf-8"
    assert "Accept" in response.headers["Vary"]
    assert text.count("<h1>") == 1
    assert "<strong>What to do.</strong>" in text
    assert '<a href="/problems/">' in text
    article = re.search("<article.*</article>", text, re.DOTALL)
    assert article is not None
    assert not {"`", "**"} & {*re.findall(r"`|\*\*", article[0])}


@pytest.mark.parametrize("accept", ["*/*", "text/markdown", "application/json, */*"])
def test_whatever_is_no_browser_gets_markdown(accept: str) -> None:
    response = get("/problems/not-found", accept)
    assert response.headers["Content-Type"] == "text/markdown; charset=utf-8"
    assert response.content.decode().startswith(f"# {ROWS['not-found'].title}\n")


@pytest.mark.parametrize("accept", [BROWSER, "*/*"])
def test_all_problems_are_listed(accept: str) -> None:
    response = get("/problems/", accept)
    assert response.status_code == 200
    links = re.findall(r"[\"(]/problems/([a-z-]+)[\")]", response.content.decode())
    assert sorted(links) == sorted(ROWS)
