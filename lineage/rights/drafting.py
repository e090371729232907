"""Draft cases that follow from what versions state: a right that has ended, a licence that has changed.

One each, by a key made of what has happened, so that looking again drafts nothing twice. A draft
has no effect; an editor tries it out and approves it, or turns it down.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from django.utils.translation import gettext as _

from lineage.cases.register import withdrawals_of
from lineage.cases.steps import fresh_uid
from lineage.cases.workflow import NewCase, draft
from lineage.formats.licenses import read_license
from lineage.ingest.keys import in_chunks
from lineage.models import Case, Node, RestsOn, Sighting
from lineage.rights.terms import Ending, endings_of
from lineage.types import JsonValue, Viewer
from lineage.vocabulary import OBSERVED
from provexplorer import clock
from provexplorer.workspaces.models import Workspace

# Drafts of one batch of sources; a flood of them would bury what people file.
_MOST: Final = 50
# Versions of one work whose licences are compared, the latest ones.
_MOST_COMPARED: Final = 200
_SIGHTINGS: Final = 20_000


@dataclass(frozen=True, slots=True)
class _Follows:
    """A case that follows: what it is about, and what it is known by."""

    key: str
    kind: str
    version: Node
    reason: str
    evidence: dict[str, JsonValue]
    # Only where answers rest on the version does it matter; a text that must go must go anyway.
    needs_answers: bool = True


def draft_what_follows(workspace: Workspace, works: Sequence[Sequence[Node]]) -> int:
    """Draft what follows for these works, each with its versions, the latest first; returns how many drafts."""
    viewer = _product(workspace)
    resolved = [[version for version in work if version.resolved] for work in works]
    every = [version for work in resolved for version in work]
    # A version that was made by looking states no licence that could have changed.
    stating = [[version for version in work if version.namespace != OBSERVED] for work in resolved]
    found = [*_ended(every), *_changed(workspace, stating)]
    wanted = _not_yet(viewer, _with_answers(found))[:_MOST]
    for each in wanted:
        draft(
            viewer,
            NewCase(
                kind=each.kind,
                targets=[{"uid": each.version.uid}],
                reason=each.reason,
                evidence=[each.evidence],
            ),
            key=each.key,
        )
    return len(wanted)


def _product(workspace: Workspace) -> Viewer:
    """The product itself: it sees all and drafts, and approves nothing."""
    return Viewer(
        workspace_id=workspace.pk,
        hash_key=workspace.hash_key,
        slug=workspace.slug,
        sees_all=True,
        scopes=frozenset({"operate"}),
    )


def _ended(versions: Sequence[Node]) -> Iterator[_Follows]:
    now = clock.now()
    for version in versions:
        for ending in endings_of(version.fields):
            if ending.at <= now:
                yield _of_ending(version, ending)


def _of_ending(version: Node, ending: Ending) -> _Follows:
    # The last day on which it was so; before the first day of the calendar there is none.
    on = (ending.at - min(clock.TICK, ending.at - clock.BEFORE_ALL)).date().isoformat()
    reasons = {
        "validity": _("It was stated to be valid until %(date)s."),
        "consent": _("The consent to use it was given until %(date)s."),
        "retention": _("It was to be kept until %(date)s and no longer."),
    }
    return _Follows(
        key=f"rights:{ending.what}:{version.uid}:{ending.at.isoformat()}",
        kind="erasure" if ending.what == "retention" else "expiry",
        version=version,
        reason=reasons[ending.what] % {"date": on},
        evidence={"ended": ending.what, "at": ending.at.isoformat(), "version": version.uid},
        needs_answers=ending.what != "retention",
    )


def _changed(workspace: Workspace, works: Sequence[Sequence[Node]]) -> Iterator[_Follows]:
    """Licences that were stated otherwise of the same version, and those of the next version."""
    said = _licences_said(workspace, [version.pk for work in works for version in work])
    for work in works:
        for version in work:
            for old, new in pairwise(said.get(version.pk, ())):
                yield _of_change(version, version, old, new)
        for newer, older in pairwise(work[:_MOST_COMPARED]):
            before, after = _stated(older.fields), _stated(newer.fields)
            if before and after and before != after:
                yield _of_change(older, newer, before, after)


def _of_change(version: Node, newer: Node, old: str, new: str) -> _Follows:
    return _Follows(
        key=f"rights:licence:{version.uid}:{newer.uid}:{old}:{new}",
        kind="license_change",
        version=version,
        reason=_("Its licence was %(old)s; now it is stated to be %(new)s.")
        % {"old": old, "new": new},
        evidence={"old": old, "new": new, "version": newer.uid},
    )


def _licences_said(workspace: Workspace, version_ids: Sequence[int]) -> dict[int, list[str]]:
    """The licences that were stated of each version, in the order of the statements, repeats left out."""
    found: dict[int, list[str]] = defaultdict(list)
    for chunk in in_chunks(version_ids):
        rows = (
            Sighting.objects.filter(workspace=workspace, node_id__in=chunk)
            .order_by("node_id")
            .values_list("node_id", "occurred_at", "digest", "fields")[:_SIGHTINGS]
        )
        ordered = sorted(
            rows, key=lambda row: (row[0], row[1].timestamp() if row[1] else float("-inf"), row[2])
        )
        for node_id, _at, _digest, fields in ordered:
            stated = _stated(fields)
            if stated and (not found[node_id or 0] or found[node_id or 0][-1] != stated):
                found[node_id or 0].append(stated)
    return found


def _stated(fields: Any) -> str:
    """The licence in its normal form, else its words; "" where none is stated."""
    said, address = (
        value if isinstance(value, str) else None
        for value in (fields.get("license"), fields.get("license_uri"))
    )
    read = read_license(said, address)
    if read.how == "unstated":
        return ""
    return (read.normal or (said or "").strip())[:200]


def _with_answers(found: Sequence[_Follows]) -> list[_Follows]:
    """Those that matter: answers rest on the version, or its text has to go."""
    asked = {each.version.pk for each in found if each.needs_answers}
    resting: set[int] = set()
    for chunk in in_chunks(asked):
        rows = RestsOn.objects.filter(target_id__in=chunk).order_by("target_id")
        resting |= set(rows.values_list("target_id", flat=True).distinct())
    return [each for each in found if not each.needs_answers or each.version.pk in resting]


def _not_yet(viewer: Viewer, found: Sequence[_Follows]) -> list[_Follows]:
    """Those of which there is no case, by their key or by somebody else's word on the same version."""
    if not found:
        return []
    uids = {fresh_uid(viewer, each.key): each for each in found}
    known: set[str] = set()
    for chunk in in_chunks(uids):
        rows = Case.objects.filter(workspace_id=viewer.workspace_id, uid__in=chunk)
        known |= set(rows.values_list("uid", flat=True))
    left = [each for uid, each in uids.items() if uid not in known]
    active = withdrawals_of(viewer.workspace_id, [each.version.pk for each in left])
    return [
        each
        for each in left
        if not {case.case_kind for case in active.get(each.version.pk, ())} & {each.kind, "erasure"}
    ]
