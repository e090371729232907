"""Files of notices, and a workspace with sources that they are about."""

import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lineage.formats.notice_files import read
from lineage.formats.notices import NoticeRecord, NotKept
from lineage.formats.retraction_watch import PUBLISHED, row_of
from lineage.models import Case, Notice, NoticeImport, NoticeMatch
from lineage.notices.reading import read_notices
from lineage.notices.receiving import begin
from lineage.types import Viewer
from provexplorer.workspaces.models import Workspace
from tests.cases.world import record, send

DATA = Path(__file__).parents[1] / "data"
# The correction that the demo shows: an article and its notice.
ARTICLE, CORRECTION = "10.1371/journal.pbio.0000010", "10.1371/journal.pbio.0020089"


def viewer(workspace: Workspace, *scopes: str) -> Viewer:
    return Viewer(
        workspace_id=workspace.pk,
        hash_key=workspace.hash_key,
        slug=workspace.slug,
        sees_all=True,
        scopes=frozenset(scopes or ("read", "operate", "edit")),
    )


def source(
    key: str, title: str = "A work that somebody wrote once", **fields: Any
) -> dict[str, Any]:
    return record("source", key, title=title, **fields)


def table(*rows: dict[str, str], header: Sequence[str] = (*PUBLISHED, "")) -> bytes:
    """A table of Retraction Watch; a column without a name at the end, as it is published."""
    lines = [",".join(header)]
    for row in rows:
        cells = [*row_of(row), ""]
        lines.append(",".join('"' + cell.replace('"', '""') + '"' for cell in cells))
    return ("\n".join(lines) + "\n").encode()


def row(**cells: str) -> dict[str, str]:
    """A row by its columns, with a plain retraction where nothing is said."""
    plain = {
        "Record ID": "1", "Title": "On the motion of things", "Author": "Ada One;Ben Two;",
        "RetractionDate": "7/12/2023 0:00", "RetractionDOI": "10.5555/notice",
        "RetractionPubMedID": "0", "OriginalPaperDate": "8/18/2022 0:00",
        "OriginalPaperDOI": "10.5555/work", "OriginalPaperPubMedID": "0.0",
        "RetractionNature": "Retraction", "Reason": "+Error in Data;+Unreliable Results;",
    }  # fmt: skip
    return plain | {name.replace("_", " "): cell for name, cell in cells.items()}


def work(doi: str, **members: Any) -> dict[str, Any]:
    return {"DOI": doi, "title": ["A title"], "publisher": "A publisher", **members}


def update(
    doi: str, type_: str = "correction", source_: str = "publisher", **more: Any
) -> dict[str, Any]:
    return {
        "DOI": doi, "type": type_, "source": source_, "updated": {"date-parts": [[2004, 3, 16]]},
        **more,
    }  # fmt: skip


def kept(doi: str, notice: str, type_: str, *, retracted: bool = False) -> dict[str, Any]:
    """A record of open-retractions."""
    return {
        "retracted": retracted,
        "timestamp": 1079395200000,
        "updates": [{"timestamp": 1586316790987, "identifier": {"doi": notice}, "type": type_}],
        "identifier": {"doi": doi},
        "publisher": "Public Library of Science (PLoS)",
        "title": "Corrections: of something",
    }


def lines(*values: Any) -> bytes:
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


def records_of(data: bytes) -> list[NoticeRecord | NotKept]:
    _, records = read(io.BytesIO(data))
    return list(records)


def load(workspace: Workspace, data: bytes) -> NoticeImport:
    """Read a file as the command does."""
    begun = begin(workspace, origin=NoticeImport.Origin.COMMAND, size=len(data))
    return read_notices(workspace, begun, io.BytesIO(data))


def remarks(done: NoticeImport) -> dict[str, int]:
    return {each["code"]: each["count"] for each in done.report}


def standing(workspace: Workspace) -> list[tuple[Any, ...]]:
    """All that an import writes, to be compared before and after."""
    return [
        *Notice.objects.filter(workspace=workspace).order_by("pk").values_list(),
        *NoticeMatch.objects.filter(notice__workspace=workspace).order_by("pk").values_list(),
        *Case.objects.filter(workspace=workspace).order_by("pk").values_list(),
    ]


def cases(workspace: Workspace) -> list[tuple[str, str, list[str]]]:
    """Kind, state and the keys of the targets of every case."""
    return [
        (
            case.kind,
            case.state,
            sorted(case.targets.values_list("node__key", flat=True)),
        )
        for case in Case.objects.filter(workspace=workspace).order_by("pk")
    ]


__all__ = ["record", "send"]
