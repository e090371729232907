"""Addresses of what a reader sees."""

from django.urls import path

from citations.exports.signing import PUBLISHED_AT
from citations.pages.answer import answer
from citations.pages.certificate import certificate
from citations.pages.citation import citation
from citations.pages.correction import new, requests, take_back
from citations.pages.creator import answers, creator
from citations.pages.design import design
from citations.pages.difference import of_answer, of_citation, of_source, of_texts
from citations.pages.exports import (
    answer_capsule,
    answer_file,
    answer_references,
    citation_file,
    citation_reference,
    copy,
    keys,
    printed,
)
from citations.pages.passage import passage
from citations.pages.rights import answer_attribution, citation_attribution, source_attribution
from citations.pages.shortcuts import shortcuts
from citations.pages.source import source

urlpatterns = [
    path("answers/<str:uid>", answer, name="answer"),
    path("answers/<str:uid>/print", printed, name="answer_print"),
    path("answers/<str:uid>/capsule", answer_capsule, name="answer_capsule"),
    path("answers/<str:uid>/references", answer_references, name="answer_references"),
    path("answers/<str:uid>/references.<str:form>", answer_file, name="answer_file"),
    path("answers/<str:uid>/copy.html", copy, {"form": "html"}, name="answer_copy_html"),
    path("answers/<str:uid>/copy.md", copy, {"form": "md"}, name="answer_copy_markdown"),
    path("answers/<str:uid>/attribution", answer_attribution, name="answer_attribution"),
    path(
        "answers/<str:uid>/attribution.<str:form>",
        answer_attribution,
        name="answer_attribution_file",
    ),
    path("answers/<str:uid>/since/<str:earlier>", of_answer, name="answer_difference"),
    path("citations/<str:uid>", citation, name="citation"),
    path("citations/<str:uid>/since", of_citation, name="citation_since"),
    path("citations/<str:uid>/reference", citation_reference, name="citation_reference"),
    path("citations/<str:uid>/reference.<str:form>", citation_file, name="citation_file"),
    path("citations/<str:uid>/attribution", citation_attribution, name="citation_attribution"),
    path(
        "citations/<str:uid>/attribution.<str:form>",
        citation_attribution,
        name="citation_attribution_file",
    ),
    path("passages/<str:uid>", passage, name="passage"),
    path("sources/<str:uid>", source, name="source"),
    path("sources/<str:uid>/difference", of_source, name="source_difference"),
    path("sources/<str:uid>/attribution", source_attribution, name="source_attribution"),
    path(
        "sources/<str:uid>/attribution.<str:form>",
        source_attribution,
        name="source_attribution_file",
    ),
    path("differences/<str:uid>/<str:earlier>", of_texts, name="text_difference"),
    path("creators/<str:uid>", creator, name="creator"),
    path("creators/<str:uid>/answers", answers, name="creator_answers"),
    path("cases/<str:uid>/certificate", certificate, name="case_certificate"),
    path("corrections/", requests, name="corrections"),
    path("corrections/about/<str:uid>", new, name="correction_new"),
    path("corrections/<str:uid>/withdraw", take_back, name="correction_withdraw"),
    path("design/", design, name="design"),
    path("shortcuts/", shortcuts, name="shortcuts"),
    path(PUBLISHED_AT, keys, name="capsule_keys"),
]
