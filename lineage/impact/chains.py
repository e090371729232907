"""Why an answer rests on a node: the explaining chain, followed step by step for a whole page."""

from collections.abc import Collection, Mapping
from typing import Final

from lineage.models import Node, RestsOn

# Steps of one chain; sections nest, and nobody reads a longer explanation.
MOST_STEPS: Final = 32


def chains(target: Node, answer_ids: Collection[int]) -> dict[int, tuple[str, ...]]:
    """For each answer (node id) the uids from the target to the last node before the answer.

    The target comes first and is always there; the answer is not part of it. One query
    a step, whatever the number of answers. A chain that turns back or is longer than 32
    steps ends where it does.
    """
    return chains_from(dict.fromkeys(answer_ids, (target.pk, target.uid)))


def chains_from(targets: Mapping[int, tuple[int, str]]) -> dict[int, tuple[str, ...]]:
    """The same where each answer has a target of its own: its id and uid, by the answer's id."""
    because = {answer_id: [uid] for answer_id, (_, uid) in targets.items()}
    passed = {answer_id: {pk, answer_id} for answer_id, (pk, _) in targets.items()}
    at = {answer_id: pk for answer_id, (pk, _) in targets.items()}
    for _ in range(MOST_STEPS):
        if not at:
            break
        rows = RestsOn.objects.filter(
            answer_id__in=list(at), target_id__in=set(at.values()), via__isnull=False
        ).values_list("answer_id", "target_id", "via_id", "via__uid")
        step = {
            answer_id: (via_id, via_uid)
            for answer_id, target_id, via_id, via_uid in rows
            # The query crosses answers with nodes; an answer goes on from its own node only.
            if at[answer_id] == target_id and via_id not in passed[answer_id]
        }
        for answer_id, (via_id, via_uid) in step.items():
            because[answer_id].append(via_uid)
            passed[answer_id].add(via_id)
        at = {answer_id: via_id for answer_id, (via_id, _) in step.items()}
    return {answer_id: tuple(uids) for answer_id, uids in because.items()}
