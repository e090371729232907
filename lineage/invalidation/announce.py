"""Tells webhooks how states of answers have changed: many answers to a delivery, each change once.

What is to be told lies between two numbers of the workspace's sequence. The number moves in
the transaction that writes the deliveries, by a conditional update: of two workers one tells,
and who dies has told nothing.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from django.db import transaction
from django.db.models import F

from lineage.cases.ancestry import sliced
from lineage.compiled import by_their_ids
from lineage.models import AnswerChange, ChangeSequence, Node, Webhook
from lineage.types import JsonValue
from lineage.webhooks import events

# Answers that one delivery names.
MOST_NAMED: Final = 500
# Changes looked at in one transaction, and transactions of a pass.
_WINDOW: Final = 4 * MOST_NAMED
_WINDOWS: Final = 100
_MOST_WORKSPACES: Final = 1_000
_TYPES: Final[Mapping[str, str]] = {
    AnswerChange.Became.STALE: "answer.stale",
    AnswerChange.Became.REVIEW: "answer.review",
    AnswerChange.Became.CURRENT: "answer.restored",
    AnswerChange.Became.REGENERATED: "answer.regenerated",
}


def announce() -> int:
    """Tell what was not told yet, in every workspace; how many changes it was."""
    behind = ChangeSequence.objects.filter(told__lt=F("last")).order_by("workspace_id")
    told = 0
    for workspace_id in list(behind.values_list("workspace_id", flat=True)[:_MOST_WORKSPACES]):
        for _ in range(_WINDOWS):
            number = announce_some(workspace_id)
            if not number:
                break
            told += number
    return told


def announce_some(workspace_id: int) -> int:
    """Tell the next changes of a workspace, at most 2,000; how many it was, 0 where there is none.

    Where nobody wants to know, they are passed over: who subscribes later is told of what comes.
    """
    count = ChangeSequence.objects.filter(workspace_id=workspace_id, told__lt=F("last")).first()
    if count is None:
        return 0
    wanted = _wanted(workspace_id)
    upto = min(count.last, count.told + _WINDOW) if wanted else count.last
    with transaction.atomic():
        mine = ChangeSequence.objects.filter(pk=count.pk, told=count.told)
        if not mine.update(told=upto):
            return 0
        changes = list(
            AnswerChange.objects.filter(
                workspace_id=workspace_id,
                sequence__gt=count.told,
                sequence__lte=upto,
                became__in=[became for became, type_ in _TYPES.items() if type_ in wanted],
            ).order_by("sequence")[:_WINDOW]
        )
        uids = _uids(workspace_id, changes)
        for became, type_ in _TYPES.items():
            some = [each for each in changes if each.became == became]
            for start in range(0, len(some), MOST_NAMED):
                _tell(workspace_id, type_, some[start : start + MOST_NAMED], uids)
    return upto - count.told


def _wanted(workspace_id: int) -> set[str]:
    hooks = Webhook.objects.filter(
        workspace_id=workspace_id, incident__isnull=True, disabled_at__isnull=True
    ).order_by("pk")
    return {type_ for types in hooks.values_list("types", flat=True) for type_ in types}


def _uids(workspace_id: int, changes: Sequence[AnswerChange]) -> dict[int, str]:
    ids = {each.answer_id for each in changes} | {each.by_id for each in changes if each.by_id}
    uids: dict[int, str] = {}
    for some in sliced(ids):
        rows = by_their_ids(Node.objects.filter(pk__in=some).order_by("pk"), workspace_id)
        uids.update(rows.values_list("pk", "uid"))
    return uids


def _tell(
    workspace_id: int, type_: str, some: Sequence[AnswerChange], uids: Mapping[int, str]
) -> None:
    data: dict[str, JsonValue] = {
        "first": some[0].sequence,
        "last": some[-1].sequence,
        "answers": [_named(each, uids) for each in some],
    }
    if type_ != "answer.regenerated":
        data["state"] = some[0].became
    events.tell(workspace_id, type_, "", data)


def _named(change: AnswerChange, uids: Mapping[int, str]) -> JsonValue:
    named: dict[str, JsonValue] = {
        "answer": uids[change.answer_id],
        "sequence": change.sequence,
    }
    if change.by_id is not None:
        return named | {"by": uids[change.by_id]}
    named["case"] = change.case_uid or None
    return named if change.became == AnswerChange.Became.CURRENT else named | {"born": change.born}
