"""What a relation between two things says of the times at which they began and ended.

PROV-CONSTRAINTS 35, 41, 43, 44 and 47 to 49: each demands that one event is not later than
another. Only where both times are stated can they contradict it.
"""

from collections.abc import Iterator, Sequence

from lineage.formats.prov_events import Clash, Event, Events
from lineage.formats.prov_statements import Statement

# (constraint, what must not be later, than what, what it would mean).
_Step = tuple[int, Sequence[Event], Sequence[Event], str]


def out_of_step(
    events: Events, statements: Sequence[tuple[int, Statement]]
) -> Iterator[Clash]:  # fmt: skip
    """The relations whose things were not there when they should have been."""
    for number, statement in statements:
        for constraint, first, then, detail in _steps(events, statement):
            if first and then and min(then).at < max(first).at:
                involved = {number, max(first).number, min(then).number}
                yield constraint, detail, sorted(involved)


def _steps(events: Events, statement: Statement) -> Iterator[_Step]:
    match statement.relation:
        case "wasInformedBy":
            later, earlier = statement.ends()
            yield (
                35, events.start(earlier), events.end(later),
                f"{later} ends before {earlier} starts, by which it was informed.",
            )  # fmt: skip
        case "wasDerivedFrom":
            yield from _of_derivation(events, statement)
        case "wasStartedBy" | "wasEndedBy":
            yield from _of_trigger(events, statement)
        case "wasAssociatedWith":
            yield from _of_association(events, *statement.ends())
        case "wasAttributedTo":
            entity, agent = statement.ends()
            there = [*events.birth(agent), *events.start(agent)]
            detail = f"{entity} is generated before {agent} is there, to whom it is attributed."
            yield 48, there, events.birth(entity), detail
        case "actedOnBehalfOf":
            delegate, responsible = statement.ends()
            detail = f"{delegate} is gone before {responsible} is there, for whom it acts."
            yield 49, events.birth(responsible), events.death(delegate), detail
            yield 49, events.start(responsible), events.end(delegate), detail


def _of_derivation(events: Events, statement: Statement) -> Iterator[_Step]:
    used = events.named.get(statement.arguments.get("usage", ""))
    generated = events.named.get(statement.arguments.get("generation", ""))
    if used is not None and generated is not None:
        new, old = statement.ends()
        yield 41, [used], [generated], f"{old} is used after {new} is generated, derived from it."


def _of_trigger(events: Events, statement: Statement) -> Iterator[_Step]:
    activity, trigger = statement.ends()
    starts = statement.relation == "wasStartedBy"
    constraint, word = (43, "starts") if starts else (44, "ends")
    event = events.start(activity) if starts else events.end(activity)
    yield (
        constraint, events.birth(trigger), event,
        f"{activity} {word} before {trigger} is generated, by which it is triggered.",
    )  # fmt: skip
    yield (
        constraint, event, events.death(trigger),
        f"{activity} {word} after {trigger} is invalidated, by which it is triggered.",
    )  # fmt: skip


def _of_association(events: Events, activity: str, agent: str) -> Iterator[_Step]:
    gone = f"{activity} starts after {agent} is gone, with whom it is associated."
    yield 47, events.start(activity), events.death(agent), gone
    yield 47, events.start(activity), events.end(agent), gone
    late = f"{activity} ends before {agent} is there, with whom it is associated."
    yield 47, events.birth(agent), events.end(activity), late
    yield 47, events.start(agent), events.end(activity), late
