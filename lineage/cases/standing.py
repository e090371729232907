"""What is left of a claim under the cases in effect: it stands, wants a check, is weakened, or has fallen.

A claim falls with a passage that it cites. `weakened` instead, where the work was
retracted or its use revoked and an independent source that still holds is cited too.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from lineage.cases import effects
from lineage.cases.ancestry import sliced
from lineage.cases.citing import Cited, Ruling, cited
from lineage.cases.corrected_text import Comparison, compare
from lineage.cases.register import has_active
from lineage.models import Reference
from lineage.vocabulary import Edge

STANDS: Final = "stands"
CHECK: Final = "check"
WEAKENED: Final = "weakened"
FALLEN: Final = "fallen"
STANDINGS: Final = (FALLEN, WEAKENED, CHECK, STANDS)

# Why a claim stands as it does under the cases that reach it, in a code.
INDEPENDENT: Final = "independent"  # a source fell, one that is independent of it remains
NO_SOURCE: Final = "no_source"  # what it cites fell, and nothing independent remains
ERASED: Final = "erased"
UNCHANGED: Final = "unchanged"  # the corrected text has the passage as it was
CHANGED: Final = "changed"  # the corrected text has it otherwise, or no more
UNCOMPARED: Final = "uncompared"  # no corrected text is known
CONCERN: Final = "concern"
RIGHTS: Final = "rights"  # the words hold; the right to use them ended or changed
REASONS: Final = (
    ERASED, NO_SOURCE, CHANGED, INDEPENDENT, CONCERN, UNCOMPARED, RIGHTS, UNCHANGED,
)  # fmt: skip

# What each comparison with a corrected text makes of the passage's claim.
_BY_COMPARISON: Final[dict[Comparison, str]] = {
    Comparison.UNCHANGED: STANDS,
    Comparison.CHANGED: FALLEN,
    Comparison.UNKNOWN: CHECK,
}
_OF_COMPARISON: Final[dict[Comparison, str]] = {
    Comparison.UNCHANGED: UNCHANGED,
    Comparison.CHANGED: CHANGED,
    Comparison.UNKNOWN: UNCOMPARED,
}
# A cached answer of a cached answer …: how far back the claims of its origin are looked for.
_LONGEST_SERVING: Final = 8


@dataclass(frozen=True, slots=True)
class Standing:
    """What is left of a claim, and why in a code (REASONS); empty where no case reaches it."""

    word: str
    because: str = ""


def claim_standings(
    workspace_id: int, claim_ids: Collection[int], *, any_active: bool | None = None
) -> dict[int, str]:
    """The standing of each claim (by node id) under all cases in effect, as `explained_claims`."""
    found = explained_claims(workspace_id, claim_ids, any_active=any_active)
    return {claim_id: standing.word for claim_id, standing in found.items()}


def explained_claims(
    workspace_id: int, claim_ids: Collection[int], *, any_active: bool | None = None
) -> dict[int, Standing]:
    """The standing of each claim (by node id) under all cases in effect, and why.

    Every id asked for is in the result; one query more than the lineage has levels.
    `any_active`: what `has_active` said for this page, where it has been asked.
    """
    standings = dict.fromkeys(claim_ids, Standing(STANDS))
    if standings and (has_active(workspace_id) if any_active is None else any_active):
        standings |= _touched(workspace_id, claim_ids, case_id=None, assumed=())
    return standings


def touched_claims(
    workspace_id: int,
    claim_ids: Collection[int],
    *,
    case_id: int | None = None,
    assumed: Iterable[Ruling] = (),
) -> dict[int, str]:
    """The standing of those claims of which a case reaches a cited passage.

    Under all cases in effect, or under one (`case_id`), with those that a dry run assumes.
    """
    found = _touched(workspace_id, claim_ids, case_id=case_id, assumed=assumed)
    return {claim_id: standing.word for claim_id, standing in found.items()}


def _touched(
    workspace_id: int,
    claim_ids: Collection[int],
    *,
    case_id: int | None,
    assumed: Iterable[Ruling],
) -> dict[int, Standing]:
    found = cited(workspace_id, claim_ids, case_id=case_id, assumed=assumed)
    rulings = {
        citation: rows
        for citations in found.citations.values()
        for citation in citations
        if (rows := found.rulings_on(citation))
    }
    if not rulings:
        return {}
    compared = compare(workspace_id, found, rulings)
    passages = {
        citation: _Passage(found, citation, rows, compared) for citation, rows in rulings.items()
    }
    return {
        claim_id: _standing(found, citations, passages)
        for claim_id, citations in found.citations.items()
        if any(citation in passages for citation in citations)
    }


def verdict_of_kind(kind: str) -> str | None:
    """What a case of this kind makes of every passage that it reaches; None where texts are compared.

    `weakened` means: a claim that cites nothing else has fallen.
    """
    if kind in effects.UNLESS_CLAIMS_STAND:
        return None
    verdict, _ = _verdict(kind, Comparison.UNKNOWN)
    return verdict


def answers_whose_claims_stand(
    claims: Mapping[int, Collection[int]], touched: Mapping[int, str]
) -> set[int]:
    """Answers all of whose claims stand, and that have any.

    `claims`: by answer, as `claims_spoken` gives them; `touched`: standings of those claims.
    """
    return {
        answer_id
        for answer_id, theirs in claims.items()
        if theirs and all(touched.get(claim, STANDS) == STANDS for claim in theirs)
    }


def claims_spoken(workspace_id: int, answer_ids: Collection[int]) -> dict[int, set[int]]:
    """The claims of each answer; one served from a cache speaks through its origin's as well."""
    speaking = _speaking(workspace_id, answer_ids)
    claims = _claims(workspace_id, {one for voices in speaking.values() for one in voices})
    return {
        answer_id: {claim for voice in voices for claim in claims.get(voice, ())}
        for answer_id, voices in speaking.items()
    }


