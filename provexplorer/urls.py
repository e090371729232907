"""Every address of the site."""

from django.urls import URLPattern, URLResolver, path

from provexplorer import health

urlpatterns: list[URLPattern | URLResolver] = [
    path("healthz", health.healthz),
    path("readyz", health.readyz),
]
