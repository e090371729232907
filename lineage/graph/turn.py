"""A unit's turn on a workspace, with the vocabulary in place."""

import secrets

from lineage.graph import terms
from lineage.graph.client import Unit
from lineage.graph.scope import Scope
from lineage.graph.writes.take_batch import take_batch


def take_turn(unit: Unit, scope: Scope) -> int:
    """The number of the batch; what is read afterwards is at least as new as what any earlier unit read."""
    taken = take_batch(unit, workspace=scope.code, mark=secrets.randbits(62))
    terms.bootstrap(unit, workspace=scope.code, held=taken.terms)
    return taken.batch
