"""A unit's turn on a workspace, with the vocabulary in place."""

import secrets
from collections.abc import Callable
from typing import TypeVar

from lineage.graph import client, terms
from lineage.graph.client import Unit
from lineage.graph.line import in_line
from lineage.graph.scope import Scope
from lineage.graph.writes.take_batch import take_batch

T = TypeVar("T")


def in_turn(scope: Scope, work: Callable[[Unit, int], T], *, name: str) -> T:
    """Do the work in one transaction that has the workspace's turn; it is given the batch's number.

    What `work` reads is at least as new as what any earlier unit of the workspace read. It
    may run more than once. Raises GraphAway.
    """

    def unit_of_work(unit: Unit) -> T:
        taken = take_batch(unit, workspace=scope.code, mark=secrets.randbits(62))
        terms.bootstrap(unit, workspace=scope.code, held=taken.terms)
        return work(unit, taken.batch)

    with in_line(scope):
        return client.write(unit_of_work, name=name)
