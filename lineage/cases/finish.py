"""The end of a propagation: verified with a certificate, or incomplete with what is short."""

import hashlib
import hmac
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Final

from django.db import transaction

from lineage import outbox
from lineage.cases import lease
from lineage.cases.history import numbers_of, record
from lineage.cases.lease import Hold
from lineage.cases.proof import Proof
from lineage.cases.reach import counted, uids_and_grades
from lineage.models import Case, CaseEvent, CaseTarget
from lineage.models.turns import take_turn
from lineage.types import JsonValue
from provexplorer import clock

FORMAT: Final = 1


def finish(
    hold: Hold,
    case: Case,
    *,
    proof: Proof | None = None,
    shortfall: Mapping[str, JsonValue] | None = None,
) -> None:
    """Close the case. With `shortfall` (a code and numbers) it ends incomplete, else verified.

    It is counted while nobody changes the workspace: every answer that was recorded before the
    instant of the certificate is in it, and its numbers are of one moment.
    """
    with transaction.atomic():
        take_turn(case.workspace_id)
        now = clock.now()
        numbers = counted(case)
        number = sum(numbers["grades"].values())
        counts = {**case.counts, **numbers, "shortfall": dict(shortfall) if shortfall else None}
        changes: dict[str, JsonValue] = {
            "counts": counts,
            "done": number,
            "total": number,
            "stale": numbers["states"]["stale"],
            "review": numbers["states"]["review"],
        }
        what = CaseEvent.What.INCOMPLETE if shortfall else CaseEvent.What.VERIFIED
        if shortfall:
            changes["state"] = Case.State.INCOMPLETE
        else:
            changes["state"], changes["verified_at"] = Case.State.VERIFIED, now
            changes["certificate"] = _certificate(case, numbers, proof, now)
        lease.let_go(hold, **changes)
        record(case, what, numbers=numbers_of(counts))
        # Its edges were written for the proof.
        outbox.enqueue("lineage.project_case", case_id=case.id, edges=int(proof is None))


def _certificate(
    case: Case, numbers: Mapping[str, JsonValue], proof: Proof | None, now: datetime
) -> dict[str, JsonValue]:
    """What was done, in words and numbers that do not depend on the servers that did it.

    No text, no key: uids, counts, instants, and a keyed digest of the answers' uids.
    """
    uids = sorted(uid for uid, _ in uids_and_grades(case))
    targets = CaseTarget.objects.filter(case=case).values_list("node__uid", flat=True)
    return {
        "format": FORMAT,
        "case": case.uid,
        "kind": case.kind,
        "reinstates": case.reinstates.uid if case.reinstates else None,
        "targets": sorted(targets),
        "epoch": case.epoch,
        "approved_at": _written(case.approved_at),
        "effective_at": _written(case.effective_at or case.approved_at),
        "verified_at": _written(now),
        "answers": len(uids),
        "answers_digest": digest_of(case.workspace.hash_key, uids),
        "counts": dict(numbers),
        "proof": proof.as_json() if proof else None,
    }


def digest_of(key: bytes, uids: Iterable[str]) -> str:
    """`hmac-sha256:HEX` over the uids, sorted, one a line, under the workspace's key."""
    mac = hmac.new(key, b"certificate\n", hashlib.sha256)
    for uid in uids:
        mac.update(uid.encode("ascii") + b"\n")
    return f"hmac-sha256:{mac.hexdigest()}"


def _written(instant: datetime | None) -> str | None:
    return instant.astimezone(UTC).isoformat() if instant else None
