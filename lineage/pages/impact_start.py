"""Where a report begins: nodes found by search, a component by its versions, what one made, a pasted list.

The form sends everything by its address, so that what was typed is kept while nodes are
searched, added and removed, with and without JavaScript.
"""

import re
from dataclasses import dataclass, replace
from typing import Any, Final

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _

from lineage.impact.made_of import NotCombined, TooManyCombined
from lineage.impact.pasted import MOST_LINES, read_lines, resolve_lines
from lineage.impact.question import MOST_NODES, THE_COMPONENT, Question, write_question
from lineage.impact.question_values import (
    MakerMissing,
    OnlyOne,
    QuestionInvalid,
    RangeReversed,
    UnknownWord,
)
from lineage.impact.sets import SET_PREFIX, keep_set
from lineage.nodes import search
from lineage.pages.impact_links import links_of
from lineage.pages.impact_pasted import Pasted, meant, pasted_list
from lineage.pages.names import name_of, nodes_of
from lineage.pages.question_words import told
from lineage.pages.words import COMPONENT_KINDS
from lineage.types import Viewer
from provexplorer.htmx import render_page
from provexplorer.workspaces.models import Role
from provexplorer.workspaces.viewer import may

MOST_FOUND: Final = 12
# Hits that are added by one link.
MOST_ADDED: Final = 50
# Nodes that an address names one by one; more of them are kept as a set.
MOST_IN_ADDRESS: Final = 20
# Nodes of the form that are named.
_MOST_NAMED: Final = 50
_LONGEST_QUERY: Final = 400
_UID: Final = re.compile(r"[a-z]{3}_[a-z2-7]{26}")
_TYPED: Final = ("component", "component_kind", "version_from", "version_to", "config_digest")
_DATES: Final = ("made_since", "made_until", "since", "until")


@dataclass(frozen=True, slots=True)
class Chosen:
    """A node that the question names; `known` False: nothing here has this uid."""

    uid: str
    kind: str
    name: str
    known: bool
    remove: str


@dataclass(frozen=True, slots=True)
class Hit:
    """A node that the words found; addresses that add it, and that ask for what it made."""

    uid: str
    kind: str
    name: str
    add: str
    makes: str


@dataclass(frozen=True, slots=True)
class AddAll:
    """How many hits there are besides those chosen, and the address that adds them all.

    `href` is empty where they are more than `most`, or all chosen; `count` is then of all hits,
    and there may be others beyond it where `at_least`.
    """

    count: int
    href: str
    most: int = MOST_ADDED
    at_least: bool = False


def start_page(
    request: HttpRequest,
    viewer: Viewer,
    question: Question,
    *,
    wrong: QuestionInvalid | None = None,
    pasted: Pasted | None = None,
    pasted_wrong: str = "",
) -> HttpResponse:
    """The form with what was typed, what the search found, and what is wrong with it."""
    q = request.GET.get("q", "")[:_LONGEST_QUERY]
    if wrong is not None:
        question = _readable(request)
    hits, add_all = _hits(viewer, question, q) if q.strip() else ((), None)
    makers = [each for each in request.GET.getlist("made_by") if each.strip()]
    typed_maker = next((each for each in makers if each != THE_COMPONENT), "")
    context = {
        "typed": {name: request.GET.get(name, "") for name in _TYPED} | {"made_by": typed_maker},
        "dates": {name: request.GET.get(name, "")[:10] for name in _DATES},
        "by_component": THE_COMPONENT in makers,
        "undated": bool(request.GET.get("made_undated", "").strip()),
        "chosen": _chosen(viewer, question),
        "maker": _named(viewer, typed_maker),
        "kept": _filters(question),
        "words": q,
        "hits": hits,
        "add_all": add_all,
        "component_kinds": COMPONENT_KINDS,
        "wrong": {} if wrong is None else {wrong.parameter: wrong_words(wrong)},
        "pasted": pasted,
        "pasted_wrong": pasted_wrong,
        "most_lines": MOST_LINES,
        "section": "impact",
    }
    status = 422 if wrong or pasted_wrong else 200
    return render_page(request, "impact/start.html", context, status=status)


def pasted_page(request: HttpRequest, viewer: Viewer) -> HttpResponse:
    """What a pasted list was found to be; with `keep`, on to the report of what it means."""
    if not may(viewer, Role.OPERATOR):
        raise PermissionDenied
    try:
        lines = resolve_lines(viewer, read_lines(request.POST.get("lines", "")))
        uids = meant(lines, request.POST.getlist("choose"))
        if "keep" in request.POST and uids:
            nodes = tuple(uids) if len(uids) <= MOST_IN_ADDRESS else (keep_set(viewer, uids),)
            query = write_question(Question(nodes=nodes))
            return HttpResponseRedirect(f"{reverse('impact_report')}?{query}&ws={viewer.slug}")
    except QuestionInvalid as error:
        return start_page(request, viewer, Question(), pasted_wrong=wrong_words(error))
    if not lines:
        return start_page(request, viewer, Question(), pasted_wrong=_("Nothing was pasted."))
    return start_page(request, viewer, Question(), pasted=pasted_list(viewer, lines))


