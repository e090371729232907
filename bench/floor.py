"""What no page can be faster than: a bare view, and one with one round trip to the graph."""

from django.http import HttpRequest, HttpResponse

from lineage.graph import client


def bare(_request: HttpRequest) -> HttpResponse:
    """A view that does nothing."""
    return HttpResponse("ok")


def bare_with_round_trip(_request: HttpRequest) -> HttpResponse:
    """A view that asks the graph server for the number 1."""
    (row,) = client.read("RETURN 1 AS one", name=__name__)
    return HttpResponse(str(row["one"]))
