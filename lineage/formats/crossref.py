"""Works as Crossref's REST API describes them, to native records: a source, its version, its people.

A work is known by its DOI. A work has several licences: for the version of record (`vor`), the
accepted manuscript (`am`), text and data mining (`tdm`), each from a day on. All of them are
kept; the licence of the version is the one in force of the version of record, else an
unspecified one. A licence for mining alone is not one for reading.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any, Final

from lineage.formats.licenses import read_license
from lineage.formats.notices import text_of, texts_of
from lineage.formats.scholarly import normal_doi, normal_orcid, normal_ror
from lineage.formats.writing import record, stated
from lineage.types import JsonValue

_MOST_PEOPLE: Final = 5_000
_MOST_ITEMS: Final = 100
_ROLES: Final[Mapping[str, str]] = {
    "author": "creator",
    "editor": "editor",
    "translator": "translator",
}
# Crossref's types, in the words of sources; others are kept as they are.
_KINDS: Final[Mapping[str, str]] = {
    "journal-article": "article",
    "proceedings-article": "paper-conference",
    "book-chapter": "chapter",
    "monograph": "book",
    "edited-book": "book",
    "reference-book": "book",
    "dissertation": "thesis",
    "posted-content": "preprint",
    "report": "report",
    "dataset": "dataset",
}
# Of which licence a version stands under, the first that is in force.
_OF_THE_VERSION: Final = ("vor", "unspecified")
_OTHER: Final = re.compile(r"[^A-Za-z0-9.-]+")
_SCHEME: Final = re.compile(r"^https?://(?:www\.)?", re.IGNORECASE)
_LONGEST_REF: Final = 200
# What is kept as it is, for who wants to look.
_KEPT: Final = (
    "type", "subtitle", "volume", "issue", "page", "ISSN", "ISBN", "member", "update-policy",
    "funder", "relation",
)  # fmt: skip
_DATES: Final = (
    "issued", "published", "published-print", "published-online", "created", "deposited", "indexed",
)  # fmt: skip


class NotWorks(Exception):
    """The document holds no works of Crossref; the text says what it lacks."""


def works_of(document: JsonValue) -> list[JsonValue]:
    """The works in a reply of the API (one work, or a page of them), in a list, or the work itself.

    Raises NotWorks.
    """
    if isinstance(document, list):
        return document
    message = document.get("message", document) if isinstance(document, Mapping) else None
    if isinstance(message, Mapping) and isinstance(message.get("items"), list):
        items: list[JsonValue] = message["items"]
        return items
    if isinstance(message, Mapping) and "DOI" in message:
        return [message]
    lacks = "neither a work with a DOI nor a list of works"
    raise NotWorks(lacks)


def to_records(
    work: JsonValue, *, today: date, key: str = "", namespace: str = ""
) -> list[JsonValue]:
    """The native records of one work: its people, the source, its version.

    `today` decides which licences are in force. `key` and `namespace`: of the source that is
    known here for this work; else it is known by its DOI. Raises NotWorks where it has none.
    """
    doi = normal_doi(text_of(work.get("DOI"))) if isinstance(work, Mapping) else ""
    if not doi:
        lacks = "a work without a DOI"
        raise NotWorks(lacks)
    key = key or doi
    at = _instant(work)
    people = list(_people(work, key))
    common = stated(namespace=namespace or None, occurred_at=at)
    agents = {each["key"]: each for _, each in people}
    return [
        *[record("agent", name, **common, **_told(each)) for name, each in agents.items()],
        record(
            "source", key, **common,
            title=first_text(work.get("title")) or doi,
            source_kind=_KINDS.get(kind := text_of(work.get("type")), kind) or None,
            uri=text_of(work.get("URL")) or f"https://doi.org/{doi}",
            doi=doi,
            creators=[
                stated(agent=each["key"], name=each["name"], orcid=each.get("orcid"), role=role)
                for role, each in people
            ] or None,
            publisher={"name": name} if (name := text_of(work.get("publisher"))) else None,
            container_title=first_text(work.get("container-title")) or None,
            language=text_of(work.get("language")) or None,
            attributes=_kept(work) or None,
        ),
        record(
            "source_version", f"{key}@crossref", **common,
            source=key, **_version(work, today),
        ),
    ]  # fmt: skip


def first_text(value: JsonValue) -> str:
    """The first string of a list of titles, or the string itself; "" without one."""
    if isinstance(value, list):
        return next((text for each in value if (text := text_of(each))), "")
    return text_of(value)


def name_of(person: Mapping[str, JsonValue]) -> str:
    """A person's name as it is read, given name first; an organisation's own."""
    given, family = text_of(person.get("given")), text_of(person.get("family"))
    name = " ".join(part for part in (given, family) if part) or text_of(person.get("name"))
    suffix = text_of(person.get("suffix"))
    return f"{name}, {suffix}" if name and suffix else name


def year_of(work: Mapping[str, JsonValue]) -> int | None:
    """The year in which the work was published, as it is stated."""
    printed = _published(work)
    return int(printed[:4]) if printed else None


def date_of(value: JsonValue) -> str | None:
    """A date as printed: a year, a month or a day, by its `date-parts`; None where that is none."""
    parts = value.get("date-parts") if isinstance(value, Mapping) else None
    first = parts[0] if isinstance(parts, list) and parts else None
    if not isinstance(first, list):
        return None
    numbers = [n for n in first[:3] if isinstance(n, int) and not isinstance(n, bool)]
    if not numbers or len(numbers) != len(first[:3]):
        return None
    try:
        date(*[*numbers, 1, 1][:3])
    except (ValueError, OverflowError):
        return None
    return "-".join([f"{numbers[0]:04}", *(f"{number:02}" for number in numbers[1:])])


def license_of(url: str) -> str:
    """The SPDX expression that the address of a licence stands for, else a LicenseRef made of it."""
    known = read_license(None, url).normal
    if known:
        return known
    name = _OTHER.sub("-", _SCHEME.sub("", url)).strip("-.")
    return f"LicenseRef-{name[:_LONGEST_REF]}" if name else ""


def licenses_of(work: Mapping[str, JsonValue]) -> list[dict[str, JsonValue]]:
    """The licences of a work, each once: `url`, `applies_to`, `from` (a day) where stated, `license`."""
    found: list[dict[str, JsonValue]] = []
    items = work.get("license")
    for item in (items if isinstance(items, list) else [])[:_MOST_ITEMS]:
        url = text_of(item.get("URL")) if isinstance(item, Mapping) else ""
        if not url:
            continue
        each = stated(
            url=url,
            license=license_of(url) or None,
            applies_to=text_of(item.get("content-version")) or "unspecified",
            **{"from": date_of(item.get("start"))},
            delay_in_days=days if type(days := item.get("delay-in-days")) is int else None,
        )
        if each not in found:
            found.append(each)
    return found


def _version(work: Mapping[str, JsonValue], today: date) -> dict[str, JsonValue]:
    licences = licenses_of(work)
    chosen = _in_force(licences, today)
    attributes: dict[str, JsonValue] = {"licenses": licences} if licences else {}
    dates = {name: when for name in _DATES if (when := date_of(work.get(name)))}
    if dates:
        attributes["dates"] = dates
    events = _events(work)
    if events:
        attributes["crossmark"] = events
    return stated(
        published_at=_published(work),
        license=chosen.get("license"),
        license_uri=chosen.get("url"),
        attributes=attributes or None,
    )


def _in_force(licences: Sequence[Mapping[str, JsonValue]], today: date) -> Mapping[str, JsonValue]:
    """The licence that the version of record stands under today: of several the one that began last."""
    for wanted in _OF_THE_VERSION:
        begun = [
            each
            for each in licences
            if each["applies_to"] == wanted and _padded(each.get("from", "")) <= today.isoformat()
        ]
        if begun:
            return max(begun, key=lambda each: _padded(each.get("from", "")))
    return {}


def _padded(printed: str) -> str:
    """The first day of a date as printed; nothing before everything."""
    return (printed + "-01-01"[len(printed) - 4 :])[:10] if printed else ""


def _published(work: Mapping[str, JsonValue]) -> str | None:
    return date_of(work.get("published")) or date_of(work.get("issued"))


def _instant(work: Mapping[str, JsonValue]) -> str | None:
    """When Crossref was told this: what is told later says more."""
    for name in ("deposited", "indexed", "created"):
        value = work.get(name)
        at = value.get("date-time") if isinstance(value, Mapping) else None
        if isinstance(at, str) and at:
            return at
    return None


def _people(work: Mapping[str, JsonValue], key: str) -> Iterator[tuple[str, dict[str, JsonValue]]]:
    """Role and agent of everybody who made the work, in the order stated."""
    for member, role in _ROLES.items():
        named = work.get(member)
        for person in (named if isinstance(named, list) else [])[:_MOST_PEOPLE]:
            name = name_of(person) if isinstance(person, Mapping) else ""
            if not name:
                continue
            orcid = normal_orcid(text_of(person.get("ORCID")))
            yield (
                role,
                stated(
                    key=f"orcid:{orcid}" if orcid else f"name:{name}@{key}",
                    name=name,
                    orcid=orcid or None,
                    agent_kind="person" if person.get("family") else "organization",
                    affiliations=_affiliations(person) or None,
                ),
            )


def _told(agent: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    told = {name: agent[name] for name in ("name", "orcid", "agent_kind") if name in agent}
    if "affiliations" in agent:
        told["attributes"] = {"affiliations": agent["affiliations"]}
    return told


def _affiliations(person: Mapping[str, JsonValue]) -> list[JsonValue]:
    """Names of institutions with their ROR ids, as far as stated."""
    found: list[JsonValue] = []
    places = person.get("affiliation")
    for place in (places if isinstance(places, list) else [])[:_MOST_ITEMS]:
        if isinstance(place, Mapping):
            each = stated(name=text_of(place.get("name")) or None, ror=_ror(place.get("id")))
            if each:
                found.append(each)
    return found


def _ror(ids: JsonValue) -> str | None:
    for each in ids if isinstance(ids, list) else ():
        value: Any = each.get("id") if isinstance(each, Mapping) else each
        if ror := normal_ror(text_of(value)):
            return ror
    return None


def _events(work: Mapping[str, JsonValue]) -> list[JsonValue]:
    """What Crossmark asserts of the work (received, accepted, published …), in its order."""
    items = work.get("assertion")
    return [
        stated(
            name=text_of(each.get("name")) or None,
            label=text_of(each.get("label")) or None,
            value=text_of(each.get("value")) or None,
        )
        for each in (items if isinstance(items, list) else [])[:_MOST_ITEMS]
        if isinstance(each, Mapping)
    ]


def _kept(work: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    found: dict[str, JsonValue] = {}
    for name in _KEPT:
        value = work.get(name)
        if isinstance(value, str) and value:
            found[name] = text_of(value)
        elif isinstance(value, list) and (texts := texts_of(value)):
            found[name] = list(texts)
    funders = work.get("funder")
    named = [
        stated(
            name=text_of(each.get("name")) or None,
            award=list(texts_of(each.get("award"))) or None,
        )
        for each in (funders if isinstance(funders, list) else [])[:_MOST_ITEMS]
        if isinstance(each, Mapping)
    ]
    if named:
        found["funder"] = named
    return found
