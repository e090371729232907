"""Asks for addresses, and looks each time what the audit log has got; which addresses there are to ask for.

They come from the URL resolver and from the API's own list.
"""

import inspect
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from lineage.pages import cases, incidents, notice_lists, unresolved, webhooks
from provexplorer.api import PREFIX
from provexplorer.api import api as ninja
from provexplorer.workspaces.audit.models import AuditEntry
from provexplorer.workspaces.models import Workspace
from tests.api.caller import caller

# What leaves none, and why.
NOT_TOLD: Final[Mapping[str, str]] = {
    "POST impact/": "reads a pasted list of names; nothing is kept of it",
    "POST impact/sets": "reads a list of names; nothing is kept of it",
    "POST accounts/language/": "the language of one's own pages",
    "POST accounts/sign-in/demo/": "signs in; as accounts/sign-in/ by Django's own signal",
    "POST settings/cases/ mail": "whether one is sent mail oneself",
    "POST v1/traces": "what is sent is kept with its key and time, in the inbox",
    "POST records": "the same",
    "POST lineage": "the same",
    "POST lineage/batch": "the same",
    "POST prov": "the same",
    "POST crossref": "the same",
}
# Pages and endpoints that only read, but give something to keep.
KEPT: Final = {
    "audit/export", "sources.csv", "answers/<str:uid>/print", "answers/<str:uid>/capsule",
    "answers/<str:uid>/references.<str:form>", "answers/<str:uid>/copy.html",
    "answers/<str:uid>/copy.md", "answers/<str:uid>/attribution.<str:form>",
    "citations/<str:uid>/reference.<str:form>", "citations/<str:uid>/attribution.<str:form>",
    "sources/<str:uid>/attribution.<str:form>", "cases/<str:uid>/certificate",
    "cases/<str:uid>/files/<int:number>",
    "nodes/{uid}/prov", "impact.csv", "impact.jsonl", "impact.prov", "answers/{uid}/capsule",
    "answers/{uid}/copy", "answers/{uid}/references", "answers/{uid}/attribution",
    "citations/{uid}/attribution", "citations/{uid}/reference", "sources/{uid}/attribution",
    "cases/{uid}/certificate", "cases/{uid}/files/{number}", "audit.jsonl",
}  # fmt: skip
# The last part of an address that names a step, and the steps that there are.
STEPS: Final[Mapping[str, Sequence[str]]] = {
    "settings/members/<str:step>": ("change", "remove", "withdraw"),
    "cases/<str:uid>/<str:step>": tuple(cases.STEPS),
    "incidents/<str:uid>/<str:step>": tuple(incidents.STEPS),
    "notices/<str:uid>/<str:step>": tuple(notice_lists.STEPS),
    "notices/feeds/<str:uid>/<str:step>": ("fetch", "delete"),
    "settings/webhooks/<str:uid>/<str:step>": tuple(webhooks.STEPS),
    "sources/<str:uid>/checks/<str:step>": ("now", "pause", "resume"),
    "unresolved/<str:uid>/<str:step>": tuple(unresolved._STEPS),
    "views/<str:uid>/<str:step>": ("change", "delete"),
}


class Asked:
    """Asks for addresses in a workspace, and looks each time at what the log has got."""

    def __init__(self, workspace: Workspace, client: Client) -> None:
        self.workspace, self._client = workspace, client
        self._key = caller(workspace)
        self.addresses: set[str] = set()

    def page(
        self, verb: str, route: str, typed: Mapping[str, Any] | None = None, about: str = "",
        query: str = "", **fill: str,
    ) -> str:  # fmt: skip
        """Send a form; the object of the entry that it leaves. `step` of an address fills it."""
        self.addresses.add(f"POST {route} {fill.get('step', '')}".strip())
        return self._left(
            verb, route, lambda path: self._client.post(path + query, typed or {}), about, fill
        )

    def read(self, verb: str, route: str, query: str = "", about: str = "", **fill: str) -> str:
        """Ask a page for something to keep."""
        self.addresses.add(f"GET {route}")
        return self._left(verb, route, lambda path: self._client.get(path + query), about, fill)

    def call(
        self, verb: str, method: str, path: str, body: Any = None, about: str = "", query: str = "",
        **fill: str,
    ) -> str:  # fmt: skip
        """Ask the API."""
        self.addresses.add(f"{method} {path}")
        data = body if isinstance(body, bytes) else json.dumps(body or {}).encode()
        headers = {"Authorization": f"Bearer {self._key.key}"}

        def send(at: str) -> Any:
            return self._client.generic(
                method, f"{PREFIX}{at[1:]}{query}", data, "application/json", headers=headers
            )

        return self._left(verb, path, send, about, fill)

    def _left(self, verb: str, route: str, send: Any, about: str, fill: Mapping[str, str]) -> str:
        path = f"/{route}"
        for name, value in {"uid": about, "number": "1", "form": "json", **fill}.items():
            path = re.sub(rf"<\w+:{name}>|{{{name}}}", value, path)
        before = set(AuditEntry.objects.values_list("pk", flat=True))
        response = send(path)
        if response.streaming:
            b"".join(response.streaming_content)
        assert response.status_code < 400, (route, fill, response.status_code, response.content)
        new = AuditEntry.objects.exclude(pk__in=before).order_by("pk")
        assert verb in list(new.values_list("verb", flat=True)), (route, fill, list(new.values()))
        left = new.filter(verb=verb).get()
        assert left.actor_kind != "nobody"
        return left.object_uid


def routes(patterns: Sequence[Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """Every page with what answers it; the admin's own door has tests of its own."""
    for pattern in patterns:
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            if route not in ("admin/", "api/v1/"):
                yield from routes(pattern.url_patterns, route)
        elif isinstance(pattern, URLPattern):
            yield route, pattern.callback


def changing() -> set[str]:
    """Every address by which something may be changed, its steps one by one."""
    found = set()
    for route, view in routes(get_resolver().url_patterns):
        # Machines have no cookies; people's forms are read from POST or may only be sent.
        open_to_machines = getattr(view, "csrf_exempt", False) or hasattr(view, "view_class")
        if open_to_machines or "POST" in inspect.getsource(inspect.unwrap(view)):
            found |= {f"POST {route} {step}".strip() for step in STEPS.get(route, ("",))}
    for path, methods in ninja.get_openapi_schema(path_prefix=PREFIX)["paths"].items():
        found |= {f"{one.upper()} {path.removeprefix(PREFIX)}" for one in methods if one != "get"}
    return found - {"POST ^(?:api|problems)(?:/|$)", "POST ^v1(?:/|$)"}


def given() -> set[str]:
    """Every address that is read to keep what it gives."""
    pages = {route for route, _ in routes(get_resolver().url_patterns)}
    paths = ninja.get_openapi_schema(path_prefix=PREFIX)["paths"]
    assert pages | {path.removeprefix(PREFIX) for path in paths} >= KEPT
    return {f"GET {one}" for one in KEPT}
