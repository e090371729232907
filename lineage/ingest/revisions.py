"""Which nodes the sightings of one key make, and what each of them says: pure functions.

The same set of sightings gives the same nodes in any order of arrival.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple, TypeAlias

from lineage.ingest.bind import Revision, bind, sighting_order
from lineage.ingest.relations import RELATIONS, field_of

# Where a sighting's JSON keeps its references, by top-level field.
REFS = "$refs"

RefRow: TypeAlias = dict[str, Any]
# A reference with `event_at` of the sighting that it comes from.
Said: TypeAlias = tuple[RefRow, datetime | None]


class Seen(NamedTuple):
    """One sighting of a key with what decides its revision.

    `digest`: of the content, "" while unknown; `parent_id`: the node that is its
    place, None where the kind has none or it is unknown.
    """

    sighting_id: int
    occurred_at: datetime | None
    record_digest: str
    digest: str
    parent_id: int | None
    fields: Mapping[str, Any]
    attributes: Mapping[str, Any]
    flags: Sequence[Mapping[str, str]]
    node_id: int | None = None

    @property
    def order(self) -> tuple[datetime, str]:
        return sighting_order(self.occurred_at, self.record_digest)


@dataclass(slots=True)
class Group:
    """The sightings of one revision."""

    digest: str
    parent_id: int | None
    seen: list[Seen] = field(default_factory=list)


def group(sightings: Sequence[Seen], *, own_digest: bool) -> list[Group]:
    """The revisions of a key, ordered by their first sighting.

    Where content is part of the identity, a sighting that does not tell its
    digest belongs to the revision that a reference of its time would mean; only
    if no revision with a digest stands at its place does it make one of its own.
    """
    groups: dict[tuple[str, int | None], Group] = {}
    silent: list[Seen] = []
    for seen in sorted(sightings, key=lambda one: one.order):
        if own_digest and not seen.digest:
            silent.append(seen)
            continue
        place = (seen.digest if own_digest else "", seen.parent_id)
        groups.setdefault(place, Group(seen.digest, seen.parent_id)).seen.append(seen)
    known: dict[int | None, list[Group]] = defaultdict(list)
    for found in groups.values():
        known[found.parent_id].append(found)
    for seen in silent:
        siblings = known.get(seen.parent_id, [])
        revisions = [
            Revision(index, sibling.digest, tuple(one.order for one in sibling.seen if one.digest))
            for index, sibling in enumerate(siblings)
        ]
        chosen = bind(revisions, event_at=seen.order[0]).node_id
        if chosen is None:
            place = ("", seen.parent_id)
            groups.setdefault(place, Group("", seen.parent_id)).seen.append(seen)
        else:
            siblings[chosen].seen.append(seen)
    return sorted(groups.values(), key=lambda one: min(seen.order for seen in one.seen))


@dataclass(frozen=True, slots=True)
class Merged:
    """What a node says after all its sightings.

    `refs`: rows of references, each with the time of the sighting it comes from.
    """

    fields: dict[str, Any]
    attributes: dict[str, Any]
    refs: tuple[Said, ...]
    flags: list[dict[str, str]]
    occurred_at: datetime | None


# The fields of each kind whose references add up.
_ADDITIVE = {
    kind: frozenset(field_of(name) for name, row in relations.items() if row.adds_up)
    for kind, relations in RELATIONS.items()
}


def merge(kind: str, sightings: Sequence[Seen]) -> Merged:
    """Per attribute the value of the greatest (occurred_at, record digest); some references add up."""
    ordered = sorted(sightings, key=lambda seen: seen.order)
    fields: dict[str, Any] = {}
    attributes: dict[str, Any] = {}
    last: dict[str, list[Said]] = {}
    adding: dict[tuple[Any, ...], Said] = {}
    flags: dict[tuple[str, str, str], dict[str, str]] = {}
    additive = _ADDITIVE[kind]
    for seen in ordered:
        fields |= {name: value for name, value in seen.fields.items() if name != REFS}
        attributes.update(seen.attributes)
        for name, rows in seen.fields.get(REFS, {}).items():
            if name in additive:
                for row in rows:
                    adding.setdefault(_same(row), (row, seen.occurred_at))
            else:
                last[name] = [(row, seen.occurred_at) for row in rows]
        for flag in seen.flags:
            flags[flag["code"], flag["pointer"], flag["detail"]] = dict(flag)
    return Merged(
        fields=fields,
        attributes=attributes,
        refs=tuple(_numbered(last, adding)),
        flags=[flags[place] for place in sorted(flags)],
        occurred_at=ordered[-1].occurred_at if ordered else None,
    )


def gone_on_with(kind: str, before: Sequence[Said], added: Sequence[Said]) -> list[Said]:
    """The references of a node that said those `before`, and after that those `added`."""
    last: dict[str, list[Said]] = {}
    adding: dict[tuple[Any, ...], Said] = {}
    additive = _ADDITIVE[kind]
    for said in (before, added):
        of_field: dict[str, list[Said]] = defaultdict(list)
        for row, at in said:
            name = field_of(row["relation"])
            if name in additive:
                adding.setdefault(_same(row), (row, at))
            else:
                of_field[name].append((row, at))
        last |= of_field
    return list(_numbered(last, adding))


def _numbered(
    last: Mapping[str, Sequence[Said]], adding: Mapping[tuple[Any, ...], Said]
) -> Iterator[Said]:
    """References by field, then those that add up: their place in a list means nothing."""
    for name in sorted(last):
        yield from last[name]
    # Numbered by what they name.
    for ordinal, place in enumerate(sorted(adding)):
        row, at = adding[place]
        yield {**row, "ordinal": ordinal}, at


def _same(row: RefRow) -> tuple[Any, ...]:
    return (
        row["relation"],
        row["kind"],
        row["address"],
        row["anywhere"],
        row["digest"],
        row["uid"],
    )
