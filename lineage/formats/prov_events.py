"""The events of a PROV instance with the times that are stated, by what they happened to."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from lineage.formats.prov_statements import Statement
from lineage.formats.times import read_instant

# Constraint, what is wrong, and the numbers of the statements that contradict.
Clash = tuple[int, str, list[int]]


class Event(NamedTuple):
    """When something happened, and which statement says so."""

    at: datetime
    number: int


class Events:
    """The events of an instance, by what they happened to."""

    def __init__(self, statements: Sequence[tuple[int, Statement]]) -> None:
        self.generated: dict[str, list[Event]] = defaultdict(list)
        self.invalidated: dict[str, list[Event]] = defaultdict(list)
        self.used: dict[str, list[Event]] = defaultdict(list)
        # Activity → what it did, by constraint number.
        self.done: dict[str, list[tuple[int, Event]]] = defaultdict(list)
        self.started: dict[str, list[Event]] = defaultdict(list)
        self.ended: dict[str, list[Event]] = defaultdict(list)
        # By the statement's own identifier: what a derivation names as its generation or usage.
        self.named: dict[str, Event] = {}
        # By constraint and the thing they happened to: events that are one, told more than once.
        self.one: dict[tuple[int, str], list[Event]] = defaultdict(list)
        for number, statement in statements:
            self._take(number, statement)

    def _take(self, number: int, statement: Statement) -> None:
        arguments = statement.arguments
        if statement.relation == "activity":
            for argument, place in (("startTime", self.started), ("endTime", self.ended)):
                if argument in arguments:
                    place[statement.id].append(Event(read_instant(arguments[argument]).at, number))
            return
        if "time" not in arguments:
            return
        event = Event(read_instant(arguments["time"]).at, number)
        if statement.id:
            self.named[statement.id] = event
        # What names no entity or no activity is compared with nothing.
        entity, activity = arguments.get("entity", ""), arguments.get("activity", "")
        match statement.relation:
            case "wasGeneratedBy":
                self.generated[entity].append(event)
                self.done[activity].append((34, event))
                self.one[39, entity].append(event)
            case "used":
                self.used[entity].append(event)
                self.done[activity].append((33, event))
            case "wasInvalidatedBy":
                self.invalidated[entity].append(event)
                self.one[40, entity].append(event)
            case "wasStartedBy":
                self.started[activity].append(event)
                self.one[31, activity].append(event)
            case "wasEndedBy":
                self.ended[activity].append(event)
                self.one[32, activity].append(event)

    def birth(self, thing: str) -> Sequence[Event]:
        """When an entity (or what is one as well) was generated; nothing where it is not named."""
        return self.generated.get(thing, ()) if thing else ()

    def death(self, thing: str) -> Sequence[Event]:
        """When an entity was invalidated."""
        return self.invalidated.get(thing, ()) if thing else ()

    def start(self, thing: str) -> Sequence[Event]:
        """When an activity started."""
        return self.started.get(thing, ()) if thing else ()

    def end(self, thing: str) -> Sequence[Event]:
        """When an activity ended."""
        return self.ended.get(thing, ()) if thing else ()
