"""Records of the articles: sources, versions, acquisitions, documents, chunks, index snapshot."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from demo.files import BIBLIOGRAPHY, DATA, read_json, read_text
from lineage.formats.writing import record, stated
from lineage.identifiers import text_digest
from lineage.types import JsonValue

ARTICLES: Final = DATA / "articles"
PARSER_KEY: Final = "parser:plain text@1"
_ACQUIRE, _PARSE, _CHUNK, _INDEX = (
    f"articles/{word}" for word in ("acquire", "parse", "chunk", "index")
)
# Values of the bibliography that are shown beside the contracted fields.
_BESIDE: Final = ("citation", "license_name", "retracted", "accession")


class DemoDataError(Exception):
    """A file of the demo is not what its index says it is."""


@dataclass(frozen=True, slots=True)
class Article:
    """A source with its text, its row of sources.json and its entry of the bibliography."""

    key: str
    text: str
    row: Mapping[str, JsonValue]
    entry: Mapping[str, JsonValue]

    def value(self, name: str) -> str | None:
        """A value of the bibliography, as the article states it."""
        found = self.entry.get(name)
        return found["value"] if found else None

    @property
    def doi(self) -> str | None:
        return self.value("doi")

    @property
    def version_key(self) -> str:
        return f"{self.key}@{self.value('last_updated') or self.row['sha256'][:12]}"


def articles() -> list[Article]:
    """All articles, in the order of sources.json. Raises DemoDataError where a text has changed."""
    bibliography = read_json(BIBLIOGRAPHY)
    found: list[Article] = []
    for row in read_json(ARTICLES / "sources.json"):
        text = read_text(ARTICLES / row["file"].rpartition("/")[2])
        if text_digest(text) != f"sha256:{row['sha256']}":
            raise DemoDataError(f"{row['file']} is not the text of its digest")
        found.append(Article(row["source_id"], text, row, bibliography[row["source_id"]]))
    return found


def snapshot() -> JsonValue:
    """The index snapshot as its builder described it."""
    return read_json(ARTICLES / "index_snapshot.json")


def collection_of(snapshot_name: str) -> str:
    """The collection of a snapshot: its name without the build's hash at its end."""
    return snapshot_name.rpartition("-")[0]


def component_records() -> Iterator[JsonValue]:
    """What fetched, read, cut and indexed the articles."""
    built, origin = snapshot(), read_json(ARTICLES / "origin.json")
    yield record(
        "component",
        f"connector:{origin['repository']}@{origin['commit']}",
        component_kind="connector",
        name=origin["repository"],
        version=origin["commit"],
        attributes={"path": origin["path"]},
    )
    yield record(
        "component",
        PARSER_KEY,
        component_kind="parser",
        name="plain text",
        version="1",
        attributes={"encoding": "utf-8", "normalization": "none"},
    )
    yield record(
        "component",
        _chunker_key(built),
        component_kind="chunker",
        name="fixed window",
        version=f"{built['chunk_size']}-{built['overlap']}",
        attributes={name: built[name] for name in ("chunk_size", "overlap", "unit")},
    )
    name, _, version = built["retriever"].rpartition(" ")
    yield record(
        "component", _indexer_key(built), component_kind="indexer", name=name, version=version
    )


def run_records() -> Iterator[JsonValue]:
    """The runs of those components. The data state no times of theirs."""
    built, origin = snapshot(), read_json(ARTICLES / "origin.json")
    every = articles()
    versions = [{"kind": "source_version", "key": article.version_key} for article in every]
    documents = [{"kind": "document", "key": article.key} for article in every]
    connector = f"connector:{origin['repository']}@{origin['commit']}"
    yield record("run", _ACQUIRE, run_kind="acquire", component=connector)
    yield record("run", _PARSE, run_kind="parse", component=PARSER_KEY, used=versions)
    yield record("run", _CHUNK, run_kind="chunk", component=_chunker_key(built), used=documents)
    yield record("run", _INDEX, run_kind="index", component=_indexer_key(built))


def source_records() -> Iterator[JsonValue]:
    """One source an article; what it does not state is left out."""
    for article in articles():
        creators = [
            {"name": creator["value"], "role": "creator"}
            for creator in article.entry.get("creators", ())
        ]
        publisher = article.value("publisher")
        yield record(
            "source",
            article.key,
            title=article.value("title"),
            source_kind="article" if article.value("journal") else "speech",
            uri=article.row.get("canonical_uri"),
            doi=article.doi,
            pmid=article.value("pmid"),
            creators=creators or None,
            publisher={"name": publisher} if publisher else None,
            container_title=article.value("journal"),
        )


