"""Works as CSL-JSON (csl-data 1.0.2): what the source states, nothing else.

What CSL has no field for (licence, uids, status) stands in `custom`.
"""

import json
from collections.abc import Iterable, Sequence
from typing import Final

from citations.exports.attribution import attribution_of
from citations.exports.dates import iso, parts_of
from citations.exports.names import CslName, csl_name
from citations.exports.works import Work
from lineage.templatetags.product import web_address
from lineage.types import JsonValue

MEDIA_TYPE: Final = "application/vnd.citationstyles.csl+json"

# Of the kinds of sources those that CSL has a type for; any other is a `document`.
_TYPES: Final = {
    **{
        kind: kind
        for kind in (
            "article-journal", "article-magazine", "article-newspaper", "bill", "book",
            "broadcast", "chapter", "classic", "dataset", "entry", "entry-dictionary",
            "entry-encyclopedia", "figure", "graphic", "hearing", "interview", "legal_case",
            "legislation", "manuscript", "map", "pamphlet", "paper-conference", "patent",
            "periodical", "post", "post-weblog", "regulation", "report", "review", "software",
            "speech", "standard", "thesis", "treaty", "webpage",
        )
    },
    "code": "software",
    "law": "legislation",
    "preprint": "article",
}  # fmt: skip
_ROLES: Final = {"creator": "author", "editor": "editor", "translator": "translator"}
# States of a source that are worth a word in a reference.
UNREMARKABLE: Final = frozenset({"not_checked", "current", "unknown"})


def csl_type(work: Work) -> str:
    """The CSL type of a work; an article in a container is one of a journal."""
    kind = (work.book.source_kind or "").casefold()
    if kind == "article":
        return "article-journal" if work.book.container_title else "article"
    return _TYPES.get(kind, "document")


def csl_item(work: Work) -> dict[str, JsonValue]:
    """One item; every field that is not stated is absent."""
    book = work.book
    item: dict[str, JsonValue] = {"id": work.uid, "type": csl_type(work)}
    item |= names_of(work)
    stated: dict[str, JsonValue] = {
        "title": book.title,
        "container-title": book.container_title,
        "publisher": book.publisher.name if book.publisher else None,
        "version": book.version,
        "DOI": book.doi,
        "PMID": book.pmid,
        "URL": web_address(book.uri) or None,
        "language": book.language,
        "jurisdiction": book.jurisdiction,
        "issued": _date(parts_of(book.published_at)),
        "accessed": _date(work.accessed),
        "status": None if work.status.code in UNREMARKABLE else work.status.code,
        "locator": ", ".join(work.pages) if len(work.citations) == 1 else None,
    }
    item |= {name: value for name, value in stated.items() if value}
    return item | {"custom": _custom(work)}


def names_of(work: Work) -> dict[str, list[CslName]]:
    """The names by CSL's roles, in the order stated."""
    found: dict[str, list[CslName]] = {}
    for creator in work.book.creators:
        name = csl_name(creator)
        if name is not None:
            found.setdefault(_ROLES.get(creator.role, "author"), []).append(name)
    return found


def csl_json(works: Iterable[Work]) -> bytes:
    """The works as an array of items."""
    items = [csl_item(work) for work in works]
    return (json.dumps(items, ensure_ascii=False, indent=1) + "\n").encode(errors="replace")


def _date(parts: Sequence[int]) -> JsonValue:
    return {"date-parts": [list(parts)]} if parts else None


def _custom(work: Work) -> dict[str, JsonValue]:
    book, licence = work.book, work.book.license
    stated: dict[str, JsonValue] = {
        "source": book.source_uid,
        "source_version": book.version_uid,
        "citations": [
            {"marker": link.marker, "citation": link.citation_uid} for link in work.citations
        ],
        "license": (licence.expression or licence.as_stated) if licence else None,
        "license_url": (web_address(licence.url) or None) if licence else None,
        "rights": book.rights,
        "attribution": attribution_of(book, work.fetched_at or work.retrieved_at).text
        if book.title
        else None,
        "modified": iso(parts_of(book.modified_at)) or None,
        "valid_until": book.valid_until,
        "publisher_ror": book.publisher.ror if book.publisher else None,
        "orcid": [
            {"name": creator.name, "orcid": creator.orcid}
            for creator in book.creators
            if creator.orcid
        ],
        "fetched_at": work.fetched_at.isoformat() if work.fetched_at else None,
        "retrieved_at": work.retrieved_at.isoformat() if work.retrieved_at else None,
        "source_status": work.status.code,
        "source_status_since": work.status.at.isoformat() if work.status.at else None,
        "case": work.status.case_uid,
    }
    return {name: value for name, value in stated.items() if value}
