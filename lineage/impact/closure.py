"""The prepared closure: what each answer rests on, kept by this module alone.

`recompute` writes the difference between the rows and a plain walk, so that it
may run any number of times. Ingestion calls it for the answers above which an
edge came or went (`answers_above`).
"""

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType

from django.db.models import F

from lineage import bulk_rows
from lineage.compiled import by_their_ids
from lineage.impact.made import OutEdge
from lineage.impact.neighbourhood import load, occurred_at_micros
from lineage.impact.rests_on import rests_on, with_caches
from lineage.models import Node, RestsOn
from provexplorer.workspaces.models import Workspace

# Below SQLite's limit of 32,766 variables in a statement.
_CHUNK = 2_000
# What they rest on is in memory at once.
_ANSWERS = 500
_SAYS = ("grade", "origin_grade", "via_id", "at")


def answers_above(workspace: Workspace, nodes: Collection[int]) -> set[int]:
    """The answers that rest on any of these nodes by the rows as they stand, and those among the nodes themselves."""
    found: set[int] = set()
    every = sorted(nodes)
    for start in range(0, len(every), _CHUNK):
        chunk = every[start : start + _CHUNK]
        resting = RestsOn.objects.filter(target_id__in=chunk)
        # An expression, so that the targets lead to the rows, and not the workspace.
        resting = resting.alias(within=F("target__workspace_id") + 0).filter(within=workspace.pk)
        found |= set(resting.values_list("answer_id", flat=True))
        nodes = by_their_ids(Node.objects.filter(pk__in=chunk), workspace.pk)
        found |= set(nodes.filter(kind="answer").values_list("pk", flat=True))
    return found


def recompute(
    workspace: Workspace,
    answer_ids: Collection[int],
    made: Mapping[int, Sequence[OutEdge]] = MappingProxyType({}),
) -> set[int]:
    """Bring the rows of these answers in line with a plain walk; the answers whose rows changed.

    `made`: edges that need not be read, as lineage.impact.made has them.
    """
    changed: set[int] = set()
    every = sorted(answer_ids)
    for start in range(0, len(every), _ANSWERS):
        changed |= _recompute(workspace, every[start : start + _ANSWERS], made)
    return changed


def _recompute(
    workspace: Workspace, answers: Collection[int], made: Mapping[int, Sequence[OutEdge]]
) -> set[int]:
    edges, every_answer = load(workspace, answers, made)
    own = {answer: rests_on(answer, edges) for answer in every_answer}
    wanted = {answer: with_caches(answer, edges, own) for answer in answers}
    at = occurred_at_micros(answers)
    changed: set[int] = set()
    gone: list[int] = []
    updated: list[bulk_rows.Row] = []
    there: set[tuple[int, int]] = set()
    for row in RestsOn.objects.filter(answer_id__in=answers).iterator(chunk_size=5_000):
        rest = wanted[row.answer_id].get(row.target_id)
        if rest is None:
            gone.append(row.pk)
            changed.add(row.answer_id)
            continue
        there.add((row.answer_id, row.target_id))
        says = (int(rest.grade), rest.origin_grade, rest.via, at[row.answer_id])
        if (row.grade, row.origin_grade, row.via_id, row.at) != says:
            updated.append((*says, row.pk))
            changed.add(row.answer_id)
    new = [
        (answer, target, int(rest.grade), rest.origin_grade, rest.via, at[answer])
        for answer, rests in wanted.items()
        for target, rest in rests.items()
        if (answer, target) not in there
    ]
    changed |= {answer for answer, *_ in new}
    for start in range(0, len(gone), _CHUNK):
        RestsOn.objects.filter(pk__in=gone[start : start + _CHUNK]).delete()
    bulk_rows.update(RestsOn, _SAYS, updated)
    bulk_rows.insert(RestsOn, ("answer_id", "target_id", *_SAYS), new)
    return changed
