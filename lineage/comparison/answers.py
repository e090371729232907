"""The latest answers that rest on two nodes, and which passages were retrieved for each."""

from collections import defaultdict
from collections.abc import Collection, Hashable, Mapping
from typing import Final

from django.db.models.fields.json import KeyTextTransform, KeyTransform

from lineage.cases.ancestry import sliced
from lineage.comparison.begin import references
from lineage.comparison.pairs import Given, Pair
from lineage.compiled import by_their_ids
from lineage.models import Node, RestsOn
from lineage.types import Viewer
from lineage.vocabulary import Edge, Grade

# Answers of each side, the latest first, and what was retrieved for all of them.
MOST_ANSWERS: Final = 2_000
MOST_CANDIDATES: Final = 60_000

Retrieved = dict[int, frozenset[Hashable]]


def latest_answers(viewer: Viewer, target: Node) -> tuple[list[Given], bool]:
    """The latest answers that rest on a node, whatever their grade; True where there are more."""
    rows = RestsOn.objects.filter(target=target, target__workspace_id=viewer.workspace_id)
    found: list[tuple[int, int]] = []
    for grade in Grade:
        # Each grade in the order of its index: all of them need not be sorted.
        some = rows.filter(grade=grade).order_by("-at", "answer_id").values_list("at", "answer_id")
        found += some[: MOST_ANSWERS + 1]
    found.sort(key=lambda row: (-row[0], row[1]))
    at = {pk: when for when, pk in found[:MOST_ANSWERS]}
    question = KeyTextTransform("$text", KeyTransform("question", "fields"))
    answers: list[Given] = []
    for some_ids in sliced(at):
        nodes = by_their_ids(Node.objects.filter(pk__in=some_ids), viewer.workspace_id)
        for pk, asked, digest in nodes.order_by("pk").values_list("pk", question, "digest"):
            answers.append(Given(pk, asked or "", digest, at[pk]))
    return answers, len(found) > MOST_ANSWERS


def revisions(viewer: Viewer, answers: Collection[int]) -> Mapping[int, Collection[int]]:
    """The answers that each of these revises."""
    found: dict[int, set[int]] = defaultdict(set)
    for some in sliced(answers):
        rows = references(viewer, Edge.WAS_REVISION_OF).filter(from_node_id__in=some)
        for pk, earlier in rows.order_by("pk").values_list("from_node_id", "to_node_id"):
            found[pk or 0].add(earlier or 0)
    return found


def retrieved_for(
    viewer: Viewer, answers: Collection[int], chunks: Collection[Pair]
) -> tuple[Retrieved, bool]:
    """What was retrieved for each answer, by passages that are the same on both sides.

    Chunks of a pair are one passage, whatever has become of its words; others are the same
    where their text is, in the same version of a source. Answers without a retrieval are
    missing. True where there was more than could be looked at: those answers are missing, too.
    """
    retrievals = _retrievals(viewer, answers)
    candidates, cut = _candidates(viewer, {pk for some in retrievals.values() for pk in some})
    tokens = _tokens(viewer, {pk for some in candidates.values() for pk in some}, chunks)
    return {
        answer: frozenset(tokens[pk] for one in some for pk in candidates[one] if pk in tokens)
        for answer, some in retrievals.items()
        if all(one in candidates for one in some)
    }, cut


def _retrievals(viewer: Viewer, answers: Collection[int]) -> dict[int, set[int]]:
    """The retrievals behind each answer, by way of its context."""
    found: dict[int, set[int]] = defaultdict(set)
    for some in sliced(answers):
        rows = references(viewer, Edge.WAS_DERIVED_FROM).filter(
            from_node_id__in=some,
            to_node__kind="context",
            to_node__edges_out__edge=Edge.WAS_DERIVED_FROM,
            to_node__edges_out__to_node__kind="retrieval",
        )
        pairs = rows.order_by("pk").values_list(
            "from_node_id", "to_node__edges_out__to_node_id"
        )  # fmt: skip
        for answer, retrieval in pairs:
            found[answer or 0].add(retrieval or 0)
    return found


def _candidates(viewer: Viewer, retrievals: Collection[int]) -> tuple[dict[int, set[int]], bool]:
    """What each retrieval found, whole retrievals only; the latest first."""
    found: dict[int, set[int]] = {}
    left = MOST_CANDIDATES
    for some in reversed(list(sliced(retrievals, 500))):
        rows = references(viewer, Edge.RETRIEVED).filter(from_node_id__in=some)
        several = list(rows.order_by("pk").values_list("from_node_id", "to_node_id")[: left + 1])
        if len(several) > left:
            return found, True
        left -= len(several)
        found |= {pk: set() for pk in some}
        for pk, candidate in several:
            found[pk or 0].add(candidate or 0)
    return found, False


def _tokens(
    viewer: Viewer, candidates: Collection[int], chunks: Collection[Pair]
) -> dict[int, Hashable]:
    """By what each candidate is compared."""
    tokens: dict[int, Hashable] = {}
    for number, pair in enumerate(chunks):
        for pk in (pair.old, pair.new):
            if pk is not None:
                tokens.setdefault(pk, number)
    for some in sliced([pk for pk in candidates if pk not in tokens]):
        nodes = by_their_ids(Node.objects.filter(pk__in=some), viewer.workspace_id)
        for pk, version, digest in nodes.order_by("pk").values_list("pk", "version_id", "digest"):
            tokens[pk] = (version, digest) if version and digest else f"node {pk}"
    return tokens
