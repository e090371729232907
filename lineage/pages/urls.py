"""Addresses of lists, lineage, cases and search."""

from django.urls import path

from lineage.pages import cases, facts, home, icons, impact, inbox, lists, unresolved
from lineage.pages.lineage import lineage, picture

urlpatterns = [
    path("", home.home, name="home"),
    path("answers/", lists.answers, name="answers"),
    path("sources/", lists.sources, name="sources"),
    path("components/", lists.components, name="components"),
    path("inbox/", inbox.inbox, name="inbox"),
    path("inbox/replay", inbox.replay_quarantined, name="inbox_replay"),
    path("inbox/<str:uid>", inbox.payload, name="inbox_payload"),
    path("inbox/<str:uid>/replay", inbox.replay_one, name="inbox_replay_one"),
    path("unresolved/", unresolved.keys, name="unresolved"),
    path("unresolved/<str:uid>", unresolved.key, name="unresolved_key"),
    path("unresolved/<str:uid>/<str:step>", unresolved.decide, name="unresolved_step"),
    path("facts/contradictions", facts.contradictions, name="contradictions"),
    path("facts/<str:uid>", facts.fact, name="fact"),
    path("sources/<str:uid>/authority", facts.authority, name="source_authority"),
    path("favicon.ico", icons.favicon),
    path("search", lists.find, name="search"),
    path("lineage/<str:uid>", lineage, name="lineage"),
    path("lineage/<str:uid>/picture.svg", picture, name="lineage_picture"),
    path("lineage/<str:uid>/impact", impact.page, name="impact"),
    path("cases/", cases.queue, name="cases"),
    path("cases/new", cases.new, name="case_new"),
    path("cases/<str:uid>", cases.case, name="case"),
    path("cases/<str:uid>/<str:step>", cases.act, name="case_step"),
]
