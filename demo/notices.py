"""Published notices (corrections, retractions) that touch the demo's articles."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from demo.articles import articles
from demo.files import DATA, read_lines
from lineage.formats.writing import record
from lineage.types import JsonValue

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Notice:
    """A notice about an article: both DOIs, its kind and title as recorded, and when it was recorded."""

    article_doi: str
    article_key: str
    doi: str
    kind: str
    title: str
    publisher: str
    recorded_at: datetime

    @property
    def date(self) -> str:
        """The day on which the notice was recorded (UTC), as YYYY-MM-DD."""
        return self.recorded_at.date().isoformat()


def notices() -> dict[str, tuple[Notice, ...]]:
    """The known notices by the DOI of the article that they touch, oldest first."""
    keys = {article.doi: article.key for article in articles() if article.doi}
    found: dict[str, list[Notice]] = {}
    for row in read_lines(DATA / "notices" / "open_retractions.jsonl"):
        told = row["record"]
        doi = told["identifier"]["doi"]
        if doi not in keys:
            continue
        for update in told["updates"]:
            notice = Notice(
                article_doi=doi,
                article_key=keys[doi],
                doi=update["identifier"]["doi"],
                kind=update["type"],
                title=told["title"],
                publisher=told["publisher"],
                recorded_at=_EPOCH + timedelta(milliseconds=update["timestamp"]),
            )
            found.setdefault(doi, []).append(notice)
    return {
        doi: tuple(sorted(several, key=lambda notice: notice.recorded_at))
        for doi, several in found.items()
    }


def source_records() -> Iterator[JsonValue]:
    """Each notice as a source of its own, so that a case can name it as evidence."""
    for several in notices().values():
        for notice in several:
            yield record(
                "source",
                notice.doi,
                title=notice.title,
                source_kind="notice",
                doi=notice.doi,
                publisher={"name": notice.publisher},
                attributes={
                    "notice_kind": notice.kind,
                    "concerns": notice.article_key,
                    "recorded_by": "Open Retractions",
                    "recorded_at": notice.recorded_at.isoformat().replace("+00:00", "Z"),
                },
            )
