"""Histories of documents, as a version control system has them, to native records. Pure.

Rows are of two kinds: a version (`path`, `committed`, `text`, and as far as known `source`,
`commit`, `author`, `message`, `license`, `publisher`, `version`, `sha256`), and an event (`type`
deleted or renamed, `at`, `commit`, `path` with `last_text`, or `from_path` and `to_path`).

A document stays one source through its renames, under the address that it had first. Versions
of one path share its key, so that whoever names it means the version of that time. A deletion
ends the validity of the last version, and of no other.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

from lineage.formats.history_rows import End, RowRefused, Rows, Stay
from lineage.formats.writing import record
from lineage.identifiers import text_digest
from lineage.types import JsonValue

Keys = Literal["address", "path"]

_TITLE: Final = re.compile(r"\A---\r?\n(?:.*\n)*?title: *[\"']?(.+?)[\"']?\r?\n")
_HEADING: Final = re.compile(r"^# +(.+)$", re.MULTILINE)
_LONGEST_TITLE: Final = 500
_ABOUT: Final = ("commit", "message", "line_similarity_to_previous")


@dataclass(frozen=True, slots=True)
class Read:
    """The records, in an order in which nothing is named before it is sent; what was counted; what was refused."""

    records: tuple[JsonValue, ...]
    refused: tuple[RowRefused, ...]
    versions: int
    deletions: int
    renames: int


def to_records(
    rows: Sequence[JsonValue], *, keys: Keys = "address", source_kind: str = "webpage"
) -> Read:
    """The records of these rows, in whatever order they come.

    `keys`: whether versions and documents have the address or the path as their key. One
    document's rows should all be given at once: a rename that is not among them parts it.
    """
    read = Rows(rows)
    writer = _Writer(read, keys, source_kind)
    return Read(
        records=tuple(writer.records(read.stays())),
        refused=tuple(read.refused),
        versions=len(read.versions),
        deletions=sum(not end.to for end in read.ends),
        renames=sum(bool(end.to) for end in read.ends),
    )


class _Writer:
    def __init__(self, rows: Rows, keys: Keys, source_kind: str) -> None:
        self._rows, self._keys, self._source_kind = rows, keys, source_kind

    def records(self, stays: Sequence[Stay]) -> Iterator[JsonValue]:
        documents: dict[int, list[Stay]] = defaultdict(list)
        for stay in stays:
            documents[id(stay.first)].append(stay)
        for some in documents.values():
            yield self._source(some)
        for some in documents.values():
            yield from self._document(some)

    def _source(self, stays: Sequence[Stay]) -> JsonValue:
        first, last = stays[0].first, stays[-1]
        texts = [str(version.row["text"]) for stay in stays for version in stay.versions]
        if last.end is not None and isinstance(last.end.row.get("last_text"), str):
            texts.append(str(last.end.row["last_text"]))
        publisher = self._stated(stays, "publisher")
        address = self._address(last)
        paths = [stay.path for stay in stays]
        return record(
            "source",
            self._source_key(first),
            title=_title(texts) or last.path,
            source_kind=self._source_kind,
            uri=address if "://" in address else None,
            publisher={"name": publisher} if publisher else None,
            attributes={"paths": paths} if len(paths) > 1 else None,
        )

    def _document(self, stays: Sequence[Stay]) -> Iterator[JsonValue]:
        previous: JsonValue = None
        source = self._source_key(stays[0].first)
        for stay in stays:
            key = self._key(stay)
            versions = [(each, each.row) for each in stay.versions]
            end = stay.end if stay.end is not None and not stay.end.to else None
            last = self._last_text(end, stay)
            for version, row in versions:
                ended = end if last is None and version is stay.versions[-1] else None
                yield self._version(key, source, version.digest, row, version.at, previous, ended)
                yield _text(key, version.digest, str(row["text"]), version.at)
                previous = {"key": key, "digest": version.digest}
            if end is not None and last is not None:
                digest = text_digest(last)
                row = self._rows.common
                # That it stood so is known of the moment at which it was deleted.
                yield self._version(key, source, digest, row, end.at, previous, end)
                yield _text(key, digest, last, end.at)

    def _version(
        self,
        key: str,
        source: str,
        digest: str,
        row: Mapping[str, JsonValue],
        at: datetime,
        previous: JsonValue,
        ended: End | None,
    ) -> JsonValue:
        number, commit = row.get("version"), row.get("commit")
        named = str(number) if number is not None else str(commit)[:12] if commit else None
        attributes = {name: row[name] for name in _ABOUT if row.get(name) is not None}
        if ended is not None:
            about = {"at": ended.at.isoformat()}
            about |= {n: ended.row[n] for n in ("author", "commit", "message") if ended.row.get(n)}
            attributes["deleted"] = about
        author = row.get("author")
        return record(
            "source_version",
            key,
            occurred_at=_written(at),
            source=source,
            digest=digest,
            version=named,
            # Of a deletion alone it is not known since when the text stood so.
            published_at=_written(at) if "committed" in row else None,
            valid_from=_written(at) if "committed" in row else None,
            valid_until=_written(ended.at) if ended is not None else None,
            license=row.get("license"),
            revision_of=previous,
            creators=[{"name": str(author), "role": "creator"}] if author else None,
            attributes=attributes or None,
        )

    def _last_text(self, end: End | None, stay: Stay) -> str | None:
        """The text that was deleted, where it is no version that is known already."""
        last = end.row.get("last_text") if end is not None else None
        if not isinstance(last, str):
            return None
        known = stay.versions and stay.versions[-1].digest == text_digest(last)
        return None if known else last

    def _stated(self, stays: Sequence[Stay], name: str) -> str:
        said = [each.row.get(name) for stay in stays for each in stay.versions]
        found = next((value for value in reversed(said) if value), self._rows.common.get(name))
        return found if isinstance(found, str) else ""

    def _address(self, stay: Stay) -> str:
        said = next((each.row.get("source") for each in stay.versions), None)
        return said if isinstance(said, str) and said else f"{self._rows.base}{stay.path}"

    def _source_key(self, stay: Stay) -> str:
        """The address that it had first; of a later document at the same path, with its number."""
        address = self._address(stay)
        return address if stay.number == 1 else f"{address}#{stay.number}"

    def _key(self, stay: Stay) -> str:
        return stay.path if self._keys == "path" else self._address(stay)


def _text(key: str, digest: str, text: str, at: datetime) -> JsonValue:
    return record(
        "document",
        key,
        occurred_at=_written(at),
        source_version={"key": key, "digest": digest},
        text=text,
        normalization="none",
    )


def _written(at: datetime) -> str:
    return at.isoformat()


def _title(texts: Sequence[str]) -> str:
    """The newest title in a document's head, else its newest heading; "" without either."""
    for pattern in (_TITLE, _HEADING):
        for text in reversed(texts):
            if match := pattern.search(text[:20_000]):
                return match.group(1).strip()[:_LONGEST_TITLE]
    return ""
