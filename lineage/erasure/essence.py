"""The essence of an erasure in the `keys` database: written in the step that destroys the keys.

Whoever restores a main database from before an erasure has the text's ciphertext again, and
all that stood in clear. The keys database, which is backed up apart and for a shorter time,
tells what is to be done again: uids, addresses, keyed digests, the case, the time. Nothing of it
can be read back into a text.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.db import transaction

from lineage.content.keys import destroy_key, prepare_next_keys
from lineage.models import Case, CaseTarget, ErasedNode, ErasedText, Erasure, ErasureEssence
from lineage.types import JsonValue

# Tombstones in one row.
_AT_ONCE: Final = 2_000
_KEYS: Final = "keys"


@dataclass(frozen=True, slots=True)
class Essence:
    """What one erasure destroyed.

    `owners`: [id, uid, whether all of it]; `nodes`: [uid, kind, address, place, digest];
    `texts`: [digest, uid]; `targets`: uids that the case names.
    """

    case_uid: str
    workspace_id: int
    at: datetime
    describing: bool
    targets: tuple[str, ...]
    owners: tuple[tuple[int, str, bool], ...]
    nodes: tuple[tuple[str, str, str, str, str], ...]
    texts: tuple[tuple[str, str], ...]


def write_and_destroy(erasure: Erasure, *, partly: bool = True) -> None:
    """Write the essence, destroy the keys of whole owners, prepare the next ones of the others.

    `partly`: whether those of owners that lose a part are prepared. One transaction of the
    `keys` database: there is no time at which a key is gone and no
    record of it. Idempotent.
    """
    essence = essence_of(erasure)
    with transaction.atomic(using=_KEYS):
        _write(essence)
        for owner_id, _, whole in essence.owners:
            if whole:
                destroy_key(owner_id)
        if partly:
            prepare_next_keys([owner_id for owner_id, _, whole in essence.owners if not whole])


def essence_of(erasure: Erasure) -> Essence:
    """The essence of an erasure that has begun, from the main database."""
    case = Case.objects.get(pk=erasure.pk)
    nodes = ErasedNode.objects.filter(erasure=erasure, node__isnull=False).order_by("pk")
    texts = ErasedText.objects.filter(erasure=erasure).order_by("pk")
    targets = CaseTarget.objects.filter(case=case).order_by("node__uid")
    assert erasure.begun_at is not None
    return Essence(
        case_uid=case.uid,
        workspace_id=erasure.workspace_id,
        at=erasure.begun_at,
        describing=erasure.describing,
        targets=tuple(targets.values_list("node__uid", flat=True)),
        owners=tuple((int(pk), str(uid), bool(whole)) for pk, uid, whole in erasure.owners),
        nodes=tuple(nodes.values_list("uid", "kind", "address", "place", "digest")),
        texts=tuple(texts.values_list("digest", "uid")),
    )


def _write(essence: Essence) -> None:
    head: dict[str, JsonValue] = {
        "describing": essence.describing,
        "targets": list(essence.targets),
        "owners": [list(one) for one in essence.owners],
    }
    parts = max(1, -(-max(len(essence.nodes), len(essence.texts)) // _AT_ONCE))
    rows = []
    for part in range(parts):
        place = slice(part * _AT_ONCE, (part + 1) * _AT_ONCE)
        body = {
            **(head if part == 0 else {}),
            "nodes": [list(one) for one in essence.nodes[place]],
            "texts": [list(one) for one in essence.texts[place]],
        }
        rows.append(
            ErasureEssence(
                case_uid=essence.case_uid,
                part=part,
                workspace_id=essence.workspace_id,
                at=essence.at,
                body=body,
            )
        )
    ErasureEssence.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["case_uid", "part"],
        update_fields=["body", "at"],
    )


def read(case_uid: str) -> Essence | None:
    """What the keys database knows of the erasure of a case; None for nothing."""
    rows = list(ErasureEssence.objects.filter(case_uid=case_uid).order_by("part"))
    if not rows:
        return None
    head = rows[0].body
    return Essence(
        case_uid=case_uid,
        workspace_id=rows[0].workspace_id,
        at=rows[0].at,
        describing=bool(head.get("describing")),
        targets=tuple(head.get("targets", ())),
        owners=tuple((int(pk), str(uid), bool(whole)) for pk, uid, whole in head.get("owners", ())),
        nodes=tuple(_tuples(rows, "nodes")),
        texts=tuple(_tuples(rows, "texts")),
    )


def _tuples(rows: Sequence[ErasureEssence], name: str) -> Iterator[Any]:
    for row in rows:
        yield from (tuple(one) for one in row.body.get(name, ()))


def case_uids() -> set[str]:
    """The cases whose erasure the keys database knows, and that nobody has lifted since."""
    rows = ErasureEssence.objects.filter(part=0, lifted_at__isnull=True)
    return set(rows.values_list("case_uid", flat=True))


def every_case_uid() -> set[str]:
    """The same, with those that were lifted."""
    rows = ErasureEssence.objects.filter(part=0)
    return set(rows.values_list("case_uid", flat=True))


def lift(case_uids_: Collection[str], at: datetime) -> None:
    """Have these erasures not done again: their cases are reinstated."""
    ErasureEssence.objects.filter(case_uid__in=list(case_uids_), lifted_at=None).update(
        lifted_at=at
    )
