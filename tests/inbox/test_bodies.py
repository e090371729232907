"""Bodies of several payloads are read together, little at once, and none that was destroyed."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from lineage.inbox.keeping import bodies_of, destroy_bodies
from lineage.models import InboxPayload
from provexplorer.workspaces.models import Workspace
from tests.inbox.world import SOURCE, body, row, send

pytestmark = pytest.mark.django_db


def sent(workspace: Workspace, title: str, length: int = 1) -> InboxPayload:
    return row(send(workspace, SOURCE | {"title": title * length}))


def read(workspace: Workspace, *rows: InboxPayload) -> list[tuple[int, bytes]]:
    return [(found.pk, data) for found, data in bodies_of(workspace, [each.pk for each in rows])]


def test_each_has_its_own_the_oldest_first(workspace: Workspace) -> None:
    rows = [sent(workspace, title) for title in "abc"]
    expected = [
        (each.pk, body(SOURCE | {"title": title})) for each, title in zip(rows, "abc", strict=True)
    ]
    assert read(workspace, rows[2], rows[0], rows[1]) == sorted(expected)


def test_destroyed_and_foreign_ones_are_absent(workspace: Workspace) -> None:
    other = Workspace.objects.create(slug="other", name="Other")
    mine, gone, foreign = sent(workspace, "a"), sent(workspace, "b"), sent(other, "c")
    destroy_bodies([gone.pk])
    assert read(workspace, mine, gone, foreign) == [(mine.pk, body(SOURCE | {"title": "a"}))]
    assert read(workspace) == []


def test_what_is_large_is_read_by_itself(workspace: Workspace) -> None:
    small, *large = (sent(workspace, t, n) for t, n in (("a", 1), ("b", 5 << 20), ("c", 5 << 20)))
    asked: dict[int, int] = {}
    with CaptureQueriesContext(connection) as queries:
        for found, data in bodies_of(workspace, [small.pk, *(each.pk for each in large)]):
            assert len(data) == found.size
            asked[found.pk] = len(queries)
    # Together the large ones would be more than is read at once; the small one goes with either.
    first, second = (asked[each.pk] for each in large)
    assert first != second
    assert asked[small.pk] in (first, second)


def test_many_take_as_many_statements_as_one(workspace: Workspace) -> None:
    rows = [sent(workspace, title) for title in "abcdef"]
    counts = []
    for some in (rows[:1], rows):
        with CaptureQueriesContext(connection) as queries:
            assert len(read(workspace, *some)) == len(some)
        counts.append(len(queries))
    assert counts == [2, 2]