class _Passage:
    """What the cases make of one cited passage."""

    def __init__(
        self,
        found: Cited,
        citation: int,
        rows: list[Ruling],
        compared: Mapping[tuple[int, int], Comparison],
    ) -> None:
        self.citation = citation
        passage = found.passage.get(citation, 0)
        said = {
            _verdict(row.case_kind, compared.get((passage, row.case_id), Comparison.UNKNOWN))
            for row in rows
        }
        verdicts = {verdict for verdict, _ in said}
        self.because = {reason for _, reason in said}
        self.fallen = FALLEN in verdicts
        self.weakens = WEAKENED in verdicts  # fallen, unless an independent source remains
        self.check = CHECK in verdicts

    @property
    def holds(self) -> bool:
        return not (self.fallen or self.weakens or self.check)


def _verdict(kind: str, comparison: Comparison) -> tuple[str, str]:
    """What a case of this kind makes of a passage that compares so with the corrected text, and why."""
    if kind in effects.WEAKENS:
        return WEAKENED, NO_SOURCE
    if kind == "erasure":
        return FALLEN, ERASED
    if kind == "concern":
        return CHECK, CONCERN
    if kind in effects.UNLESS_CLAIMS_STAND:
        return _BY_COMPARISON[comparison], _OF_COMPARISON[comparison]
    return STANDS, RIGHTS


def _standing(
    found: Cited, citations: tuple[int, ...], passages: Mapping[int, _Passage]
) -> Standing:
    touched = [passages[citation] for citation in citations if citation in passages]
    because = {reason for passage in touched for reason in passage.because}
    if any(passage.fallen for passage in touched):
        return Standing(FALLEN, _gravest(because & {ERASED, CHANGED}))
    if gone := [passage.citation for passage in touched if passage.weakens]:
        holding = [one for one in citations if one not in passages or passages[one].holds]
        remains = any(all(_independent(found, one, other) for other in gone) for one in holding)
        return Standing(WEAKENED, INDEPENDENT) if remains else Standing(FALLEN, NO_SOURCE)
    if any(passage.check for passage in touched):
        return Standing(CHECK, _gravest(because & {CONCERN, UNCOMPARED}))
    return Standing(STANDS, _gravest(because))


def _gravest(reasons: Collection[str]) -> str:
    return min(reasons, key=REASONS.index, default="")


def _independent(found: Cited, one: int, other: int) -> bool:
    """Whether two citations rest on different works and different texts; what is unknown is not independent."""
    works = [{node.id for node in found.of_kind(citation, "source")} for citation in (one, other)]
    if not all(works) or works[0] & works[1]:
        return False
    texts = [
        {
            node.digest
            for kind in ("chunk", "fact", "document", "source_version")
            for node in found.of_kind(citation, kind)
            if node.digest
        }
        for citation in (one, other)
    ]
    return not texts[0] & texts[1]


def _claims(workspace_id: int, answer_ids: Collection[int]) -> dict[int, list[int]]:
    found: dict[int, list[int]] = defaultdict(list)
    for ids in sliced(answer_ids):
        rows = Reference.objects.filter(
            workspace_id=workspace_id, edge=Edge.STATED_IN, to_node_id__in=ids
        )
        for claim_id, answer_id in rows.values_list("from_node_id", "to_node_id"):
            found[answer_id].append(claim_id)
    return found


def _speaking(workspace_id: int, answer_ids: Collection[int]) -> dict[int, set[int]]:
    """Each answer with the answers that it was served from."""
    speaking = {answer_id: {answer_id} for answer_id in answer_ids}
    origins: dict[int, set[int]] = defaultdict(set)
    frontier = set(answer_ids)
    for _ in range(_LONGEST_SERVING):
        found: set[int] = set()
        for ids in sliced(frontier):
            rows = Reference.objects.filter(
                workspace_id=workspace_id,
                edge=Edge.SERVED_FROM,
                from_node_id__in=ids,
                to_node_id__isnull=False,
            )
            for copy, origin in rows.values_list("from_node_id", "to_node_id"):
                origins[copy].add(origin)
                found.add(origin)
        frontier = found - origins.keys()
        if not frontier:
            break
    for answer_id, voices in speaking.items():
        waiting = [answer_id]
        while waiting:
            for origin in origins.get(waiting.pop(), ()):
                if origin not in voices:
                    voices.add(origin)
                    waiting.append(origin)
    return speaking
