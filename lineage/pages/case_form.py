"""The form that drafts a case: what was typed, what is wrong with it, and the picker of targets.

Every button of the form sends all of it, so that nothing typed is lost while targets
are searched, pasted, added and removed without JavaScript.
"""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Final

from django.http import QueryDict
from django.urls import reverse
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from lineage.cases.proposed import proposed
from lineage.cases.targets import MOST_TARGETS
from lineage.impact.question import question_from_json, read_question
from lineage.impact.question_values import QuestionInvalid
from lineage.incidents.workflow import incident_of
from lineage.pages.case_targets import Picker, Read, chosen_of, found_by, read_list
from lineage.types import NotFound, Viewer
from lineage.vocabulary import CASE_KINDS

_LONGEST_QUERY: Final = 400
_LONGEST_REASON: Final = 10_000
_LONGEST_ONCE: Final = 64
# The part of a JSON pointer that names a field of the form.
_FIELDS: Final = ("kind", "targets", "reason", "evidence", "effective_at")


@dataclass(frozen=True, slots=True)
class CaseForm:
    """What was sent; `wrong` by field name. `is_sent`: the button that drafts was pressed.

    `beyond`: targets that were named besides the 200 that a case can name. `once` tells the form
    that was given out from others: pressed twice, its button drafts once.
    """

    kind: str = ""
    targets: tuple[str, ...] = ()
    reason: str = ""
    evidence: str = ""
    effective_at: str = ""
    q: str = ""
    pasted: str = ""
    read: Read = field(default_factory=Read)
    beyond: int = 0
    is_sent: bool = False
    wrong: Mapping[str, str] = field(default_factory=dict)
    once: str = field(default_factory=lambda: secrets.token_hex(16))

    @property
    def evidence_lines(self) -> tuple[str, ...]:
        """One piece of evidence a line."""
        return tuple(line.strip() for line in self.evidence.splitlines() if line.strip())

    @property
    def effective_instant(self) -> datetime | None:
        """The instant typed, in UTC; None for none, or for what is no instant (then `wrong` says so)."""
        return _instant(self.effective_at)

    def refused(self, pointer: str, detail: str) -> "CaseForm":
        """The form with what the workflow said against it; `pointer` is a JSON pointer."""
        name = pointer.strip("/").partition("/")[0]
        if pointer.startswith("/evidence/"):
            detail = _("A line of evidence has at most 4,000 characters.")
        return replace(self, wrong={**self.wrong, name if name in _FIELDS else "targets": detail})

    def picker(self, viewer: Viewer) -> Picker:
        """The chosen targets by name, hits of the words that a case can be about, and refused lines."""
        chosen = chosen_of(viewer, self.targets)
        if not self.q.strip():
            return Picker(chosen, (), searched=False, read=self.read)
        return Picker(chosen, found_by(viewer, self.q, self.targets), searched=True, read=self.read)


def prefilled(viewer: Viewer, query: QueryDict) -> CaseForm:
    """The form as links fill it in.

    `?kind=`, `?target=` (several), `?evidence=`, `?reason=`, `?q=`; `?incident=UID` names what
    the incident asks about, with the incident as evidence; the parameters of a report of
    impact (`?node=`, a kept set too) what the report is about. Raises NotFound for an incident
    or a node that is unknown here.
    """
    kind = query.get("kind", "")
    form = CaseForm(
        kind=kind if kind in CASE_KINDS else "",
        reason=query.get("reason", "")[:_LONGEST_REASON],
        evidence="\n".join(query.getlist("evidence")[:20]),
        q=query.get("q", "")[:_LONGEST_QUERY],
    )
    form = form_with(form, query.getlist("target"))
    try:
        if uid := query.get("incident", ""):
            incident = incident_of(viewer, uid)
            found = proposed(viewer, question_from_json(incident.question))
            form = replace(
                form_with(form, found.uids, beyond=found.beyond),
                reason=form.reason or incident.title,
                evidence=form.evidence or reverse("incident", args=[uid]),
            )
        else:
            found = proposed(viewer, read_question(query))
            form = form_with(form, found.uids, beyond=found.beyond)
    except QuestionInvalid as error:
        raise NotFound from error
    return form


def parse_form(viewer: Viewer, post: QueryDict) -> CaseForm:
    """The form as it was sent, whichever of its buttons was pressed; a pasted list is read with each."""
    removed = set(post.getlist("remove"))
    named = [*post.getlist("target"), *post.getlist("add")]
    pasted = post.get("pasted", "")
    read = read_list(viewer, pasted) if pasted.strip() else Read()
    form = CaseForm(
        kind=post.get("kind", ""),
        reason=post.get("reason", ""),
        evidence=post.get("evidence", ""),
        effective_at=post.get("effective_at", "").strip(),
        q=post.get("q", "")[:_LONGEST_QUERY],
        pasted=read.left,
        read=read,
        is_sent="draft" in post,
    )
    if once := post.get("once", "")[:_LONGEST_ONCE]:
        form = replace(form, once=once)
    form = form_with(form, [uid for uid in [*named, *read.taken] if uid not in removed])
    return replace(form, wrong=_wrong(form)) if form.is_sent else form


def form_with(form: CaseForm, uids: "list[str] | tuple[str, ...]", *, beyond: int = 0) -> CaseForm:
    """The form with these targets besides its own, as many as a case can name."""
    stripped = [uid.strip()[:40] for uid in uids if uid.strip()]
    every = tuple(dict.fromkeys([*form.targets, *stripped]))
    return replace(
        form,
        targets=every[:MOST_TARGETS],
        beyond=form.beyond + beyond + max(0, len(every) - MOST_TARGETS),
    )


def _wrong(form: CaseForm) -> dict[str, str]:
    wrong: dict[str, str] = {}
    if form.kind not in CASE_KINDS:
        wrong["kind"] = _("Choose what happened.")
    if form.read.refused:
        count = len(form.read.refused) + form.read.beyond
        wrong["targets"] = ngettext(
            "%(n)d line of the list was not understood. Put it right or take it out.",
            "%(n)d lines of the list were not understood. Put them right or take them out.",
            count,
        ) % {"n": count}
    elif form.beyond:
        wrong["targets"] = _("A case can name at most %(most)d targets.") % {"most": MOST_TARGETS}
    elif not form.targets:
        wrong["targets"] = _("Choose at least one target: search for it, then add it.")
    if form.effective_at and _instant(form.effective_at) is None:
        wrong["effective_at"] = _("This is no date and time. Write it as 2026-05-12T14:03.")
    return wrong


def _instant(typed: str) -> datetime | None:
    try:
        at = parse_datetime(typed)
    except ValueError:
        return None
    if at is None:
        return None
    return at if at.tzinfo else at.replace(tzinfo=UTC)
