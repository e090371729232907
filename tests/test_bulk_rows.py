"""Rows written past the ORM are the rows that the ORM reads."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext

from lineage import bulk_rows
from lineage.models import GraphDirty, Node, Rebinding, SearchWord, Sighting
from provexplorer.workspaces.models import Workspace

AT = datetime(2026, 3, 1, 12, 30, 15, 123456, tzinfo=timezone(timedelta(hours=-3)))
SIGHTING = (
    "workspace_id", "kind", "address", "digest", "content_digest", "occurred_at", "recorded_at",
    "fields", "attributes", "flags", "node_id", "direct",
)  # fmt: skip


def _sighting(workspace: Workspace, number: int, **fields: object) -> bulk_rows.Row:
    return (
        workspace.pk, "agent", f"a{number}", f"d{number}", "", AT, AT, fields, {}, [], None, True,
    )  # fmt: skip


def _nodes(workspace: Workspace, count: int) -> list[Node]:
    return [
        Node.objects.create(
            workspace=workspace, kind="agent", namespace="", key=str(n), address=f"agt_{n}",
            anywhere=str(n), uid=f"agt_{n}", recorded_at=AT,
        )
        for n in range(count)
    ]  # fmt: skip


def test_row_that_breaks_a_constraint_fails_and_leaves_nothing(workspace: Workspace) -> None:
    rows = [_sighting(workspace, 1), _sighting(workspace, 1)]
    with pytest.raises(IntegrityError), transaction.atomic():
        bulk_rows.insert_numbered(Sighting, SIGHTING, rows)
    with pytest.raises(IntegrityError), transaction.atomic():
        bulk_rows.insert(Sighting, SIGHTING, rows)
    assert list(Sighting.objects.filter(workspace=workspace)) == []


def test_missing_column_without_default_fails(workspace: Workspace) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        bulk_rows.insert(Sighting, SIGHTING[:6], [_sighting(workspace, 1)[:6]])


def test_row_that_is_there_is_passed_over_where_asked(workspace: Workspace) -> None:
    (node,) = _nodes(workspace, 1)
    names = ("workspace_id", "node_id", "word")
    bulk_rows.insert(SearchWord, names, [(workspace.pk, node.pk, "old")])
    bulk_rows.insert(
        SearchWord,
        names,
        [(workspace.pk, node.pk, "old"), (workspace.pk, node.pk, "new")],
        unless_there=True,
    )
    words = SearchWord.objects.filter(node=node).order_by("word").values_list("word", flat=True)
    assert list(words) == ["new", "old"]


def test_values_come_back_as_they_went_in(workspace: Workspace) -> None:
    fields: dict[str, object] = {
        "text": "æ 😀 \u2028 % %s '\"\\ \u0001", "none": None, "list": [1, 2.5, True, []], "own": {},
    }  # fmt: skip
    row: bulk_rows.Row = (
        workspace.pk, "agent", "a", "d", "", AT, AT, fields, {}, [{"code": "x"}], None, True,
    )  # fmt: skip
    bulk_rows.insert(Sighting, SIGHTING, [row])
    found = Sighting.objects.get(workspace=workspace)
    assert (found.fields, found.attributes, found.flags) == (fields, {}, [{"code": "x"}])
    assert found.occurred_at == datetime(2026, 3, 1, 15, 30, 15, 123456, tzinfo=UTC)
    assert found.node_id is None
    # An instant written here is found by one that the ORM writes.
    assert Sighting.objects.filter(workspace=workspace, recorded_at=AT).count() == 1


def test_numbers_come_in_the_order_of_the_rows_however_many(workspace: Workspace) -> None:
    # More than fit into one statement: 11 values a row.
    rows = [_sighting(workspace, number, n=number) for number in range(6_000)]
    numbers = bulk_rows.insert_numbered(Sighting, SIGHTING, rows)
    by_number = Sighting.objects.in_bulk(numbers[:5] + numbers[-5:])
    assert len(set(numbers)) == 6_000
    assert [by_number[pk].fields["n"] for pk in numbers[:5]] == [0, 1, 2, 3, 4]
    assert [by_number[pk].fields["n"] for pk in numbers[-5:]] == [5995, 5996, 5997, 5998, 5999]


def test_instance_is_as_the_constructor_makes_it(workspace: Workspace) -> None:
    columns = {"workspace_id": workspace.pk, "kind": "agent", "recorded_at": AT, "parent_id": 7}
    made, constructed = bulk_rows.instance(Node, **columns), Node(**columns)
    names = [field.attname for field in Node._meta.concrete_fields]
    assert [getattr(made, name) for name in names] == [getattr(constructed, name) for name in names]
    assert made._state.adding
    assert bulk_rows.instance(Node).fields is not bulk_rows.instance(Node).fields


def test_reserved_numbers_are_given_to_nobody_else(workspace: Workspace) -> None:
    (before,) = _nodes(workspace, 1)
    reserved = bulk_rows.reserve(Node, 3)
    after = Node.objects.create(
        workspace=workspace, kind="agent", namespace="", key="x", address="x", anywhere="x",
        uid="x", recorded_at=AT,
    )  # fmt: skip
    later = bulk_rows.reserve(Node, 2)
    numbers = [before.pk, *reserved, after.pk, *later]
    assert numbers == sorted(set(numbers))


def test_numbers_are_reserved_in_a_table_that_never_had_a_row(workspace: Workspace) -> None:
    (node,) = _nodes(workspace, 1)
    (number,) = bulk_rows.reserve(Rebinding, 1)
    made = Rebinding.objects.create(
        workspace=workspace, holder=node, relation="r", old_uid="", new_uid="", recorded_at=AT
    )
    assert made.pk > number > 0


def test_update_sets_each_row_to_its_own_values(workspace: Workspace) -> None:
    first, second, third = _nodes(workspace, 3)
    bulk_rows.update(
        Node,
        ["event_at", "flags", "version_id"],
        [(AT, [], second.pk, first.pk), (None, [{"code": "y"}], None, second.pk)],
    )
    nodes = Node.objects.in_bulk([first.pk, second.pk, third.pk])
    assert (nodes[first.pk].event_at, nodes[first.pk].version_id) == (AT, second.pk)
    assert (nodes[second.pk].flags, nodes[second.pk].version_id) == ([{"code": "y"}], None)
    assert (nodes[third.pk].event_at, nodes[third.pk].flags) == (None, [])


def test_update_finds_rows_by_a_key_that_is_a_relation(workspace: Workspace) -> None:
    first, second = _nodes(workspace, 2)
    names = ("node_id", "workspace_id", "version")
    bulk_rows.insert(GraphDirty, names, [(one.pk, workspace.pk, 1) for one in (first, second)])
    bulk_rows.update(GraphDirty, ["version"], [(2**62, second.pk)])
    versions = GraphDirty.objects.order_by("node_id").values_list("version", flat=True)
    assert list(versions) == [1, 2**62]


@pytest.mark.parametrize("asks", [True, False])
def test_rows_that_wait_break_a_constraint_when_they_are_written(
    workspace: Workspace, *, asks: bool
) -> None:
    def write() -> None:
        with transaction.atomic(), bulk_rows.together(Sighting):
            bulk_rows.insert(Sighting, SIGHTING, [_sighting(workspace, 1)] * 2)
            if asks:
                Sighting.objects.filter(workspace=workspace).first()

    with pytest.raises(IntegrityError):
        write()
    assert list(Sighting.objects.filter(workspace=workspace)) == []


def test_rows_that_wait_are_there_for_whoever_asks(workspace: Workspace) -> None:
    def insert(number: int, *, fails: bool = False) -> None:
        with transaction.atomic():
            bulk_rows.insert(Sighting, SIGHTING, [_sighting(workspace, number)])
            assert not fails

    def found() -> list[str]:
        rows = Sighting.objects.filter(workspace=workspace).order_by("pk")
        return list(rows.values_list("address", flat=True))

    with transaction.atomic(), bulk_rows.together(Sighting):
        bulk_rows.insert(Sighting, SIGHTING, [_sighting(workspace, 0)])
        bulk_rows.insert(Sighting, SIGHTING, [_sighting(workspace, 1)])
        assert found() == ["a0", "a1"]
        with pytest.raises(AssertionError):
            insert(2, fails=True)
        assert found() == ["a0", "a1"]
        insert(3)
    assert found() == ["a0", "a1", "a3"]


def test_what_fails_takes_rows_that_wait_with_it(workspace: Workspace) -> None:
    def write() -> None:
        with transaction.atomic(), bulk_rows.together(Sighting):
            bulk_rows.insert(Sighting, SIGHTING, [_sighting(workspace, 1)])
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write()
    bulk_rows.insert(Sighting, SIGHTING, [_sighting(workspace, 2)])
    assert [one.address for one in Sighting.objects.filter(workspace=workspace)] == ["a2"]


def test_nothing_to_write_asks_nothing(workspace: Workspace) -> None:
    with CaptureQueriesContext(connection) as queries:
        bulk_rows.insert(Rebinding, ("holder_id",), [])
        bulk_rows.update(Rebinding, ["old_uid"], [])
        assert bulk_rows.insert_numbered(Rebinding, ("holder_id",), []) == []
    assert len(queries) == 0
