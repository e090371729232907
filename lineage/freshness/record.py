"""What looks at sources came to, kept: as records like any others, and as the state of the watch.

A look is an Acquisition of the version that the source was known to be; what has changed is a
version of its own, observed. Both go the way of all records (lineage.ingest.apply), so that
access, cases and erasure hold for them as for what was sent. Where a site gives
the very response that it gave before, or says that it still holds (304), the look is evidence
of that response and tells of it instead of making another: else a quiet source would grow the
graph for ever.
"""

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from django.db import transaction
from django.db.models import Count

from lineage import bulk_rows, outbox
from lineage.compiled import Compiled
from lineage.formats.records import parse_record
from lineage.freshness.cited import cited_of, is_form_of, unjudged
from lineage.freshness.looking import Looked
from lineage.freshness.probe import Probed
from lineage.freshness.schedule import JITTER, interval
from lineage.freshness.taking import held
from lineage.freshness.versions import is_observed
from lineage.ingest.apply import apply_records
from lineage.models import Node, RestsOn, SourceCheck, SourceWatch
from lineage.models.freshness import Outcome
from lineage.types import JsonValue, Viewer
from lineage.vocabulary import OBSERVED, Grade
from provexplorer.workspaces.models import Workspace

CHECKS: Final = "provexplorer:checks"
JUDGE: Final = "citations.judge_source"
# Of an observed version's attributes.
PAGES: Final = "pages"
_READ: Final = frozenset({Outcome.FIRST, Outcome.SAME, Outcome.CHANGED})
_CONFIRMED: Final = _READ | {Outcome.UNCHANGED}
# Bytes of a text that a record can carry; a longer one is known by its digest.
_MOST_TEXT: Final = 6 * 2**20
_MOST_URI: Final = 2_000
# Signals of these channels come with the site's rules; the others with the body alone.
_OF_SITE: Final = frozenset({"robots.txt", "tdmrep.json"})
# Columns of a row that tells of a look.
_CHECK: Final = (
    "source_id", "at", "outcome", "status", "failure", "moved", "asked_for", "acquisition_id",
    "version_id",
)  # fmt: skip


_MADE: Final = Compiled(
    lambda given: Node.objects.filter(
        workspace_id=given.id("workspace"), uid__in=given.texts("uids")
    ).order_by("pk")
)


@dataclass(slots=True)
class _Kept:
    """One look on its way into the store: what its records are called, and then their nodes."""

    looked: Looked
    comparable: bool
    version: Node | None  # that the source now is, as far as it is known already
    observes: bool = False  # a version is made by it
    acquisition_key: str = ""
    acquisition: Node | None = None


def keep(workspace: Workspace, several: Sequence[Looked], *, asked_for: bool = False) -> int:
    """Keep these looks, all of one workspace; returns how many were kept.

    One that another worker has taken meanwhile is not.
    """
    if not several:
        return 0
    kept = [_weighed(workspace, looked) for looked in several]
    _record(workspace, kept)
    return _write(workspace, kept, asked_for=asked_for)


def _weighed(workspace: Workspace, looked: Looked) -> _Kept:
    """Which version the source now is, if any is known, and whether one is made."""
    due, seen = looked.due, looked.seen
    watch, newest = due.watch, due.versions.newest
    if seen.outcome not in _READ:
        return _Kept(looked, watch.comparable, due.version or newest)
    known = due.versions.by_digest.get(seen.digest) or due.versions.by_digest.get(seen.bytes_digest)
    comparable = watch.comparable or known is not None
    if not comparable and seen.text is not None:
        comparable = is_form_of(everyone(workspace), due.source, seen.text)
    if known is not None and known == newest:
        return _Kept(looked, comparable, known)
    if seen.outcome == Outcome.SAME and due.version is not None:
        return _Kept(looked, comparable, due.version)
    # What is no form of the work is no version of it.
    return _Kept(looked, comparable, newest, observes=comparable)


def _record(workspace: Workspace, kept: Sequence[_Kept]) -> None:
    """Apply the records of these looks, and find the nodes that they made."""
    records: list[dict[str, Any]] = []
    for each in kept:
        if _still_holds(each):
            each.acquisition = each.looked.due.read
            continue
        if each.observes:
            records.append(_version(each))
        acquisition = _acquisition(each)
        if acquisition is not None:
            each.acquisition_key = acquisition["key"]
            records.append(acquisition)
    parsed = [parse_record(index, record) for index, record in enumerate(records)]
    outcomes = apply_records(workspace, parsed).outcomes if parsed else ()
    uids = {(one.kind, one.key): one.uid for one in outcomes if one.uid is not None}
    made = _MADE.instances(workspace=workspace.pk, uids=uids.values()) if uids else ()
    nodes = {node.uid: node for node in made}
    for each in kept:
        if each.acquisition is not None:
            continue
        each.acquisition = nodes.get(uids.get(("acquisition", each.acquisition_key), ""))
        if each.observes:
            version = nodes.get(uids.get(("source_version", each.looked.due.source.uid), ""))
            # Refused: it was erased in the meantime, or is no version that may be kept.
            each.observes = version is not None
            each.version = version or each.version


