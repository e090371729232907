"""A full page, or the part of it that htmx asks for: one template, one context, one address.

The name of a partial is the id of the element that it fills, and so the value of
`HX-Target`. Numbered elements share one partial: `card-3` is filled by `card`.
"""

import re
from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers

_NUMBERED = re.compile(r"-\d+$")


def partial_of(request: HttpRequest, partials: Mapping[str, str]) -> str | None:
    """The template of the part that the request asks for; None where it wants the whole page.

    A request to restore history wants the whole page whatever its target.
    """
    headers = request.headers
    if headers.get("HX-Request") != "true" or headers.get("HX-History-Restore-Request") == "true":
        return None
    target = headers.get("HX-Target", "")
    return partials.get(target) or partials.get(_NUMBERED.sub("", target))


def render_page(
    request: HttpRequest,
    template: str,
    context: Mapping[str, Any],
    *,
    partials: Mapping[str, str] | None = None,
    status: int = 200,
) -> HttpResponse:
    """Render the page, or one of its `partials` (element id → template).

    Always `Vary: HX-Request, HX-Target`: a cached whole page must never answer for a
    part, nor one part for another.
    """
    part = partial_of(request, partials or {})
    response = render(
        request, part or template, {**context, "is_part": part is not None}, status=status
    )
    patch_vary_headers(response, ("HX-Request", "HX-Target"))
    return response
