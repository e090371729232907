"""Addresses of what a reader sees."""

from django.urls import path

from citations.pages.answer import answer
from citations.pages.citation import citation
from citations.pages.passage import passage
from citations.pages.source import creator, source

urlpatterns = [
    path("answers/<str:uid>", answer, name="answer"),
    path("citations/<str:uid>", citation, name="citation"),
    path("passages/<str:uid>", passage, name="passage"),
    path("sources/<str:uid>", source, name="source"),
    path("creators/<str:uid>", creator, name="creator"),
]
