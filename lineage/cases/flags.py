"""The warning `withdrawn_upstream` on answers that arrived under a case in effect."""

from collections.abc import Collection
from typing import Final

from lineage.cases.ancestry import sliced
from lineage.cases.register import states_of
from lineage.models import Node
from lineage.vocabulary import AnswerState

CODE: Final = "withdrawn_upstream"
_FLAG: Final = {
    "code": CODE,
    "pointer": "",
    "detail": "A case in effect reaches something that this answer rests on.",
}


def flag_answers(
    workspace_id: int, answer_ids: Collection[int], *, only_clear: bool = False
) -> set[int]:
    """Bring the warning of these answers in line with their state; those whose flags changed.

    `only_clear` never adds it.
    """
    flagged: set[int] = set()
    for ids in sliced(answer_ids):
        standings = states_of(workspace_id, ids)
        changed = []
        for node in Node.objects.filter(workspace_id=workspace_id, id__in=ids).only("id", "flags"):
            has = any(flag["code"] == CODE for flag in node.flags)
            due = standings[node.id].state > AnswerState.CURRENT
            if has and not due:
                node.flags = [flag for flag in node.flags if flag["code"] != CODE]
            elif due and not has and not only_clear:
                node.flags = [*node.flags, _FLAG]
            else:
                continue
            changed.append(node)
        Node.objects.bulk_update(changed, ["flags"], batch_size=200)
        flagged |= {node.id for node in changed}
    return flagged
