"""Works of Crossref in a file, read as native records: JSON as the API replies, a list, or one work a line."""

from collections.abc import Iterator
from datetime import date
from io import BufferedReader
from typing import Any, NamedTuple

from lineage.formats.crossref import NotWorks, to_records, works_of
from lineage.formats.notice_files import UNREADABLE, json_values
from lineage.formats.notices import NotNotices, text_of
from lineage.formats.scholarly import normal_doi
from lineage.nodes.by_doi import keys_by_doi
from lineage.types import JsonValue
from provexplorer import clock
from provexplorer.workspaces.models import Workspace

_TOGETHER = 100


class WorksUnreadable(Exception):
    """The file holds no works; the text says why."""


class ReadWork(NamedTuple):
    """A work with its number in the file, from 1, and its records; or what it lacks."""

    number: int
    records: list[JsonValue]
    lacks: str = ""


def read_works(workspace: Workspace, file: "BufferedReader[Any]") -> Iterator[list[ReadWork]]:
    """The works of a file, some at a time. A work that the workspace knows by its DOI is that source.

    Raises WorksUnreadable.
    """
    today = clock.now().date()
    number = 0
    some: list[tuple[int, JsonValue]] = []
    try:
        for value in json_values(file):
            try:
                works = [value] if value is UNREADABLE else works_of(value)
            except NotWorks as error:
                if not number:
                    raise WorksUnreadable(str(error)) from error
                works = [value]
            for work in works:
                number += 1
                some.append((number, work))
                if len(some) == _TOGETHER:
                    yield _read(workspace, some, today)
                    some = []
    except NotNotices as error:
        raise WorksUnreadable(str(error)) from error
    if some:
        yield _read(workspace, some, today)


def _read(workspace: Workspace, some: list[tuple[int, JsonValue]], today: date) -> list[ReadWork]:
    dois = {_doi(work) for _, work in some} - {""}
    known = keys_by_doi(workspace, dois)
    found = []
    for number, work in some:
        key, namespace = known.get(_doi(work), ("", ""))
        try:
            records = to_records(work, today=today, key=key, namespace=namespace)
        except NotWorks as error:
            found.append(ReadWork(number, [], str(error)))
        else:
            found.append(ReadWork(number, records))
    return found


def _doi(work: JsonValue) -> str:
    return normal_doi(text_of(work.get("DOI"))) if isinstance(work, dict) else ""
