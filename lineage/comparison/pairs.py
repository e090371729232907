"""What of two versions belongs together, and what was gained, lost or changed from one to the other; pure.

Documents are paired by their source version (of index snapshots: by their source), chunks
within a pair of documents by their place, facts by source, subject and predicate, answers and
what was retrieved for them by their question.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from enum import StrEnum
from itertools import zip_longest
from typing import Final, NamedTuple, TypeVar

# Chunks of one document beyond which equal texts are matched without regard to their order.
MOST_IN_ORDER: Final = 2_000


class Change(StrEnum):
    """From the old version to the new one."""

    GAINED = "gained"
    LOST = "lost"
    CHANGED = "changed"
    UNCHANGED = "unchanged"


class Made(NamedTuple):
    """A document, chunk or fact on one side, by node id.

    `place`: what it is paired by first; `parent`: the document of a chunk. `digest`: of its
    text, empty where that is unknown; of a fact, what it says. `about`: of a fact, what of.
    """

    pk: int
    place: int
    parent: int = 0
    digest: str = ""
    start: int = 0
    about: str = ""


class Pair(NamedTuple):
    """Node ids of the old and the new one; None where there is none. `order` sorts a list of them."""

    change: Change
    old: int | None
    new: int | None
    order: tuple[int, int, int]


_Key = TypeVar("_Key", bound=Hashable)


def pair_documents(old: Sequence[Made], new: Sequence[Made]) -> list[Pair]:
    """Documents of each place: equal texts first, then the rest, the latest recorded with the latest."""
    pairs: list[Pair] = []
    for place, (before, after) in _by(lambda each: each.place, old, new).items():
        same = _equal(before, after)
        gone = {one.pk for one, _ in same}
        come = {other.pk for _, other in same}
        rest = (
            sorted((one for one in before if one.pk not in gone), key=_latest),
            sorted((one for one in after if one.pk not in come), key=_latest),
        )
        together = [*same, *zip(*rest, strict=False)]
        number = min(map(len, rest))
        pairs += [_pair(one, other, (place, 0, other.pk)) for one, other in together]
        pairs += [Pair(Change.LOST, one.pk, None, (place, 1, one.pk)) for one in rest[0][number:]]
        pairs += [Pair(Change.GAINED, None, one.pk, (place, 1, one.pk)) for one in rest[1][number:]]
    return pairs


def pair_chunks(documents: Iterable[Pair], old: Sequence[Made], new: Sequence[Made]) -> list[Pair]:
    """Chunks of each pair of documents, in the order of their places.

    Equal texts are the same; what stands between two of these is paired in its order.
    """
    before, after = _children(old), _children(new)
    pairs: list[Pair] = []
    for number, document in enumerate(sorted(documents, key=lambda pair: pair.order)):
        place = document.order[0]
        ones, others = before.get(document.old or 0, []), after.get(document.new or 0, [])
        for at, (one, other) in enumerate(_aligned(ones, others)):
            order = (place, number, at)
            if one is not None and other is not None:
                pairs.append(_pair(one, other, order))
            elif one is not None:
                pairs.append(Pair(Change.LOST, one.pk, None, order))
            elif other is not None:
                pairs.append(Pair(Change.GAINED, None, other.pk, order))
    return pairs


def pair_facts(old: Sequence[Made], new: Sequence[Made]) -> list[Pair]:
    """What is said of each subject and predicate of a place: changed where it is not the same.

    A pair names the facts recorded first; of what changed, those that the other side does not say.
    """
    pairs: list[Pair] = []
    for (place, _), (before, after) in _by(lambda each: (each.place, each.about), old, new).items():
        said = {one.digest for one in before}, {one.digest for one in after}
        only = (
            [one for one in before if one.digest not in said[1]] or before,
            [one for one in after if one.digest not in said[0]] or after,
        )
        first = [min((one.pk for one in some), default=None) for some in only]
        order = (place, first[1] or first[0] or 0, 0)
        if not after or not before:
            change = Change.GAINED if after else Change.LOST
        else:
            change = Change.UNCHANGED if said[0] == said[1] else Change.CHANGED
        pairs.append(Pair(change, first[0], first[1], order))
    return pairs


class Given(NamedTuple):
    """An answer on one side: `question` is the digest of its question, empty where it has none."""

    pk: int
    question: str
    digest: str
    at: int


def pair_answers(
    old: Sequence[Given], new: Sequence[Given], revisions: Mapping[int, Collection[int]]
) -> list[Pair]:
    """The latest answer of each question on either side; where questions differ, by `revisions`.

    `revisions`: the answers that a new one revises. An answer without a question stands alone.
    """
    before, after = _by_question(old), _by_question(new)
    pairs = [
        _answers(before.pop(question), after.pop(question))
        for question in before.keys() & after.keys()
    ]
    left = {one.pk: question for question, one in before.items()}
    for question, other in list(after.items()):
        earlier = next((pk for pk in sorted(revisions.get(other.pk, ())) if pk in left), None)
        if earlier is not None:
            pairs.append(_answers(before.pop(left.pop(earlier)), after.pop(question)))
    pairs += [Pair(Change.LOST, one.pk, None, (-one.at, one.pk, 0)) for one in before.values()]
    pairs += [Pair(Change.GAINED, None, one.pk, (-one.at, one.pk, 0)) for one in after.values()]
    return pairs


def pair_retrieved(
    answers: Iterable[Pair], retrieved: Mapping[int, frozenset[Hashable]]
) -> list[Pair]:
    """Of each pair of answers, whether the same passages were retrieved for both.

    `retrieved`: by answer; answers without a retrieval are missing, and their pairs with them.
    """
    pairs: list[Pair] = []
    for pair in answers:
        before, after = (retrieved.get(pk or 0) for pk in (pair.old, pair.new))
        if before is None and after is None:
            continue
        if before is None or after is None:
            change = Change.GAINED if before is None else Change.LOST
            old, new = (None, pair.new) if before is None else (pair.old, None)
            pairs.append(Pair(change, old, new, pair.order))
            continue
        change = Change.UNCHANGED if before == after else Change.CHANGED
        pairs.append(pair._replace(change=change))
    return pairs


def _by(
    key: Callable[[Made], _Key], old: Sequence[Made], new: Sequence[Made]
) -> dict[_Key, tuple[list[Made], list[Made]]]:
    """What both sides have of each key."""
    found: dict[_Key, tuple[list[Made], list[Made]]] = defaultdict(lambda: ([], []))
    for one in old:
        found[key(one)][0].append(one)
    for one in new:
        found[key(one)][1].append(one)
    return found


def _children(chunks: Sequence[Made]) -> dict[int, list[Made]]:
    """The chunks of each document in their order."""
    found: dict[int, list[Made]] = defaultdict(list)
    for chunk in sorted(chunks, key=lambda each: (each.start, each.pk)):
        found[chunk.parent].append(chunk)
    return found


def _equal(old: Sequence[Made], new: Sequence[Made]) -> list[tuple[Made, Made]]:
    """Those that are the same node, then those of the same text, each at most once."""
    waiting: dict[str, list[Made]] = defaultdict(list)
    by_pk = {one.pk: one for one in old}
    same = [(by_pk.pop(other.pk), other) for other in new if other.pk in by_pk]
    paired = {other.pk for _, other in same}
    for one in sorted(by_pk.values(), key=lambda each: each.pk):
        waiting[one.digest].append(one)
    for other in sorted(new, key=lambda each: each.pk):
        alike = waiting.get(other.digest) if other.digest and other.pk not in paired else None
        if alike:
            same += [(alike.pop(0), other)]
    return same


def _aligned(old: Sequence[Made], new: Sequence[Made]) -> Iterator[tuple[Made | None, Made | None]]:
    """Both sequences side by side: None where the other has nothing to set beside it."""
    if max(len(old), len(new)) > MOST_IN_ORDER:
        same = _equal(old, new)
        yield from same
        gone, come = {one.pk for one, _ in same}, {other.pk for _, other in same}
        yield from zip_longest(
            [one for one in old if one.pk not in gone], [one for one in new if one.pk not in come]
        )
        return
    # What has no digest equals nothing but itself.
    before, after = ([one.digest or str(one.pk) for one in some] for some in (old, new))
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for _, old_from, old_to, new_from, new_to in matcher.get_opcodes():
        yield from zip_longest(old[old_from:old_to], new[new_from:new_to])


def _pair(one: Made, other: Made, order: tuple[int, int, int]) -> Pair:
    same = one.pk == other.pk or (one.digest != "" and one.digest == other.digest)
    return Pair(Change.UNCHANGED if same else Change.CHANGED, one.pk, other.pk, order)


def _answers(one: Given, other: Given) -> Pair:
    same = one.pk == other.pk or (one.digest != "" and one.digest == other.digest)
    change = Change.UNCHANGED if same else Change.CHANGED
    return Pair(change, one.pk, other.pk, (-other.at, other.pk, 0))


def _by_question(answers: Sequence[Given]) -> dict[str, Given]:
    """The latest answer of each question; one without a question by itself."""
    found: dict[str, Given] = {}
    for one in sorted(answers, key=lambda each: (each.at, each.pk)):
        found[one.question or f"answer {one.pk}"] = one
    return found


def _latest(one: Made) -> int:
    return -one.pk