def wrong_words(error: QuestionInvalid) -> str:
    """What is wrong with a question, in the reader's words."""
    if isinstance(error, UnknownWord):
        return _("Unknown: %(words)s") % {"words": error.detail}
    if isinstance(error, RangeReversed):
        if error.parameter == "made_since":
            return _("This time ends before it has begun.")
        return _("The first version comes after the last one.")
    if isinstance(error, OnlyOne):
        return _("Only one of these can be asked at once.")
    if isinstance(error, MakerMissing):
        return _("Say which component made it, or which run.")
    if isinstance(error, NotCombined):
        return _(
            "Nothing is made of components and runs: to see only what one made, name sources, "
            "documents or parts of them, what was fetched, or creators. Or name it alone: then all that it made counts."
        )
    if isinstance(error, TooManyCombined):
        return _("This is too much to be narrowed to what one made: name less of it.")
    match error.parameter:
        case "since" | "until" | "made_since" | "made_until":
            return _("This is no date.")
        case "component":
            return _("Name one component: versions and configurations are those of a component.")
        case "made_by":
            return _("Only a component or a run makes something.")
        case "lines" | "node":
            return _("At most %(most)s at once.") % {"most": f"{MOST_NODES:,}"}
        case _:
            return error.detail


def _chosen(viewer: Viewer, question: Question) -> tuple[Chosen, ...]:
    plain = [uid for uid in question.nodes if not uid.startswith(SET_PREFIX)]
    known = nodes_of(viewer, plain[:_MOST_NAMED])
    links = links_of(viewer, question)
    found = []
    for uid in question.nodes:
        rest = replace(question, nodes=tuple(each for each in question.nodes if each != uid))
        remove = links.of(rest, edit="1")
        if uid.startswith(SET_PREFIX):
            words = told(viewer, Question(nodes=(uid,)))[0].values[0].words
            found.append(Chosen(uid, "", words, known=True, remove=remove))
        elif uid in known:
            found.append(
                Chosen(uid, known[uid].kind, name_of(known[uid]), known=True, remove=remove)
            )
        else:
            found.append(Chosen(uid, "", uid, known=False, remove=remove))
    return tuple(found)


def _readable(request: HttpRequest) -> Question:
    """Of a question that is wrong somewhere the nodes, so that they need not be chosen again."""
    nodes = [uid.strip() for uid in request.GET.getlist("node")[:_MOST_NAMED]]
    return Question(nodes=tuple(uid for uid in nodes if _UID.fullmatch(uid)))


def _named(viewer: Viewer, uid: str) -> str:
    """The name of a node that was typed by its uid; empty where there is none."""
    found = nodes_of(viewer, [uid]) if _UID.fullmatch(uid) else {}
    return name_of(found[uid]) if uid in found else ""


def _filters(question: Question) -> list[tuple[str, str]]:
    """The filters that the form does not show and keeps: hidden fields, by name."""
    lists: dict[str, Any] = {
        "grade": question.grades, "state": question.states, "model": question.models,
        "unit": question.units, "source": question.sources, "language": question.languages,
    }  # fmt: skip
    return [(name, value) for name, values in lists.items() for value in values]


def _hits(viewer: Viewer, question: Question, q: str) -> tuple[tuple[Hit, ...], AddAll | None]:
    """The first hits, and the address that adds all of them, or that they are too many for it."""
    links = links_of(viewer, question)
    found = search(viewer, q, limit=MOST_ADDED)
    fresh = [item.uid for item in found.items if item.uid not in question.nodes]
    named = nodes_of(viewer, fresh[:MOST_FOUND])
    hits = tuple(
        Hit(
            uid,
            named[uid].kind,
            name_of(named[uid]),
            add=links.of(replace(question, nodes=(*question.nodes, uid)), edit="1", q=q),
            makes=links.of(replace(question, made_by=uid), edit="1", q=q)
            if named[uid].kind in ("component", "run")
            else "",
        )
        for uid in fresh[:MOST_FOUND]
        if uid in named
    )
    if found.total > MOST_ADDED or (found.items and not fresh):
        return hits, AddAll(found.total, "", MOST_ADDED, at_least=bool(found.more))
    if len(fresh) < 2:
        return hits, None
    whole = replace(question, nodes=(*question.nodes, *fresh))
    return hits, AddAll(len(fresh), links.of(whole, edit="1"), MOST_ADDED)
