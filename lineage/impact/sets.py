"""Sets of nodes kept under one uid, for questions about more nodes than an address can name."""

import re
from collections.abc import Collection
from datetime import timedelta
from typing import Final

from lineage.identifiers import keyed_hash
from lineage.impact.question import MOST_NODES
from lineage.impact.question_values import QuestionInvalid
from lineage.models import NodeSet
from lineage.types import NotFound, Viewer
from provexplorer import clock

SET_PREFIX: Final = "set_"
_UID: Final = re.compile(r"set_[a-z2-7]{26}")
# A set that no question has asked about for so long goes.
UNUSED: Final = timedelta(days=365)
_A_DAY: Final = timedelta(days=1)
_BATCH: Final = 500


def keep_set(viewer: Viewer, uids: Collection[str]) -> str:
    """Keep nodes of the viewer's workspace as a set and give its uid; the same nodes, the same uid.

    `uids` are taken as they are: whoever calls has found them. Raises QuestionInvalid for
    more than 5,000, or none.
    """
    members = sorted(set(uids))
    if not members or len(members) > MOST_NODES:
        raise QuestionInvalid("node", f"From 1 to {MOST_NODES:,} nodes.")
    uid = SET_PREFIX + keyed_hash(viewer.hash_key, "set", *members)
    now = clock.now()
    made = {"members": members, "made_by_id": viewer.user_id, "made_at": now, "used_at": now}
    NodeSet.objects.get_or_create(workspace_id=viewer.workspace_id, uid=uid, defaults=made)
    return uid


def members_of(viewer: Viewer, uid: str) -> list[str]:
    """The uids of a set's members, sorted. Raises NotFound for a set that the workspace does not have."""
    row = None
    if _UID.fullmatch(uid):
        row = NodeSet.objects.filter(workspace_id=viewer.workspace_id, uid=uid).first()
    if row is None:
        raise NotFound
    now = clock.now()
    if row.used_at < now - _A_DAY:
        NodeSet.objects.filter(pk=row.pk).update(used_at=now)
    return [str(member) for member in row.members]


def clear_unused() -> int:
    """Delete sets that nobody has asked about for a year, some at a time; how many went."""
    old = NodeSet.objects.filter(used_at__lt=clock.now() - UNUSED).order_by("used_at", "pk")
    ids = list(old.values_list("pk", flat=True)[:_BATCH])
    NodeSet.objects.filter(pk__in=ids).delete()
    return len(ids)
