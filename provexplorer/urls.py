"""Every address of the site."""

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path, re_path
from django.views.decorators.csrf import csrf_exempt

from lineage.api import otlp
from provexplorer import api, api_reference, health, problem_pages, problems
from provexplorer.workspaces.audit import pages as audit

urlpatterns: list[URLPattern | URLResolver] = [
    path("healthz", health.healthz),
    path("readyz", health.readyz),
    path("accounts/", include("provexplorer.workspaces.urls")),
    path("settings/", include("provexplorer.workspaces.settings_urls")),
    path("audit/", audit.log, name="audit"),
    path("audit/export", audit.export, name="audit_export"),
    path("admin/", admin.site.urls),
    path("problems/", problem_pages.index, name="problems"),
    path("problems/<slug:slug>", problem_pages.page, name="problem"),
    path("api/docs", api_reference.page, name="api_reference"),
    path("api/v1/", api.mounted()),
    path("v1/traces", otlp.post_traces),
    re_path(r"^v1(?:/|$)", otlp.not_here),
    # Before the addresses of steps, of which a case's certificate is none.
    path("", include("citations.pages.urls")),
    path("", include("lineage.pages.urls")),
    # A client that posts to a wrong address is told so, and not of cookies that it does not keep.
    re_path(r"^(?:api|problems)(?:/|$)", csrf_exempt(problems.not_found)),
]

handler500 = "provexplorer.uncaught.server_error"
