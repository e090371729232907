"""Works as a source may state them, without any store."""

from datetime import UTC, datetime
from typing import Any

from citations.bibliography import Bibliography, Creator, Publisher
from citations.exports.works import Work
from citations.rail import MarkerLink
from citations.rights import licence_of
from citations.status import NOT_CHECKED, Status

NOTHING: dict[str, Any] = {
    "source_uid": "src_a", "version_uid": "srv_abcdefghijkl", "resolved": True, "title": None,
    "source_kind": None, "container_title": None, "creators": (), "publisher": None,
    "version": None, "published_at": None, "modified_at": None, "valid_from": None,
    "valid_until": None, "license": None, "rights": None, "uri": None, "doi": None, "pmid": None,
    "language": None, "jurisdiction": None, "consent": None,
}  # fmt: skip
RETRACTED = Status("retracted", datetime(2026, 5, 3, 9, tzinfo=UTC), "cas_x", "retraction")


def creator(name: str, role: str = "creator", orcid: str | None = None) -> Creator:
    return Creator(name, role, orcid, None)


def work(*, status: Status = NOT_CHECKED, read: bool = True, **book: Any) -> Work:
    """A work with one citation on printed page 411; `read` False: nobody knows when."""
    return Work(
        uid="srv_abcdefghijkl",
        book=Bibliography(**(NOTHING | book)),
        citations=(MarkerLink("[1]", "cit_a"),),
        status=status,
        retrieved_at=datetime(2026, 3, 1, 10, tzinfo=UTC) if read else None,
        fetched_at=datetime(2026, 2, 1, 23, 30, tzinfo=UTC) if read else None,
        pages=("411",),
    )


def article(**book: Any) -> Work:
    """An article of which nearly everything is stated."""
    stated: dict[str, Any] = {
        "source_kind": "article", "title": "Dispersal of corals",
        "container_title": "Journal of Reefs",
        "creators": (creator("van Beethoven, Ludwig"), creator("World Health Organization")),
        "publisher": Publisher("Open Press", None, None), "version": "2",
        "published_at": "2003-10-17", "license": licence_of("CC-BY-4.0"), "doi": "10.1234/corals",
        "uri": "https://example.org/corals", "language": "en",
    }  # fmt: skip
    return work(**(stated | book))
