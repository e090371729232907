"""What a question of impact asks, as a page tells it: its parts, each with its values and their pages."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from lineage.impact.question import THE_COMPONENT, ComponentRange, Question, RunTimes
from lineage.impact.sets import SET_PREFIX, members_of
from lineage.pages.names import name_of, nodes_of
from lineage.pages.signs import ANSWER_STATES, GRADES, word
from lineage.pages.words import COMPONENT_KINDS, text
from lineage.types import NotFound, Viewer

# Nodes that are named one by one; of more, how many.
_NAMED: Final = 8


@dataclass(frozen=True, slots=True)
class Told:
    """A value: its words; the uid of the node, where it is one, for its page."""

    words: str
    uid: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the question: `code` names it (nodes, made_by, grades, …)."""

    label: str
    values: tuple[Told, ...]


def told(viewer: Viewer, question: Question) -> tuple[Part, ...]:
    """The parts of the question that say something, in the order of a sentence."""
    return tuple(_parts(viewer, question))


def _parts(viewer: Viewer, question: Question) -> Iterator[Part]:
    if question.nodes:
        yield Part(_("Rests on"), tuple(_nodes(viewer, question.nodes)))
    if question.component is not None:
        label = _("Made by") if question.made_by == THE_COMPONENT else _("Component")
        yield Part(label, (Told(_component(question.component)),))
    if question.made_by not in ("", THE_COMPONENT):
        yield Part(_("Made by"), tuple(_nodes(viewer, (question.made_by,))))
    if question.made is not None:
        yield Part(_("Made"), tuple(map(Told, _made(question.made))))
    if question.grades:
        yield Part(
            _("Grade"), tuple(Told(str(word(GRADES, each).label)) for each in question.grades)
        )
    if question.states:
        states = (Told(str(word(ANSWER_STATES, each).label)) for each in question.states)
        yield Part(_("State"), tuple(states))
    if question.since is not None or question.until is not None:
        yield Part(_("Answered"), (Told(_window(question.since, question.until)),))
    for label, values in (
        (_("Model"), question.models), (_("Unit"), question.units), (_("Language"), question.languages),
    ):  # fmt: skip
        if values:
            yield Part(label, tuple(map(Told, values)))
    if question.sources:
        yield Part(_("Source"), tuple(_nodes(viewer, question.sources)))


def _nodes(viewer: Viewer, uids: tuple[str, ...]) -> Iterator[Told]:
    plain = [uid for uid in uids if not uid.startswith(SET_PREFIX)]
    known = nodes_of(viewer, plain[:_NAMED])
    for uid in plain[:_NAMED]:
        yield Told(name_of(known[uid]), uid) if uid in known else Told(uid)
    more = len(plain) - _NAMED
    if more > 0:
        yield Told(ngettext("and %(more)d more", "and %(more)d more", more) % {"more": more})
    for uid in uids:
        if uid.startswith(SET_PREFIX):
            yield Told(_set(viewer, uid))


def _set(viewer: Viewer, uid: str) -> str:
    try:
        count = len(members_of(viewer, uid))
    except NotFound:
        return _("a list that is kept no longer")
    return ngettext("a list of %(count)d", "a list of %(count)d", count) % {"count": count}


def _component(named: ComponentRange) -> str:
    kind = str(text(COMPONENT_KINDS, named.component_kind)) if named.component_kind else ""
    first, last = named.version_from, named.version_to
    if first and first == last:
        versions = first
    elif first and last:
        versions = _("%(first)s to %(last)s") % {"first": first, "last": last}
    elif first:
        versions = _("from %(first)s on") % {"first": first}
    elif last:
        versions = _("up to %(last)s") % {"last": last}
    else:
        versions = _("every version")
    return ", ".join(
        each for each in (" ".join(filter(None, (kind, named.name))), versions, named.config_digest) if each
    )  # fmt: skip


def _made(made: RunTimes) -> Iterator[str]:
    """When what made it was at work."""
    if made.since is not None or made.until is not None:
        yield _window(made.since, made.until)
    if made.undated:
        yield _("by runs without a time")


def _window(first: datetime | None, last: datetime | None) -> str:
    since = first and f"{first:%Y-%m-%d %H:%M} UTC"
    until = last and f"{last:%Y-%m-%d %H:%M} UTC"
    if since and until:
        return _("from %(first)s, before %(last)s") % {"first": since, "last": until}
    if since:
        return _("from %(first)s on") % {"first": since}
    return _("before %(last)s") % {"last": until}
