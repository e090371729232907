"""The order of events that PROV-CONSTRAINTS demands, where the times stated contradict it.

Times that are not stated contradict nothing. Only what two statements say of the same thing
is compared; clocks of different machines are taken at their word.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

from lineage.formats.prov_events import Clash, Events
from lineage.formats.prov_statements import Statement
from lineage.formats.prov_step import out_of_step

Item = TypeVar("Item")


def out_of_order(statements: Sequence[tuple[int, Statement]]) -> Iterator[Clash]:
    """Constraint number, what is wrong, and the numbers of the statements that contradict."""
    events = Events(statements)
    yield from _of_entities(events)
    yield from _of_activities(events)
    yield from _of_pairs(events, statements)
    yield from _told_twice(events)
    yield from out_of_step(events, statements)


def _of_entities(events: Events) -> Iterator[Clash]:
    """36 to 38: generated, then used, then invalidated."""
    for entity, generations in _named(events.generated):
        latest = max(generations)
        for event in events.used.get(entity, ()):
            if event.at < latest.at:
                detail = f"{entity} is used before it is generated."
                yield 37, detail, [event.number, latest.number]
        for event in events.invalidated.get(entity, ()):
            if event.at < latest.at:
                detail = f"{entity} is invalidated before it is generated."
                yield 36, detail, [event.number, latest.number]
    for entity, ends in _named(events.invalidated):
        earliest = min(ends)
        for event in events.used.get(entity, ()):
            if earliest.at < event.at:
                detail = f"{entity} is used after it is invalidated."
                yield 38, detail, [event.number, earliest.number]


def _named(events: Mapping[str, Item]) -> Iterator[tuple[str, Item]]:
    return ((name, some) for name, some in events.items() if name)


def _of_activities(events: Events) -> Iterator[Clash]:
    """33, 34: what an activity uses and generates lies between its start and its end."""
    for activity, done in _named(events.done):
        started, ended = events.started.get(activity), events.ended.get(activity)
        for constraint, event in done:
            word = "uses" if constraint == 33 else "generates"
            if started and event.at < max(started).at:
                detail = f"{activity} {word} something before it starts."
                yield constraint, detail, [event.number, max(started).number]
            if ended and min(ended).at < event.at:
                detail = f"{activity} {word} something after it ends."
                yield constraint, detail, [event.number, min(ended).number]


def _told_twice(events: Events) -> Iterator[Clash]:
    """31, 32, 39, 40: however often it is told, a thing begins once and ends once."""
    words = {31: "starts", 32: "ends", 39: "is generated", 40: "is invalidated"}
    for (constraint, thing), some in events.one.items():
        first, last = min(some), max(some)
        if thing and first.at < last.at:
            detail = f"{thing} {words[constraint]} at two times."
            yield constraint, detail, [event.number for event in some]


def _of_pairs(
    events: Events, statements: Sequence[tuple[int, Statement]]
) -> Iterator[Clash]:  # fmt: skip
    """42, 45, 46: what a derivation or a specialization says of two entities' lives."""
    for number, statement in statements:
        if statement.relation not in ("wasDerivedFrom", "specializationOf", "mentionOf"):
            continue
        later, earlier = statement.ends()
        born, before = events.generated.get(later), events.generated.get(earlier)
        derived = statement.relation == "wasDerivedFrom"
        if born and before and max(born).at < min(before).at:
            if derived:
                detail = f"{later} is generated before {earlier}, from which it is derived."
            else:
                detail = f"{later} is generated before {earlier}, which it specializes."
            clash = [number, max(born).number, min(before).number]
            yield (42 if derived else 45), detail, clash
        gone, last = events.invalidated.get(later), events.invalidated.get(earlier)
        if not derived and gone and last and max(last).at < min(gone).at:
            detail = f"{later} is invalidated after {earlier}, which it specializes."
            yield 46, detail, [number, min(gone).number, max(last).number]
