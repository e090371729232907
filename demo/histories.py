"""Records of documents with a history: each version of each page of a documentation in git."""

import re
from collections.abc import Iterator
from typing import Final

from demo.articles import PARSER_KEY
from demo.files import DATA, read_lines
from lineage.formats.writing import record
from lineage.identifiers import text_digest
from lineage.types import JsonValue

_PARSE: Final = "histories/parse"
_TITLE: Final = re.compile(r"\A---\n(?:.*\n)*?title: *(.+)\n")
_HEADING: Final = re.compile(r"^# +(.+)$", re.MULTILINE)
_REPOSITORY: Final = re.compile(r"https://github\.com/([^/]+/[^/]+)/")


def versions() -> list[JsonValue]:
    """The rows of versions.jsonl, oldest version of each page first."""
    return read_lines(DATA / "histories" / "versions.jsonl")


def deletions() -> list[JsonValue]:
    """Pages that were deleted, as rows like those of `versions`: the last text, and when it ended.

    Their licence is that which the versions state for the repository at the same commit.
    """
    rows = versions()
    licenses = {row["commit"]: row["license"] for row in rows}
    base = rows[0]["source"].removesuffix(rows[0]["path"])
    return [
        {
            "source": base + event["path"],
            "path": event["path"],
            "text": event["last_text"],
            "license": licenses.get(event["commit"]),
            "publisher": rows[0]["publisher"],
            "deleted": {name: event[name] for name in ("at", "author", "commit", "message")},
        }
        for event in read_lines(DATA / "histories" / "events.jsonl")
        if event["type"] == "deleted"
    ]


def run_records() -> Iterator[JsonValue]:
    """The run that read them."""
    used = [{"kind": "source_version", "key": _key(row)} for row in (*versions(), *deletions())]
    yield record("run", _PARSE, run_kind="parse", component=PARSER_KEY, used=used)


def agent_records() -> Iterator[JsonValue]:
    """The authors: one agent for each name in the log of the repository."""
    named = {_agent(row): row["author"] for row in versions()}
    for key, name in sorted(named.items()):
        yield record("agent", key, name=name)


def source_records() -> Iterator[JsonValue]:
    """One source a page, under its canonical address."""
    pages: dict[str, list[JsonValue]] = {}
    for row in (*versions(), *deletions()):
        pages.setdefault(row["source"], []).append(row)
    for uri, rows in pages.items():
        yield record(
            "source",
            uri,
            title=_title(rows),
            source_kind="webpage",
            uri=uri,
            publisher={"name": rows[-1]["publisher"]},
        )


def version_records() -> Iterator[JsonValue]:
    """Each version with its author, licence and commit; it revises the one before."""
    previous: dict[str, str] = {}
    for row in versions():
        source = row["source"]
        yield record(
            "source_version",
            _key(row),
            occurred_at=row["committed"],
            source=source,
            digest=f"sha256:{row['sha256']}",
            version=str(row["version"]),
            published_at=row["committed"],
            license=row["license"],
            revision_of=previous.get(source),
            creators=[{"agent": _agent(row), "role": "creator"}],
            attributes={
                name: row[name]
                for name in ("commit", "message", "line_similarity_to_previous")
                if row[name] is not None
            },
        )
        previous[source] = _key(row)
    for row in deletions():
        yield record(
            "source_version",
            _key(row),
            source=row["source"],
            digest=text_digest(row["text"]),
            license=row["license"],
            valid_until=row["deleted"]["at"],
            attributes={"deleted": row["deleted"]},
        )


def document_records() -> Iterator[JsonValue]:
    """The text of each version."""
    for row in (*versions(), *deletions()):
        yield record(
            "document",
            _key(row),
            occurred_at=row.get("committed"),
            source_version=_key(row),
            text=row["text"],
            normalization="none",
            run=_PARSE,
        )


def _key(row: JsonValue) -> str:
    """The page at the commit that wrote it; a deleted page at the commit that removed it."""
    commit = row["commit"] if "commit" in row else f"before-{row['deleted']['commit']}"
    return f"{row['path']}@{commit}"


def _agent(row: JsonValue) -> str:
    match = _REPOSITORY.match(row["source"])
    return f"{match.group(1) if match else row['source']}:author:{row['author']}"


def _title(rows: list[JsonValue]) -> str:
    """The newest title in a page's head, else its oldest heading, else its path."""
    for pattern, texts in (
        (_TITLE, [row["text"] for row in reversed(rows)]),
        (_HEADING, [row["text"] for row in rows]),
    ):
        for text in texts:
            if match := pattern.search(text):
                return match.group(1).strip()
    return str(rows[-1]["path"])
