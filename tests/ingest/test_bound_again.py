"""Which references need not be bound again: those that `bind` gives the same node before and after."""

from datetime import UTC, datetime, timedelta
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lineage.ingest.bind import Bound, Revision, bind
from lineage.ingest.bound_again import bound_again_from, known_of
from lineage.ingest.node_rows import Row
from lineage.ingest.revisions import Group, Seen, merge
from lineage.models import Node
from provexplorer.clock import BEFORE_ALL

pytestmark = pytest.mark.engine_free

NOON: Final = datetime(2026, 5, 3, 12, tzinfo=UTC)
DIGESTS: Final = ("", "a", "b", "c")
# (hours after noon or None, revision, whether it was there before); its record digest is its place.
Sightings = list[tuple[int | None, int, bool]]
sightings: Final = st.lists(
    st.tuples(st.one_of(st.none(), st.integers(0, 4)), st.integers(0, 2), st.booleans()),
    min_size=1,
    max_size=8,
)


def at(hours: int | None) -> datetime | None:
    return None if hours is None else NOON + timedelta(hours=hours)


def row(revision: int, some: Sightings) -> Row:
    """A revision, its node's id one more than its number; those that are new belong to no node yet."""
    node = Node(id=revision + 1, uid=f"n{revision}", digest=DIGESTS[revision + 1], resolved=True)
    seen = [
        Seen(
            sighting_id=place,
            occurred_at=at(hours),
            record_digest=f"{place:02}",
            digest=node.digest,
            parent_id=None,
            fields={},
            attributes={},
            flags=(),
            node_id=node.pk if before else None,
        )
        for place, (hours, of, before) in enumerate(some)
        if of == revision
    ]
    return Row(node, Group(node.digest, None, seen), merge("document", seen), None, revision > 0)


def bound(rows: list[Row], digest: str, event_at: datetime | None, *, before: bool) -> Bound:
    revisions = [
        Revision(one.node.pk, one.node.digest, tuple(seen.order for seen in counted))
        for one in rows
        if (counted := [seen for seen in one.group.seen if not before or seen.node_id])
    ]
    return bind(revisions, digest=digest, event_at=event_at)


@given(some=sightings)
def test_what_is_not_bound_again_means_what_it_meant(some: Sightings) -> None:
    rows = [one for one in (row(revision, some) for revision in range(3)) if one.group.seen]
    there = {
        one.node.pk: known_of(one.node)
        for one in rows
        if any(seen.node_id for seen in one.group.seen)
    }
    since = bound_again_from(rows, there)
    events = [None, *(NOON + timedelta(hours=half / 2) for half in range(-1, 11))]
    for digest in DIGESTS:
        for event in events:
            now = bound(rows, digest, event, before=False)
            if since is None or (event is not None and event < since and not digest):
                assert bound(rows, digest, event, before=True) == now


def test_a_key_seen_once_more_later_leaves_earlier_events_alone() -> None:
    rows = [row(0, [(0, 0, True), (2, 1, False)]), row(1, [(0, 0, True), (2, 1, False)])]
    assert bound_again_from(rows, {1: known_of(rows[0].node)}) == at(2)


def test_the_only_revision_seen_once_more_binds_nothing_again() -> None:
    one = row(0, [(0, 0, True), (2, 0, False)])
    assert bound_again_from([one], {1: known_of(one.node)}) is None


@pytest.mark.parametrize(
    "before",
    [{}, {1: None}, {1: ("another uid", "a", None, None, False)}],
    ids=["unknown", "a placeholder", "it has another uid now"],
)
def test_every_reference_binds_again_where_the_node_is_another(before: dict[int, object]) -> None:
    one = row(0, [(0, 0, True), (2, 0, False)])
    assert bound_again_from([one], before) == BEFORE_ALL  # type: ignore[arg-type]


def test_every_reference_binds_again_where_a_sighting_went_to_another_node() -> None:
    some: Sightings = [(0, 0, True), (1, 1, True)]
    rows = [row(0, some), row(1, some)]
    moved = rows[1].group.seen[0]._replace(node_id=1)
    rows[1].group.seen[0] = moved
    there = {one.node.pk: known_of(one.node) for one in rows}
    assert bound_again_from(rows, there) == BEFORE_ALL
