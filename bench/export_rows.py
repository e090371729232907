"""Writes answers that rest on two components, by a run, a document and a chunk each, straight into the tables.

Nodes have what a list shows of them, and no more: no references, no texts.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Final

from django.db import transaction

from bench.impact_rows import NODE_COLUMNS
from bench.unindexed import unindexed
from lineage import bulk_rows
from lineage.identifiers import keyed_hash
from lineage.models import Node, RestsOn
from lineage.vocabulary import KINDS, Grade
from provexplorer import clock
from provexplorer.workspaces.models import Workspace

_BEGUN: Final = datetime(2026, 1, 1, tzinfo=UTC)
_ANSWERS: Final = 5_000
_GRADES: Final = (Grade.CITED, Grade.IN_CONTEXT, Grade.RETRIEVED)
_REST: Final = ("answer_id", "target_id", "grade", "origin_grade", "via_id", "at")


def write(workspace: Workspace, answers: int) -> tuple[str, str]:
    """So many answers; the uids of the two components."""
    with unindexed((Node, RestsOn)):
        with transaction.atomic():
            first, second, run, document, chunk = (
                _nodes(workspace, kind, numbers)[-1]
                for kind, numbers in (
                    ("component", range(1)), ("component", range(1, 2)), ("run", range(1)),
                    ("document", range(1)), ("chunk", range(1)),
                )
            )  # fmt: skip
        shared = ((first, run), (second, run), (run, document), (document, chunk))
        for start in range(0, answers, _ANSWERS):
            numbers = range(start, min(start + _ANSWERS, answers))
            with transaction.atomic():
                ids = _nodes(workspace, "answer", numbers)
                bulk_rows.insert(
                    RestsOn,
                    _REST,
                    [
                        row
                        for number, pk in zip(numbers, ids, strict=True)
                        for row in _rests(number, pk, (*shared, (chunk, pk)))
                    ],
                )
    return _uid(workspace, "component", 0), _uid(workspace, "component", 1)


def _nodes(workspace: Workspace, kind: str, numbers: range) -> list[int]:
    """Nodes of a kind, written; their ids."""
    ids = bulk_rows.reserve(Node, len(numbers))
    made = [_node(workspace, kind, number, pk) for number, pk in zip(numbers, ids, strict=True)]
    bulk_rows.insert(Node, NODE_COLUMNS, made)
    return ids


def _rests(number: int, pk: int, chain: tuple[tuple[int, int], ...]) -> Iterator[bulk_rows.Row]:
    grade = int(_GRADES[number % len(_GRADES)])
    at = round(_at(number).timestamp() * 1_000_000)
    for target, via in chain:
        yield pk, target, grade, 0, via, at


def _node(workspace: Workspace, kind: str, number: int, pk: int) -> bulk_rows.Row:
    uid = _uid(workspace, kind, number)
    fields = {"model": f"model-{number % 7}", "provider": "p", "unit": f"unit-{number % 40}"}
    return (
        pk, workspace.pk, kind, "", f"session-{number:09d}/answer", uid, uid[4:], uid, "", True, False,
        None, pk, None, "", _at(number), _at(number), clock.now(), None, None, "", False, fields, {}, [],
    )  # fmt: skip


def _at(number: int) -> datetime:
    return _BEGUN + timedelta(minutes=number)


def _uid(workspace: Workspace, kind: str, number: int) -> str:
    return f"{KINDS[kind].prefix}_{keyed_hash(workspace.hash_key, kind, str(number))}"
