"""Very many answers like one that was sent, written by the database itself.

Through the product 200,000 answers take an hour, and as rows out of Python a quarter of one.
What impact reads of a copy is complete: its nodes, their edges and what it rests on. It has
no texts, sightings or words, and the addresses in its references are those of the first.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from django.db import connection
from django.db.models import DateTimeField, Field, Model

from lineage import bulk_rows
from lineage.models import Node, Reference, RestsOn

# Each with what else stands in the same place of another copy: the ids of nodes that are its own.
_NODES: Final = frozenset({
    "id", "parent_id", "owner_id", "version_id", "holder_id", "from_node_id", "to_node_id",
    "answer_id", "target_id", "via_id",
})  # fmt: skip
_COPIES: Final = """
WITH RECURSIVE copy(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM copy WHERE k < {copies})
INSERT INTO {table} ({columns}) SELECT {values} FROM copy CROSS JOIN {table} WHERE {holder} IN ({ids})
"""
# Digits that base32 does not have.
_LETTERS: Final = (("0", "a"), ("1", "b"), ("8", "c"), ("9", "d"))


def copy_answer(answer: Node, own: Sequence[Node], copies: int) -> None:
    """Write so many more answers like this one, each a minute after the one before.

    `own`: the nodes that every answer has of its own, the answer among them; their keys are a
    prefix and the number 0, those of the copies the prefix and their number from 1 on.
    """
    if not copies:
        return
    ids = [node.pk for node in own]
    numbers = bulk_rows.reserve(Node, len(ids) * copies)
    base = numbers[0]
    assert numbers[-1] - base == len(numbers) - 1
    # The k-th copy's nodes lie together, in the order of `own`.
    moved = {pk: f"{base + place} + (k - 1) * {len(ids)}" for place, pk in enumerate(ids)}
    _copy(Node, "id", moved, copies, keep=frozenset())
    _copy(Reference, "holder_id", moved, copies, keep=frozenset({"id"}))
    _copy(
        RestsOn,
        "answer_id",
        {answer.pk: moved[answer.pk]},
        copies,
        keep=frozenset({"id"}),
        ends=moved,
    )


def _copy(
    model: type[Model], holder: str, held: Mapping[int, str], copies: int, *,
    keep: frozenset[str], ends: Mapping[int, str] | None = None,
) -> None:  # fmt: skip
    """The rows whose holder is one of these, once more for each copy; columns to `keep` get values of their own."""
    fields = [f for f in model._meta.concrete_fields if f.column not in keep]
    quote = connection.ops.quote_name
    table = quote(model._meta.db_table)
    statement = _COPIES.format(
        copies=copies,
        table=table,
        columns=", ".join(quote(str(field.column)) for field in fields),
        values=", ".join(_value(model, field, ends or held) for field in fields),
        holder=quote(holder),
        ids=", ".join(map(str, held)),
    )
    with connection.cursor() as cursor:
        cursor.execute(statement)


def _value(model: type[Model], field: "Field[object, object]", moved: Mapping[int, str]) -> str:
    """What a copy has in this column, in terms of the first's and of its number k."""
    name = str(field.column)
    column = connection.ops.quote_name(name)
    if name in _NODES:
        cases = " ".join(f"WHEN {pk} THEN {place}" for pk, place in moved.items())
        return f"CASE {column} {cases} ELSE {column} END"
    if isinstance(field, DateTimeField) and name != "recorded_at":
        if connection.vendor == "postgresql":
            return f"{column} + k * INTERVAL '1 minute'"
        return f"datetime({column}, '+' || k || ' minutes')"
    if name == "at":
        return f"{column} + CAST(k AS bigint) * 60000000"
    if model is Node and name == "key":
        return f"replace({column}, '0', CAST(k AS text))"
    if model is Node and name in ("uid", "address", "anywhere"):
        digits = (
            f"CAST({10**25} + k AS text)"
            if connection.vendor == "postgresql"
            else ("('1' || substr('0000000000000000000000000' || k, -25))")
        )
        for digit, letter in _LETTERS:
            digits = f"replace({digits}, '{digit}', '{letter}')"
        return digits if name == "anywhere" else f"substr({column}, 1, 4) || {digits}"
    return column
