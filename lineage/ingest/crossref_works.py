"""Works of Crossref, in a file or a request, read as native records: JSON as the API replies, a list, or one work a line."""

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
from provexplorer.workspaces.models import Workspace

_TOGETHER = 100


class WorksUnreadable(Exception):
    """There are no works in it; the text says why."""


class ReadWork(NamedTuple):
    """A work with its number among those sent, from 1, and its records; or what it lacks."""

    number: int
    records: list[JsonValue]
    lacks: str = ""


def read_works(
    workspace: Workspace, file: "BufferedReader[Any]", *, today: date
) -> Iterator[list[ReadWork]]:
    """The works of a file, some at a time. A work that the workspace knows by its DOI is that source.

    `today` decides which licences are in force. Raises WorksUnreadable.
    """
    number, none_yet = 0, ""
    some: list[tuple[int, JsonValue]] = []
    try:
        for value in json_values(file):
            try:
                works = [value] if value is UNREADABLE else works_of(value)
            except NotWorks as error:
                works, none_yet = [value], none_yet or str(error)
            for work in works:
                number += 1
                some.append((number, work))
                if len(some) == _TOGETHER:
                    yield _some(workspace, some, today, none_yet)
                    some = []
    except NotNotices as error:
        raise WorksUnreadable(str(error)) from error
    if some:
        yield _some(workspace, some, today, none_yet)


def _some(
    workspace: Workspace, some: list[tuple[int, JsonValue]], today: date, none_yet: str
) -> list[ReadWork]:
    """These works; raises WorksUnreadable where they are the first ones, and none of them is one."""
    found = _read(workspace, some, today)
    if none_yet and some[0][0] == 1 and all(work.lacks for work in found):
        raise WorksUnreadable(none_yet)
    return found


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
