"""Fills the label and type slots of a statement from the vocabulary's closed set.

Cypher takes no label or relationship type as a parameter in a way that both
Neo4j 5 and ArcadeDB understand and that uses an index, and one statement per
kind would be eighteen copies of each. So a statement carries slots, and only a
word of the vocabulary can fill one: what a client sends never becomes part of
a statement.

    :Kind :FromKind :ToKind     label of a kind
    :EDGE                       one relationship type
    :EDGES                      one or more, as A|B
"""

import re
from collections.abc import Iterable
from typing import Final, LiteralString

from lineage.vocabulary import KINDS, Edge

_SLOT: Final = re.compile(r":(Kind|FromKind|ToKind|EDGES|EDGE)\b")


def for_label(
    statement: LiteralString,
    *,
    kind: str = "",
    from_kind: str = "",
    to_kind: str = "",
    edges: Iterable[Edge] = (),
) -> LiteralString:
    """The statement with its slots filled.

    Kinds by name ("source_version"), edges by member. Raises ValueError for a
    word outside the vocabulary, for a slot left open, and for a word without slot.
    """
    for slot, name in ((":Kind", kind), (":FromKind", from_kind), (":ToKind", to_kind)):
        if name:
            statement = _fill(statement, slot, _label(name))
    types = sorted({Edge(edge).value for edge in edges})
    if len(types) == 1 and ":EDGES" not in statement:
        statement = _fill(statement, ":EDGE", types[0])
    elif types:
        statement = _fill(statement, ":EDGES", "|".join(types))
    left = _SLOT.search(statement)
    if left:
        message = f"nothing fills {left.group()}"
        raise ValueError(message)
    return statement


def _label(name: str) -> LiteralString:
    if name not in KINDS:
        message = f"no kind of the vocabulary: {name!r}"
        raise ValueError(message)
    return KINDS[name].label


def _fill(statement: LiteralString, slot: LiteralString, word: LiteralString) -> LiteralString:
    if slot not in statement:
        message = f"the statement has no slot {slot}"
        raise ValueError(message)
    return statement.replace(slot, f":{word}")
