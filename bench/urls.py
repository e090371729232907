"""The product's addresses and the bare views that its pages are measured against."""

from django.urls import path

from bench.floor import bare, bare_with_round_trip
from provexplorer.urls import urlpatterns as of_the_product

urlpatterns = [
    path("bench/bare", bare),
    path("bench/floor", bare_with_round_trip),
    path("bench-in-site/floor", bare_with_round_trip),
    *of_the_product,
]