def _still_holds(each: _Kept) -> bool:
    """Whether a look came to the very response that is recorded, or the site says that it holds."""
    seen, read = each.looked.seen, each.looked.due.read
    if read is None or seen.final_uri != read.fields.get("final_uri", ""):
        return False
    said, signals = read.fields, _plainly(read.fields.get("rights_signals") or [])
    if seen.outcome == Outcome.SAME:
        told = (seen.bytes_digest, seen.etag, seen.last_modified, seen.media_type)
        known = (read.digest, *(said.get(n, "") for n in ("etag", "last_modified", "media_type")))
        return told == known and _plainly(seen.signals) == signals
    if seen.outcome != Outcome.UNCHANGED or seen.etag not in ("", said.get("etag", "")):
        return False
    # What the body or its headers said, a reply without a body need not say again.
    now = _plainly(seen.signals)
    of_site = [one for one in signals if one.get("channel") in _OF_SITE]
    return all(one in signals for one in now) and all(one in now for one in of_site)


def _plainly(signals: Iterable[JsonValue]) -> list[dict[str, JsonValue]]:
    """Signals without their times."""
    return [
        {name: said for name, said in one.items() if name != "at"}
        for one in signals
        if isinstance(one, dict)
    ]


def _version(each: _Kept) -> dict[str, Any]:
    source, seen = each.looked.due.source, each.looked.seen
    older = each.looked.due.versions.newest
    record: dict[str, Any] = {
        "kind": "source_version",
        "namespace": OBSERVED,
        "key": source.uid,
        "source": {"key": source.key, "namespace": source.namespace},
        "occurred_at": seen.at.isoformat(),
        "version": seen.at.date().isoformat(),
        "media_type": seen.media_type,
        "attributes": _observed(seen),
    }
    words = seen.text
    if words is not None and len(words.encode("utf-8", "replace")) <= _MOST_TEXT:
        record["text"] = words
    else:
        record["digest"] = seen.digest
    if older is not None:
        # Who may see a version may see what it has become, and nobody else.
        # and what must not be kept any longer then, must not be kept as it has become.
        held = ("acl", "retention_until")
        record |= {n: older.fields[n] for n in held if older.fields.get(n) is not None}
        record["revision_of"] = {"uid": older.uid}
    return record


def _observed(seen: Probed) -> dict[str, JsonValue]:
    """When a version was seen, and of a PDF where each page begins in its text, with its printed label."""
    told: dict[str, JsonValue] = {"observed_at": seen.at.isoformat()}
    if seen.pages:
        told[PAGES] = [[mark.start, mark.label] for mark in seen.pages]
    return told


def _acquisition(each: _Kept) -> dict[str, Any] | None:
    """The record of a response; None where nothing was asked, or of a work without any version."""
    due, seen = each.looked.due, each.looked.seen
    if seen.outcome == Outcome.NO_ADDRESS or (each.version is None and not each.observes):
        return None
    version: JsonValue
    if each.observes:
        digest = {"digest": seen.digest}
        version = {"key": due.source.uid, "namespace": OBSERVED, **digest}
    else:
        assert each.version is not None
        version = {"uid": each.version.uid}
    said = {
        "uri": seen.uri[:_MOST_URI],
        "final_uri": seen.final_uri[:_MOST_URI],
        "http_status": seen.status,
        "etag": seen.etag,
        "last_modified": seen.last_modified,
        "media_type": seen.media_type,
        "credential_ref": seen.credential,
        "rights_signals": list(seen.signals),
        "digest": seen.bytes_digest,
    }
    attributes: dict[str, JsonValue] = {"outcome": str(seen.outcome)}
    if seen.failure:
        attributes["failure"] = seen.failure
    if each.looked.copies:
        attributes["archived"] = [
            {"uri": copy.uri, "at": copy.at.isoformat()} for copy in each.looked.copies
        ]
    return {
        "kind": "acquisition",
        "namespace": CHECKS,
        "key": f"{due.source.uid} {seen.at.isoformat()}",
        "source_version": version,
        "occurred_at": seen.at.isoformat(),
        "fetched_at": seen.at.isoformat(),
        "attributes": attributes,
        **{name: value for name, value in said.items() if value not in ("", None, [])},
    }