def version_records() -> Iterator[JsonValue]:
    """The one version of each article that we have: its digest, dates and licence as stated."""
    for article in articles():
        last_updated = article.value("last_updated")
        yield record(
            "source_version",
            article.version_key,
            source=article.key,
            digest=f"sha256:{article.row['sha256']}",
            version=last_updated,
            published_at=_date(article.value("date")),
            modified_at=last_updated.replace(" ", "T") if last_updated else None,
            **_license(article),
            attributes=stated(**{name: article.value(name) for name in _BESIDE})
            | {"stated_at": _places(article)},
        )


def acquisition_records() -> Iterator[JsonValue]:
    """Where each article was had from, for those that say so."""
    for article in articles():
        uri = article.row.get("canonical_uri")
        if uri is None:
            continue
        signals = {name: article.value(name) for name in ("license", "retracted")}
        yield record(
            "acquisition",
            article.version_key,
            source_version=article.version_key,
            uri=uri,
            last_modified=article.value("last_updated"),
            rights_signals=stated(**signals),
            run=_ACQUIRE,
        )


def document_records() -> Iterator[JsonValue]:
    """The texts."""
    for article in articles():
        has_acquisition = "canonical_uri" in article.row
        yield record(
            "document",
            article.key,
            source_version=article.version_key,
            acquisition=article.version_key if has_acquisition else None,
            text=article.text,
            normalization="none",
            run=_PARSE,
        )


def chunk_records() -> Iterator[JsonValue]:
    """The chunks of the snapshot. Raises DemoDataError where an interval is not its digest's text."""
    built = snapshot()
    texts = {article.key: article.text for article in articles()}
    for chunk in built["chunks"]:
        text = texts[chunk["source_id"]][chunk["start"] : chunk["end"]]
        digest = f"sha256:{chunk['sha256']}"
        if text_digest(text) != digest:
            raise DemoDataError(f"{chunk['chunk_id']} is not the text of its digest")
        yield record(
            "chunk",
            chunk["chunk_id"],
            namespace=collection_of(built["name"]),
            document={"key": chunk["source_id"], "namespace": ""},
            digest=digest,
            interval={"start": chunk["start"], "end": chunk["end"]},
            index=chunk["index"],
            run={"key": _CHUNK, "namespace": ""},
        )


def snapshot_records() -> Iterator[JsonValue]:
    """The index snapshot, in the namespace of its collection, as its chunks are."""
    built = snapshot()
    collection = collection_of(built["name"])
    yield record(
        "index_snapshot",
        built["name"],
        namespace=collection,
        collection=collection,
        chunks=[chunk["chunk_id"] for chunk in built["chunks"]],
        chunker={"key": _chunker_key(built), "namespace": ""},
        indexer={"key": _indexer_key(built), "namespace": ""},
        retriever_kind=built["retriever"],
        run={"key": _INDEX, "namespace": ""},
    )


def _chunker_key(built: JsonValue) -> str:
    return f"chunker:fixed window@{built['chunk_size']}-{built['overlap']}"


def _indexer_key(built: JsonValue) -> str:
    name, _, version = built["retriever"].rpartition(" ")
    return f"indexer:{name}@{version}"


def _license(article: Article) -> dict[str, JsonValue]:
    """An SPDX identifier only where the article names the licence's version; else a LicenseRef.

    `rights` are the words that it was taken from.
    """
    uri = article.value("license_uri")
    version = re.search(r"/licenses/by/([0-9.]+)/", uri or "")
    if version:
        spdx = f"CC-BY-{version.group(1)}"
        return {"license": spdx, "license_uri": uri, "rights": article.value("license_name")}
    words = article.value("license") or ""
    slug = re.sub(r"[^A-Za-z0-9.]+", "-", words).strip("-")
    return {"license": f"LicenseRef-{slug}", "rights": words} if slug else {}


def _date(printed: str | None) -> str | None:
    """`18 8 2003`, as journals print the day of publication, as 2003-08-18; ISO dates as they are."""
    match = re.fullmatch(r"([0-9]{1,2}) ([0-9]{1,2}) ([0-9]{4})", printed or "")
    if match is None:
        return printed
    day, month, year = match.groups()
    return f"{year}-{int(month):02}-{int(day):02}"


def _places(article: Article) -> JsonValue:
    """Where the article states each value: intervals of its text, or pointers into sources.json."""
    return {
        name: [_place(value) for value in found] if isinstance(found, list) else _place(found)
        for name, found in article.entry.items()
    }


def _place(found: JsonValue) -> JsonValue:
    return {name: value for name, value in found.items() if name != "value"}
