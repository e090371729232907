"""Which revision of a key a reference means: a pure function, run again whenever a revision arrives."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple, TypeAlias

from provexplorer.clock import BEFORE_ALL

SightingOrder: TypeAlias = tuple[datetime, str]


class Revision(NamedTuple):
    """A node of a key with what decides its place in time: (occurred_at or BEFORE_ALL, record digest) of each sighting."""

    node_id: int
    digest: str
    sightings: tuple[SightingOrder, ...]


class Bound(NamedTuple):
    """The node a reference means, or None: no revision, or several and nothing to choose by."""

    node_id: int | None
    ambiguous: bool = False


def bind(
    revisions: Sequence[Revision], *, digest: str = "", event_at: datetime | None = None
) -> Bound:
    """Bind a reference among the revisions of the key that it names.

    The named digest decides; else the revision of the last sighting not after
    the event time; else that of the first. Without an event time, several
    revisions leave it ambiguous.
    """
    if digest:
        matching = [revision for revision in revisions if revision.digest == digest]
        if not matching:
            return Bound(None, ambiguous=bool(revisions))
        revisions = matching
    if not revisions:
        return Bound(None)
    if len(revisions) == 1:
        return Bound(revisions[0].node_id)
    if event_at is None:
        return Bound(None, ambiguous=True)
    ordered = sorted(
        (order, revision.node_id) for revision in revisions for order in revision.sightings
    )
    not_after = [node_id for (at, _), node_id in ordered if at <= event_at]
    return Bound(not_after[-1] if not_after else ordered[0][1])


def sighting_order(occurred_at: datetime | None, record_digest: str) -> SightingOrder:
    """The order in which sightings of a key count: time first, unknown before all, then the record digest."""
    return (occurred_at or BEFORE_ALL, record_digest)
