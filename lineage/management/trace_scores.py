"""What was read from traces beside what is known of them: precision and recall, kind by kind."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from lineage.management.trace_candidates import Candidate
from lineage.types import JsonValue

Found: TypeAlias = frozenset[tuple[Any, ...]]
# In the order of the report.
KINDS: Final = ("answers", "candidates", "context", "dropped", "claims", "citations")


@dataclass(frozen=True, slots=True)
class Score:
    """How many were found, how many are known, and how many of them are the same."""

    found: int
    known: int
    same: int

    @property
    def precision(self) -> float:
        """Of what was found, how much is so; 1 where nothing was found."""
        return self.same / self.found if self.found else 1.0

    @property
    def recall(self) -> float:
        """Of what is so, how much was found; 1 where there is nothing."""
        return self.same / self.known if self.known else 1.0


@dataclass(frozen=True, slots=True)
class FileRead:
    """A file: the native records that were made of it, and the candidates that its spans hold."""

    name: str
    records: Sequence[JsonValue]
    candidates: Sequence[Candidate]


def scores(files: Iterable[FileRead], truth: Mapping[str, JsonValue]) -> dict[str, Score]:
    """The score of each kind over all files."""
    found: dict[str, set[Any]] = {kind: set() for kind in KINDS}
    known: dict[str, set[Any]] = {kind: set() for kind in KINDS}
    for file in files:
        mine, theirs = _found(file.records), _known(truth[file.name], file.candidates)
        for kind in KINDS:
            found[kind] |= {(file.name, *each) for each in mine[kind]}
            known[kind] |= {(file.name, *each) for each in theirs[kind]}
    return {
        kind: Score(len(found[kind]), len(known[kind]), len(found[kind] & known[kind]))
        for kind in KINDS
    }


def _found(records: Sequence[JsonValue]) -> dict[str, Found]:
    claims = {each["key"]: each["interval"] for each in _of(records, "claim")}
    positions = {
        item["position"] for each in _of(records, "context") for item in each.get("items", ())
    }
    return {
        "answers": frozenset((a.get("question"), a["text"]) for a in _of(records, "answer")),
        "candidates": frozenset(
            (
                candidate["chunk"]["key"],
                candidate.get("rank"),
                candidate.get("score"),
                candidate.get("kept"),
                candidate.get("drop_reason"),
            )
            for each in _of(records, "retrieval")
            for candidate in each["candidates"]
        ),
        "context": frozenset(
            (item["position"], item["chunk"]["key"])
            for each in _of(records, "context")
            for item in each.get("items", ())
        ),
        "dropped": frozenset(
            (candidate["chunk"]["key"],)
            for each in _of(records, "retrieval")
            for candidate in each["candidates"]
            if candidate.get("kept") is False and candidate.get("drop_reason")
        ),
        "claims": frozenset((each["start"], each["end"]) for each in claims.values()),
        "citations": frozenset(
            (
                claims[each["claim"]]["start"],
                each.get("position"),
                each.get("position") in positions,
            )
            for each in _of(records, "citation")
        ),
    }


def _known(row: JsonValue, candidates: Iterable[Candidate]) -> dict[str, Found]:
    """What the truth and the spans say: candidates that the truth's context lacks were dropped."""
    rows = [_judged(each, frozenset(row["context"])) for each in candidates]
    return {
        "answers": frozenset({(row["question"], row["answer"])}),
        "candidates": frozenset(rows),
        "context": frozenset(enumerate(row["context"], start=1)),
        "dropped": frozenset((key,) for key, *_, kept, _ in rows if not kept),
        "claims": frozenset((c["answer_start"], c["answer_end"]) for c in row["claims"]),
        "citations": frozenset(
            (c["answer_start"], c["cited"], c["support"] != "not_in_context") for c in row["claims"]
        ),
    }


def _judged(each: Candidate, context: Collection[str]) -> tuple[Any, ...]:
    """Key, rank, score, whether it was read, and else why not."""
    reason = "reranked_out" if each.reranked_out else "not_in_prompt"
    if each.rank is None:
        reason = "passed_over"
    kept = each.key in context
    return each.key, each.rank, each.score, kept, None if kept else reason


def _of(records: Iterable[JsonValue], kind: str) -> list[Mapping[str, JsonValue]]:
    return [each for each in records if each["kind"] == kind]
