"""The closing pass: waits for requests begun before the case, looks again, proves completeness.

A request that was being applied when the case was approved may not have seen it. Its
batch names the register's epoch that it read; the pass goes on when no living batch
with a lower epoch than the case's is left, then compares closure and effects once more.
"""

from collections.abc import Mapping
from datetime import timedelta
from functools import partial
from typing import Final

from celery.exceptions import SoftTimeLimitExceeded
from django.db import transaction

from lineage.cases import lease
from lineage.cases.ending import end_batch
from lineage.cases.epoch import open_batches
from lineage.cases.finish import finish
from lineage.cases.lease import Hold
from lineage.cases.materialise import materialise
from lineage.cases.proof import prove
from lineage.cases.reach import out_of_line
from lineage.graph.client import QueryTimedOut
from lineage.graph.projection import project_case
from lineage.models import Case, Erasure, ErasurePlace
from lineage.models.turns import take_turn
from lineage.types import GraphAway, JsonValue

_FOR_BATCHES: Final = timedelta(seconds=1)
_FOR_GRAPH: Final = timedelta(seconds=5)
_FOR_PROOF: Final = timedelta(seconds=2)
_FOR_ERASURE: Final = timedelta(seconds=2)
_OUT_OF_TIME: Final = {"code": "proof_out_of_time"}
# Batches of repairs in one run; proofs before a difference, or that it takes too long, is believed.
_REPAIRS_A_RUN: Final = 20
_PROOFS: Final = 3


def close(hold: Hold, case: Case, batch: int) -> timedelta | None:
    """One try at closing the case; how long to wait before the next, or None where it is finished."""
    if open_batches(case.workspace_id, case.epoch):
        lease.keep(hold, attempts=0)
        return _FOR_BATCHES
    for _ in range(_REPAIRS_A_RUN):
        if not _repair(hold, case, batch):
            break
    else:
        return timedelta()
    try:
        return _prove(hold, case)
    except SoftTimeLimitExceeded:
        finish(hold, case, shortfall=_OUT_OF_TIME)
        return None
    except QueryTimedOut:
        # It does answer, and may never answer this in time: tried as often as a difference is.
        return _again(hold, case, _FOR_GRAPH, _OUT_OF_TIME)
    except GraphAway:
        # The register holds all the same; the case stays in propagation until the graph is back.
        lease.keep(hold, attempts=0)
        return _FOR_GRAPH


def _repair(hold: Hold, case: Case, most: int) -> bool:
    """Bring the next answers out of line back into it; False where there are none."""
    if case.reinstates_id:
        return end_batch(hold, case, most)
    ids = out_of_line(case, most)
    if not ids:
        return False
    with transaction.atomic():
        take_turn(case.workspace_id)
        lease.keep(hold, attempts=0)
        materialise(case.workspace_id, ids, case.id)
    return True


def _prove(hold: Hold, case: Case) -> timedelta | None:
    lease.keep(hold)
    if case.reinstates is not None:
        with lease.kept(hold):
            project_case(case.reinstates.id)
            project_case(case.id)
        finish(hold, case)
        return None
    with lease.kept(hold):
        # The walk goes from the targets to their answers, past the edges that are written meanwhile.
        proof = prove(case, meanwhile=partial(project_case, case.id))
    if proof.holds:
        under_way, short = _erasing(case)
        if under_way:
            lease.keep(hold, attempts=0)
            return _FOR_ERASURE
        finish(hold, case, proof=proof, shortfall=short)
        return None
    if proof.truncated:
        finish(hold, case, shortfall={"code": "proof_truncated", **proof.as_json()})
        return None
    return _again(hold, case, _FOR_PROOF, {"code": "proof_differs", **proof.as_json()})


def _again(
    hold: Hold, case: Case, wait: timedelta, short: Mapping[str, JsonValue]
) -> timedelta | None:
    """How long to wait before the next proof; after the last one the case ends with this shortfall."""
    tries = int(case.counts.get("proofs", 0)) + 1
    if tries < _PROOFS:
        lease.keep(hold, attempts=0, counts={**case.counts, "proofs": tries})
        return wait
    finish(hold, case, shortfall=short)
    return None


def _erasing(case: Case) -> tuple[bool, dict[str, str] | None]:
    """Whether an erasure's places are being cleared, and else what is short of it.

    Passages are out of sight from the approval on; their texts go place by place
    (lineage.erasure), and whoever clears the last one has the case taken up again.
    """
    erasure = Erasure.objects.filter(case=case).first() if case.kind == "erasure" else None
    if case.kind != "erasure" or (erasure and erasure.state == Erasure.State.DONE):
        return False, None
    left = ErasurePlace.objects.filter(erasure=erasure).exclude(state=ErasurePlace.State.DONE)
    failed = left.exclude(error="").order_by("ordinal").first()
    if erasure is None or erasure.state == Erasure.State.CHOSEN:
        return False, {"code": "text_not_erased"}
    if failed is not None:
        return False, {"code": "text_not_erased", "place": failed.name, "error": failed.error}
    return True, None
