"""bind(): which revision of a key a reference means."""

from datetime import UTC, datetime

import pytest

from lineage.ingest.bind import Bound, Revision, bind
from provexplorer.clock import BEFORE_ALL

MARCH = datetime(2026, 3, 1, tzinfo=UTC)
APRIL = datetime(2026, 4, 1, tzinfo=UTC)
MAY = datetime(2026, 5, 1, tzinfo=UTC)

OLD = Revision(1, "sha256:old", ((MARCH, "r1"),))
NEW = Revision(2, "sha256:new", ((MAY, "r2"),))


@pytest.mark.parametrize(
    ("revisions", "digest", "event_at", "expected"),
    [
        ([], "", APRIL, Bound(None)),
        ([], "sha256:old", APRIL, Bound(None)),
        ([OLD], "", None, Bound(1)),
        ([OLD], "", datetime(2020, 1, 1, tzinfo=UTC), Bound(1)),
        ([OLD], "sha256:other", APRIL, Bound(None, ambiguous=True)),
        ([OLD, NEW], "sha256:new", MARCH, Bound(2)),
        ([OLD, NEW], "", APRIL, Bound(1)),
        ([NEW, OLD], "", MAY, Bound(2)),
        ([OLD, NEW], "", datetime(2026, 2, 1, tzinfo=UTC), Bound(1)),
        ([OLD, NEW], "", None, Bound(None, ambiguous=True)),
    ],
)
def test_bind_chooses_by_digest_then_by_time(
    revisions: list[Revision], digest: str, event_at: datetime | None, expected: Bound
) -> None:
    assert bind(revisions, digest=digest, event_at=event_at) == expected


def test_bind_to_the_last_sighting_not_after_the_event() -> None:
    """A revision that was sighted again later counts from its last sighting before the event."""
    back_and_forth = Revision(1, "sha256:a", ((MARCH, "r1"), (MAY, "r3")))
    between = Revision(2, "sha256:b", ((APRIL, "r2"),))
    assert bind([back_and_forth, between], event_at=APRIL).node_id == 2
    assert bind([back_and_forth, between], event_at=MAY).node_id == 1


def test_bind_breaks_ties_of_time_by_record_digest() -> None:
    one = Revision(1, "sha256:a", ((MARCH, "zz"),))
    other = Revision(2, "sha256:b", ((MARCH, "aa"),))
    assert bind([one, other], event_at=APRIL).node_id == 1
    assert bind([other, one], event_at=APRIL).node_id == 1


def test_a_sighting_without_time_stands_before_every_instant() -> None:
    untimed = Revision(1, "sha256:a", ((BEFORE_ALL, "r1"),))
    assert bind([untimed, NEW], event_at=APRIL).node_id == 1


def test_same_digest_at_two_places_is_decided_by_time() -> None:
    first = Revision(1, "sha256:same", ((MARCH, "r1"),))
    second = Revision(2, "sha256:same", ((MAY, "r2"),))
    assert bind([first, second], digest="sha256:same", event_at=APRIL).node_id == 1
    assert bind([first, second], digest="sha256:same", event_at=MAY).node_id == 2