def _write(workspace: Workspace, kept: Sequence[_Kept], *, asked_for: bool) -> int:
    """Write the state of the watch, the looks, and the tasks that judge passages."""
    ids = [each.looked.due.source.pk for each in kept]
    answers, cited = _answers(ids), cited_of(workspace.pk, ids)
    waiting = unjudged(workspace.pk, cited)
    with transaction.atomic():
        rows = held([each.looked.due.watch for each in kept])
        mine = set(rows.select_for_update().values_list("pk", flat=True))
        ours = [each for each in kept if each.looked.due.source.pk in mine]
        states = [_state(each, answers.get(each.looked.due.source.pk, 0)) for each in ours]
        if states:
            names = list(states[0])[:-1]
            bulk_rows.update(SourceWatch, names, [tuple(state.values()) for state in states])
        bulk_rows.insert(SourceCheck, _CHECK, [_check(each, asked_for=asked_for) for each in ours])
        for each in ours:
            if each.looked.due.source.pk in cited and _must_be_judged(each, waiting):
                outbox.enqueue(JUDGE, source_id=each.looked.due.source.pk)
    return len(ours)


def _check(each: _Kept, *, asked_for: bool) -> tuple[Any, ...]:
    """The row of a look, in the order of _CHECK."""
    seen = each.looked.seen
    return (
        each.looked.due.source.pk, seen.at, str(seen.outcome), seen.status, seen.failure, seen.moved,
        asked_for, _pk(each.acquisition), _pk(each.version) if seen.outcome in _CONFIRMED else None,
    )  # fmt: skip


def _state(each: _Kept, answers: int) -> dict[str, Any]:
    """What the watch of a source is after a look, by column; its key last."""
    seen, watch = each.looked.seen, each.looked.due.watch
    first = watch.first_at or seen.at
    read, confirmed = seen.outcome in _READ, seen.outcome in _CONFIRMED
    failures = 0 if confirmed else watch.failures + 1
    changed = seen.outcome == Outcome.CHANGED
    wait = interval(
        seen.outcome,
        watched=seen.at - first,
        changes=watch.changes + changed,
        answers=answers,
        failures=failures,
        retry_after=seen.retry_after,
    )
    spread = random.uniform(1 - JITTER, 1 + JITTER)  # noqa: S311 - no secret
    version = _pk(each.version) if each.comparable else None
    return {
        "taken_by": "",
        "lease_until": None,
        "next_at": seen.at + max(timedelta(seconds=seen.retry_after), wait * spread),
        "first_at": first,
        "checked_at": seen.at,
        "confirmed_at": seen.at if confirmed else watch.confirmed_at,
        "changed_at": seen.at if changed else watch.changed_at,
        "outcome": str(seen.outcome),
        "failing_since": None if confirmed else watch.failing_since or seen.at,
        "failures": failures,
        "looks": watch.looks + 1,
        "changes": watch.changes + changed,
        "digest": seen.digest if read else watch.digest,
        "comparable": each.comparable,
        "read_id": _pk(each.acquisition) if read else watch.read_id,
        "version_id": version if read else watch.version_id,
        "observed": (is_observed(each.version) and each.comparable) if read else watch.observed,
        "answers": answers,
        "source_id": watch.pk,
    }


def _pk(node: Node | None) -> int | None:
    return node.pk if node is not None else None


def _must_be_judged(each: _Kept, waiting: set[int]) -> bool:
    """Whether what became of the passages may be other than it was known to be."""
    seen, watch = each.looked.seen, each.looked.due.watch
    if seen.outcome == Outcome.GONE:
        return watch.outcome != Outcome.GONE or watch.pk in waiting
    if seen.outcome not in _CONFIRMED or not each.comparable:
        return False
    moved_on = each.version is not None and each.version.pk != watch.version_id
    came_back = watch.outcome == Outcome.GONE
    return moved_on or came_back or watch.pk in waiting


def _answers(source_ids: Sequence[int]) -> Mapping[int, int]:
    """How many answers cite each source or had it before them."""
    rows = RestsOn.objects.filter(
        target_id__in=source_ids, grade__in=(Grade.CITED, Grade.IN_CONTEXT)
    )
    counted = rows.values("target_id").annotate(n=Count("pk")).order_by("target_id")
    return {each["target_id"]: each["n"] for each in counted}


def everyone(workspace: Workspace) -> Viewer:
    """Whoever reads for the watch: all texts of the workspace, to compare them, showing none."""
    return Viewer(workspace.pk, workspace.hash_key, workspace.slug, sees_all=True)
