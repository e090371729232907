"""The rows of a document's history: read, checked, and put together to each document's time at each path. Pure.

Paths are told apart by case. What is at a path after it was deleted or renamed away is another
document. The same time twice stands in the order of the rows.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from lineage.identifiers import text_digest
from lineage.types import JsonValue


@dataclass(frozen=True, slots=True)
class RowRefused:
    """A row that cannot be read: its place in what was given, from 0, and why."""

    place: int
    why: str


@dataclass(frozen=True, slots=True)
class Version:
    path: str
    at: datetime
    place: int
    digest: str
    row: Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True)
class End:
    """What ended a document's stay at a path: deleted (`to` empty) or renamed."""

    path: str
    to: str
    at: datetime
    place: int
    row: Mapping[str, JsonValue]


@dataclass(slots=True)
class Stay:
    """A document's time at one path: its versions there, and how it ended."""

    path: str
    number: int  # from 1: the how manieth document at this path
    versions: list[Version] = field(default_factory=list)
    end: End | None = None
    came_from: "Stay | None" = None

    @property
    def first(self) -> "Stay":
        stay, seen = self, {id(self)}
        while stay.came_from is not None and id(stay.came_from) not in seen:
            stay = stay.came_from
            seen.add(id(stay))
        return stay


class Rows:
    """What the rows say, and which of them cannot be read."""

    def __init__(self, rows: Sequence[JsonValue]) -> None:
        self.refused: list[RowRefused] = []
        self.versions: list[Version] = []
        self.ends: list[End] = []
        self.base = ""
        self.common: dict[str, JsonValue] = {}
        for place, row in enumerate(rows):
            why = self._take(place, row)
            if why:
                self.refused.append(RowRefused(place, why))

    def _take(self, place: int, row: JsonValue) -> str:
        """Note the row; why it cannot be, or nothing."""
        if not isinstance(row, Mapping):
            return "A row is a JSON object."
        kind = row.get("type", "version")
        if kind not in ("version", "deleted", "renamed"):
            return "type is neither version, deleted nor renamed."
        at = _instant(row.get("committed" if kind == "version" else "at"))
        if at is None:
            return "The row has no time (committed of a version, at of an event)."
        names = ("from_path", "to_path") if kind == "renamed" else ("path",)
        if not all(isinstance(row.get(name), str) and row[name] for name in names):
            return f"The row has no {' or no '.join(names)}."
        if kind == "version":
            return self._take_version(place, at, row)
        self.ends.append(
            End(row[names[0]], row["to_path"] if kind == "renamed" else "", at, place, row)
        )
        return ""

    def _take_version(self, place: int, at: datetime, row: Mapping[str, JsonValue]) -> str:
        text = row.get("text")
        if not isinstance(text, str):
            return "A version has no text."
        digest = text_digest(text)
        if "sha256" in row and f"sha256:{row['sha256']}" != digest:
            return "sha256 is not that of the text."
        source, path = row.get("source"), str(row["path"])
        if not self.base and isinstance(source, str) and source.endswith(path):
            self.base = source.removesuffix(path)
        self.common = self.common or {
            name: row[name] for name in ("license", "publisher") if row.get(name)
        }
        self.versions.append(Version(path, at, place, digest, row))
        return ""

    def stays(self) -> list[Stay]:
        """Each document's time at each of its paths, those it was at before first."""
        ends: dict[str, list[End]] = defaultdict(list)
        for end in sorted(self.ends, key=lambda each: (each.at, each.place)):
            ends[end.path].append(end)
        versions: dict[str, list[Version]] = defaultdict(list)
        for version in sorted(self.versions, key=lambda each: (each.at, each.place)):
            versions[version.path].append(version)
        paths = dict.fromkeys([*versions, *ends, *(end.to for end in self.ends if end.to)])
        by_path = {path: _at_path(path, versions[path], ends[path]) for path in paths}
        for stays in by_path.values():
            for stay in stays:
                if stay.end is not None and stay.end.to:
                    _follow(by_path[stay.end.to], stay)
        every = [stay for stays in by_path.values() for stay in stays]
        return sorted(every, key=_began)


def _instant(value: JsonValue) -> datetime | None:
    """An instant as a row states it, in UTC where it names no zone; None for anything else."""
    if not isinstance(value, str):
        return None
    try:
        found = datetime.fromisoformat(value)
    except ValueError:
        return None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def _at_path(path: str, versions: Sequence[Version], ends: Sequence[End]) -> list[Stay]:
    """The documents that were at a path one after another."""
    stays = [Stay(path, 1)]
    left = list(ends)
    for version in versions:
        while left and left[0].at < version.at:
            stays[-1].end = left.pop(0)
            stays.append(Stay(path, len(stays) + 1))
        stays[-1].versions.append(version)
    for end in left:
        if stays[-1].end is not None:
            stays.append(Stay(path, len(stays) + 1))
        stays[-1].end = end
    return stays


def _follow(there: Sequence[Stay], before: Stay) -> None:
    """Tie a stay to the one that it was renamed to: the first there that is not over and began no earlier."""
    end = before.end
    assert end is not None
    for stay in there:
        over = stay.end is not None and stay.end.at <= end.at
        held = bool(stay.versions) and stay.versions[0].at < end.at
        if not over and not held and stay.came_from is None and stay is not before:
            stay.came_from = before
            return


def _began(stay: Stay) -> tuple[datetime, int]:
    """When a document came to a path, as far as is known."""
    if stay.came_from is not None and stay.came_from.end is not None:
        return stay.came_from.end.at, stay.came_from.end.place
    if stay.versions:
        return stay.versions[0].at, stay.versions[0].place
    return (stay.end.at, stay.end.place - 1) if stay.end else (datetime.max.replace(tzinfo=UTC), 0)
