"""The pages of the problem types: Markdown for programs, in the site's frame for browsers.

Their text is in docs/problems, in English, as the `detail` of every problem is.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.views.decorators.http import require_safe

from provexplorer.problems import ROWS, not_found

_MARKDOWN: Final = "text/markdown"
# The first is for whoever accepts anything.
_TYPES: Final = (_MARKDOWN, "text/html")
_CODE: Final = re.compile(r"`([^`]+)`")
_STRONG: Final = re.compile(r"\*\*([^*]+)\*\*")


@require_safe
def page(request: HttpRequest, slug: str) -> HttpResponse:
    """What a problem type means and what to do about it."""
    if slug not in ROWS:
        if _wants_html(request):
            raise Http404
        return not_found()
    text = (Path(settings.BASE_DIR) / "docs" / "problems" / f"{slug}.md").read_text("utf-8")
    title, _, rest = text.partition("\n")
    context = {"title": title.removeprefix("# "), "paragraphs": paragraphs(rest)}
    return _answer(request, text, "problems/problem.html", context)


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """All problem types by their status."""
    rows = sorted(ROWS.items(), key=lambda each: (each[1].status, each[1].title))
    lines = [f"- [{row.title}](/problems/{slug}): status {row.status}" for slug, row in rows]
    text = "\n".join(("# Problems", "", *lines, ""))
    listed = [{"slug": slug, "title": row.title, "status": row.status} for slug, row in rows]
    return _answer(request, text, "problems/list.html", {"problems": listed})


def paragraphs(text: str) -> list[SafeString]:
    """The paragraphs as HTML, escaped: of Markdown these pages use `code` and **strong** alone."""
    return [_inline(each) for part in text.split("\n\n") if (each := " ".join(part.split()))]


def _inline(text: str) -> SafeString:
    html = _CODE.sub(r"<code>\1</code>", escape(text))
    return mark_safe(_STRONG.sub(r"<strong>\1</strong>", html))  # noqa: S308 - escaped above


def _answer(
    request: HttpRequest, text: str, template: str, context: Mapping[str, object]
) -> HttpResponse:
    if _wants_html(request):
        response = render(request, template, dict(context))
    else:
        response = HttpResponse(text, content_type=f"{_MARKDOWN}; charset=utf-8")
    patch_vary_headers(response, ["Accept"])
    return response


def _wants_html(request: HttpRequest) -> bool:
    return request.get_preferred_type(_TYPES) == "text/html"
