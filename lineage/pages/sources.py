"""`/sources/`: freshness and rights at a glance, the list with its filters in the address, and as CSV."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Final

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse

from lineage.formats.times import written
from lineage.impact.export import csv_rows
from lineage.nodes.paging import CursorInvalid
from lineage.pages.source_words import ENDINGS, FRESH, LACKS, ORDER_NAMES, STATE_WORDS
from lineage.rights.asked import ENDING, FRESHNESS, MISSING, STATES, SourceFilter
from lineage.rights.asks import FAMILIES
from lineage.rights.glance import Glance, glance
from lineage.rights.sources import SORTS, SourceLine, every, sources
from lineage.types import Viewer
from provexplorer.htmx import render_page
from provexplorer.workspaces.audit.recording import record
from provexplorer.workspaces.pages import member_page

PAGE_SIZE: Final = 30
COLUMNS: Final = (
    "source", "title", "creators", "publisher", "kind", "language", "licence", "licence_family", "versions",
    "versions_without_licence", "answers", "chunks", "ends_at", "freshness", "checked_at", "passages_cited",
    "passages_drifted", "missing", "state", "address",
)  # fmt: skip
_LONGEST: Final = 400
_WIDTH: Final = 100


@dataclass(frozen=True, slots=True)
class PlotRow:
    """A bar of a plot: its code, how many, its length in hundredths of the longest, where it leads."""

    code: str
    number: int
    width: float
    chosen: bool


@member_page
def listed(request: HttpRequest, viewer: Viewer) -> HttpResponse:
    """`?q=`, the filters of SourceFilter, `?sort=`, `?cursor=`."""
    asked, sort = _asked(request), _sort(request)
    cursor = request.GET.get("cursor") or None
    try:
        found = sources(viewer, asked, sort=sort, limit=PAGE_SIZE, cursor=cursor)
    except CursorInvalid:
        return render_page(request, "400.html", {"again": request.path}, status=400)
    seen = glance(viewer)
    context = {
        "found": found,
        "glance": seen,
        "plots": _plots(seen, asked),
        "asked": asked,
        "filters": {name: value for name, value in asdict(asked).items() if value},
        "sort": sort if sort != "title" or not asked.narrows else "grounded",
        "listed_sort": "" if sort == "title" else sort,
        "sorts": ORDER_NAMES,
        "choices": _choices(seen, asked),
        "q": asked.q,
        "section": "sources",
    }
    return render_page(
        request, "sources/list.html", context, partials={"list": "sources/_list.html"}
    )


@member_page
def as_csv(request: HttpRequest, viewer: Viewer) -> StreamingHttpResponse:
    """`/sources.csv`: all that the filters find and the viewer may see, in the order of the list."""
    record("export.made", viewer, code="sources_csv")
    lines = every(viewer, _asked(request), sort=_sort(request))
    base = request.build_absolute_uri("/sources/")
    return StreamingHttpResponse(
        _csv(lines, base),
        content_type="text/csv; charset=utf-8; header=present",
        headers={"Content-Disposition": 'attachment; filename="sources.csv"'},
    )


def _asked(request: HttpRequest) -> SourceFilter:
    names = [each.name for each in fields(SourceFilter)]
    # PostgreSQL refuses a NUL, and no value has one.
    return SourceFilter(
        **{name: request.GET.get(name, "").replace("\0", "")[:_LONGEST] for name in names}
    )


def _sort(request: HttpRequest) -> str:
    given = request.GET.get("sort", "")
    return given if given in SORTS else SORTS[0]


def _plots(seen: Glance, asked: SourceFilter) -> dict[str, tuple[PlotRow, ...]]:
    """Bars by the filter that each leads to."""
    counts: Mapping[str, Mapping[str, int]] = {
        "family": seen.families,
        "freshness": seen.freshness,
        "ending": seen.ending,
    }
    return {
        name: tuple(
            PlotRow(
                code,
                number,
                round(max(1.0, _WIDTH * number / max(some.values())), 2) if number else 0.0,
                getattr(asked, name) == code,
            )
            for code, number in some.items()
        )
        for name, some in counts.items()
        if any(some.values())
    }


def _choices(seen: Glance, asked: SourceFilter) -> dict[str, list[tuple[str, Any]]]:
    """What each filter offers: code and word; a value that is asked for is always among them."""
    kinds, languages = ({*some, value} - {""} for some, value in (
        (seen.kinds, asked.kind), (seen.languages, asked.language),
    ))  # fmt: skip
    return {
        "missing": [(code, LACKS[code]) for code in MISSING],
        "state": [(code, STATE_WORDS[code]) for code in STATES],
        "family": [(code, "") for code in FAMILIES],
        "freshness": [(code, FRESH[code].label) for code in FRESHNESS],
        "ending": [(code, ENDINGS[code]) for code in ENDING],
        "kind": [(code, "") for code in sorted(kinds)],
        "language": [(code, code) for code in sorted(languages)],
    }


def _csv(lines: Iterator[SourceLine], base: str) -> Iterator[str]:
    yield csv_rows([COLUMNS])
    for line in lines:
        yield csv_rows([_cells(line, base)])


def _cells(line: SourceLine, base: str) -> list[str]:
    row, figures, fresh = line.row, line.figures, line.freshness
    checked = fresh.checked_at if fresh is not None else None
    ends = figures.ends_at if figures is not None else None
    return [
        row.uid,
        row.title or "",
        "; ".join(each.name for each in row.creators),
        row.publisher.name if row.publisher else "",
        row.source_kind or "",
        figures.language if figures else "",
        figures.licence if figures else row.licence or "",
        figures.family if figures else "",
        str(figures.versions if figures else row.versions),
        str(figures.unlicensed) if figures else "",
        str(figures.answers) if figures else "",
        str(figures.chunks) if figures else "",
        written(ends) if ends is not None else "",
        line.fresh,
        written(checked) if checked is not None else "",
        str(fresh.cited) if fresh is not None else "",
        str(fresh.drifted) if fresh is not None else "",
        ", ".join(figures.missing) if figures else "",
        row.state,
        f"{base}{row.uid}",
    ]
