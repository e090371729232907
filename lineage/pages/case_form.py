"""The form that drafts a case: what was typed, what is wrong with it, and the picker of targets.

Every button of the form sends all of it, so that nothing typed is lost while targets
are searched, added and removed without JavaScript.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Final

from django.http import QueryDict
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _

from lineage.nodes import search
from lineage.nodes.search_items import FoundItem
from lineage.pages.names import name_of, nodes_of
from lineage.types import Viewer
from lineage.vocabulary import CASE_KINDS, CASE_TARGET_KINDS

MOST_TARGETS: Final = 200
MOST_FOUND: Final = 12
_LONGEST_QUERY: Final = 400
_LONGEST_REASON: Final = 10_000
# The part of a JSON pointer that names a field of the form.
_FIELDS: Final = ("kind", "targets", "reason", "evidence", "effective_at")


@dataclass(frozen=True, slots=True)
class Chosen:
    """A target that was picked; `known` False: nothing here has this uid."""

    uid: str
    kind: str
    name: str
    known: bool


@dataclass(frozen=True, slots=True)
class Picker:
    """The targets chosen so far and what the words found besides."""

    chosen: tuple[Chosen, ...]
    found: tuple[FoundItem, ...]
    searched: bool


@dataclass(frozen=True, slots=True)
class CaseForm:
    """What was sent; `wrong` by field name. `is_sent`: the button that drafts was pressed."""

    kind: str = ""
    targets: tuple[str, ...] = ()
    reason: str = ""
    evidence: str = ""
    effective_at: str = ""
    q: str = ""
    is_sent: bool = False
    wrong: Mapping[str, str] = field(default_factory=dict)

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
        """The chosen targets by name, and hits of the words that a case can be about."""
        known = nodes_of(viewer, self.targets)
        chosen = tuple(
            Chosen(uid, known[uid].kind, name_of(known[uid]), known=True)
            if uid in known
            else Chosen(uid, "", uid, known=False)
            for uid in self.targets
        )
        if not self.q.strip():
            return Picker(chosen, (), searched=False)
        hits = search(viewer, self.q, limit=50).items
        found = [
            hit for hit in hits if hit.kind in CASE_TARGET_KINDS and hit.uid not in self.targets
        ]
        return Picker(chosen, tuple(found[:MOST_FOUND]), searched=True)


def prefilled(query: QueryDict) -> CaseForm:
    """The form as links fill it in: `?kind=`, `?target=` (several), `?evidence=`, `?reason=`, `?q=`."""
    kind = query.get("kind", "")
    return CaseForm(
        kind=kind if kind in CASE_KINDS else "",
        targets=_targets(query.getlist("target")),
        reason=query.get("reason", "")[:_LONGEST_REASON],
        evidence="\n".join(query.getlist("evidence")[:20]),
        q=query.get("q", "")[:_LONGEST_QUERY],
    )


def parse_form(post: QueryDict) -> CaseForm:
    """The form as it was sent, whichever of its buttons was pressed."""
    targets = _targets([*post.getlist("target"), *post.getlist("add")])
    removed = set(post.getlist("remove"))
    form = CaseForm(
        kind=post.get("kind", ""),
        targets=tuple(uid for uid in targets if uid not in removed),
        reason=post.get("reason", ""),
        evidence=post.get("evidence", ""),
        effective_at=post.get("effective_at", "").strip(),
        q=post.get("q", "")[:_LONGEST_QUERY],
        is_sent="draft" in post,
    )
    return replace(form, wrong=_wrong(form)) if form.is_sent else form


def _wrong(form: CaseForm) -> dict[str, str]:
    wrong: dict[str, str] = {}
    if form.kind not in CASE_KINDS:
        wrong["kind"] = _("Choose what happened.")
    if not form.targets:
        wrong["targets"] = _("Choose at least one target: search for it, then add it.")
    if form.effective_at and _instant(form.effective_at) is None:
        wrong["effective_at"] = _("This is no date and time. Write it as 2026-05-12T14:03.")
    return wrong


def _targets(uids: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(uid.strip()[:40] for uid in uids if uid.strip()))[:MOST_TARGETS]


def _instant(typed: str) -> datetime | None:
    try:
        at = parse_datetime(typed)
    except ValueError:
        return None
    if at is None:
        return None
    return at if at.tzinfo else at.replace(tzinfo=UTC)
