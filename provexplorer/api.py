"""The API: /api/v1, its errors, its OpenAPI document. Additive only; a break would stand beside it."""

from collections.abc import Callable
from functools import wraps
from http import HTTPStatus
from typing import Any, Final

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import URLPattern, URLResolver
from django.utils.datastructures import MultiValueDict
from django.views.decorators.csrf import csrf_exempt
from ninja import NinjaAPI
from ninja.openapi.schema import OpenAPISchema
from ninja.parser import Parser

from citations.api.answers import router as answers
from citations.api.certificates import router as certificates
from citations.api.citations import router as citations
from citations.api.exports import router as exports
from citations.api.rights import router as rights
from lineage.api.case_work import router as case_work
from lineage.api.cases import router as cases
from lineage.api.components import router as components
from lineage.api.crossref import router as crossref
from lineage.api.erasures import router as erasures
from lineage.api.history import router as history
from lineage.api.impact import router as impact
from lineage.api.impact_reports import router as impact_reports
from lineage.api.incidents import router as incidents
from lineage.api.invalidations import router as invalidations
from lineage.api.nodes import router as nodes
from lineage.api.notices import router as notices
from lineage.api.openlineage import router as openlineage
from lineage.api.prov import router as prov
from lineage.api.record_schema import component_schemas
from lineage.api.records import router as records
from lineage.api.rights import router as source_rights
from lineage.api.webhooks import router as webhooks
from provexplorer import problems
from provexplorer.workspaces.audit.api import router as audit

PREFIX: Final = "/api/v1/"
# Where what is to be looked for stands: these are looked for as they are.
_SOUGHT: Final = ("q", "key")


class BlankIsAbsent(Parser):
    """`?kind=&depth=` as a form with nothing chosen sends it: as if they were not there."""

    def parse_querydict(
        self, data: MultiValueDict[str, str], list_fields: list[str], request: HttpRequest
    ) -> dict[str, Any]:
        """The parameters of an address, those left blank apart."""
        given = super().parse_querydict(data, list_fields, request)
        kept: dict[str, Any] = {}
        for name, value in given.items():
            words = [word for word in value if word] if isinstance(value, list) else value
            if words or name in _SOUGHT:
                kept[name] = words
        return kept


class ProvenanceAPI(NinjaAPI):
    """Ninja, with problems for errors and the schemas that its endpoints name by reference."""

    def on_exception(self, request: HttpRequest, exc: Any) -> HttpResponse:
        """Every exception is a problem, those of ninja itself included."""
        return problems.respond_to(request, exc)

    def get_openapi_schema(
        self, *, path_prefix: str | None = None, path_params: dict[str, Any] | None = None
    ) -> OpenAPISchema:
        """The OpenAPI document, with problems and records of every kind."""
        schema = super().get_openapi_schema(path_prefix=path_prefix, path_params=path_params)
        schema["components"]["schemas"] |= component_schemas()
        return schema


api = ProvenanceAPI(
    title="Provexplorer",
    version="1",
    description="The chain from creator to claim of every answer, in both directions.",
    docs_url=None,
    openapi_url="/openapi.json",
    parser=BlankIsAbsent(),
)
for router in (
    records,
    openlineage,
    prov,
    nodes,
    impact,
    history,
    impact_reports,
    answers,
    citations,
    exports,
    rights,
    source_rights,
    cases,
    case_work,
    certificates,
    erasures,
    incidents,
    notices,
    crossref,
    webhooks,
    invalidations,
    components,
    audit,
):
    api.add_router("", router)


def mounted() -> tuple[list[URLPattern | URLResolver], str, str]:
    """The API's addresses for `path()`; what Django would answer in HTML is a problem, too."""
    patterns, app, namespace = api.urls
    for pattern in patterns:
        if isinstance(pattern, URLPattern):
            pattern.callback = _failing_as_problem(pattern.callback)
    return patterns, app, namespace


def _failing_as_problem(
    view: Callable[..., HttpResponseBase],
) -> Callable[..., HttpResponseBase]:
    @csrf_exempt
    @wraps(view)
    def failing(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        try:
            response = view(request, *args, **kwargs)
        except Http404:
            return problems.not_found()
        if response.status_code != HTTPStatus.METHOD_NOT_ALLOWED:
            return response
        allowed = ", ".join(sorted(response.headers["Allow"].split(", ")))
        return problems.respond(
            "method-not-allowed", f"Allowed: {allowed}.", headers={"Allow": allowed}
        )

    return failing
