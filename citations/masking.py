"""Verbatim text of sources that a reader may not see, found in an answer and masked."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from citations.marks import Span
from lineage.content.passages import place_of
from lineage.models import Node
from lineage.nodes.visible import LEAST_OVERLAP
from lineage.types import JsonValue

MASK: Final = "█"


def overlaps(text: str, hidden_texts: Iterable[str], least: int = LEAST_OVERLAP) -> list[Span]:
    """The stretches of the text that stand word for word in one of the hidden texts."""
    hidden_texts = list(hidden_texts)
    starts: dict[str, list[int]] = {}
    for at in range(len(text) - least + 1 if hidden_texts else 0):
        starts.setdefault(text[at : at + least], []).append(at)
    if not starts:
        return []
    found: set[int] = set()
    for hidden in hidden_texts:
        for at in range(len(hidden) - least + 1):
            found.update(starts.get(hidden[at : at + least], ()))
    return merged(Span(at, at + least) for at in found)


def merged(spans: Iterable[Span]) -> list[Span]:
    """The spans in order, those that touch or overlap as one."""
    result: list[Span] = []
    for span in sorted(spans, key=lambda one: (one.start, one.end)):
        if result and span.start <= result[-1].end:
            result[-1] = Span(result[-1].start, max(result[-1].end, span.end))
        else:
            result.append(span)
    return result


def masked(text: str, spans: Sequence[Span]) -> str:
    """The text with each code point of the spans replaced; its length and offsets stay."""
    characters = list(text)
    for span in spans:
        for at in range(max(0, span.start), min(len(text), span.end)):
            if not characters[at].isspace():
                characters[at] = MASK
    return "".join(characters)


def mask_each(texts: Mapping[int, str], withheld: Sequence[str]) -> dict[int, str]:
    """The texts with what they repeat masked."""
    return {pk: masked(text, overlaps(text, withheld)) for pk, text in texts.items()}


def mask_told(told: JsonValue, withheld: Sequence[str]) -> Mapping[str, JsonValue]:
    """What a client tells by names of its own, with what it repeats masked; empty without names."""
    stated = told if isinstance(told, dict) else {}
    return {name: _mask_json(each, withheld) for name, each in stated.items()}


def _mask_json(value: JsonValue, withheld: Sequence[str]) -> JsonValue:
    if isinstance(value, str):
        return masked(value, overlaps(value, withheld))
    if isinstance(value, list):
        return [_mask_json(each, withheld) for each in value]
    if isinstance(value, dict):
        return {name: _mask_json(each, withheld) for name, each in value.items()}
    return value


def answer_spans(
    text: str, claims: Sequence[Node], seen: Mapping[int, bool], withheld: Sequence[str]
) -> list[Span]:
    """What is masked in the text of an answer: its hidden claims, and what it repeats."""
    hidden = [
        Span(*place)
        for claim in claims
        if not seen[claim.pk] and (place := place_of(claim)) is not None
    ]
    return merged([*hidden, *overlaps(text, withheld)])


def mask_claims(
    claims: Sequence[Node],
    seen: Mapping[int, bool],
    texts: Mapping[int, str],
    withheld: Sequence[str],
) -> dict[int, str]:
    """The texts of claims as the text of their answer shows them; of one without a place, by itself.

    `texts`: of claims and answers, by node id.
    """
    shown: dict[int, str] = {}
    of_answer: dict[int, list[Node]] = {}
    for claim in claims:
        if claim.pk in texts:
            of_answer.setdefault(claim.parent_id or 0, []).append(claim)
    for answer_id, some in of_answer.items():
        text = texts.get(answer_id, "")
        mine = [claim for claim in claims if claim.parent_id == answer_id]
        answer = masked(text, answer_spans(text, mine, seen, withheld))
        for claim in some:
            own = texts[claim.pk]
            place = place_of(claim)
            if place is not None and text[place[0] : place[1]] == own:
                shown[claim.pk] = answer[place[0] : place[1]]
            else:
                shown[claim.pk] = masked(own, overlaps(own, withheld))
    return shown
