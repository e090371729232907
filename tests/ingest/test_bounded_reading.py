"""No statement of ingestion reads a workspace as a whole: a request costs what it carries, however much is there."""

import re
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from django.db import connection

from provexplorer.workspaces.models import Workspace
from tests.ingest.sending import LATER, record, send

pytestmark = pytest.mark.django_db

# What SQLite says of a step that goes through all rows of a table, or all of one workspace (and kind).
_WHOLE = re.compile(
    r"SCAN lineage_\w+|SEARCH (?:lineage_\w+|T\d+|U\d+) .*\(workspace_id=\?(?: AND kind=\?)?\)"
)
# Few rows by nature: one of a workspace, or those that people make.
_SMALL = re.compile(r"lineage_(?:registerepoch|alias|case|rejectedmatch|applybatch)\b")

# Whatever row of the workspace comes first: one row is read.
_ANY = re.compile(
    r'WHERE "\w+"\."workspace_id" = %s(?: ORDER BY "\w+"\."workspace_id" ASC)? LIMIT 1$'
)


class Plans:
    """Remembers how SQLite carries out each statement."""

    def __init__(self) -> None:
        self.whole: dict[str, list[str]] = {}
        self.seen = 0

    def __call__(
        self,
        execute: Callable[..., Any],
        sql: str,
        params: Sequence[Any],
        many: bool,
        context: dict[str, Any],
    ) -> Any:
        result = execute(sql, params, many, context)
        if (
            sql.startswith(("SELECT", "UPDATE", "DELETE", "WITH"))
            and not many
            and not _ANY.search(sql)
        ):
            self.seen += 1
            cursor = connection.connection.cursor()
            cursor.execute(f"EXPLAIN QUERY PLAN {sql.replace('%s', '?')}", params or ())
            steps = [step for *_, step in cursor.fetchall()]
            if whole := [s for s in steps if _WHOLE.search(s) and not _SMALL.search(s)]:
                self.whole[sql] = whole
        return result


def chain(at: str | None = None, word: str = "Alpha") -> list[dict[str, Any]]:
    """A record of every kind that has others above it."""
    when = {"at": at} if at else {}
    return [
        record("source", "s", title=word, creators=[{"name": "A. Author"}], **when),
        record("run", "x", run_kind="chunk", used=[{"key": "d", "kind": "document"}], **when),
        record("source_version", "v", source="s", run="x", **when),
        record("document", "d", source_version="v", text=f"{word} beta. Gamma.", **when),
        record("part", "p", document="d", interval={"start": 0, "end": 8}, **when),
        record("chunk", "c", document="d", text=word, interval={"start": 0, "end": 5}, **when),
        record("embedding", "e", of={"key": "c", "kind": "chunk"}, model="m", **when),
        record("index_snapshot", "i", embeddings=["e"], chunks=["c"], **when),
        record(
            "retrieval", "r", index_snapshot="i", candidates=[{"chunk": "c", "rank": 1}], **when
        ),
        record("context", "k", retrieval="r", items=[{"chunk": "c", "position": 1}], **when),
        record("answer", "a", context="k", text="Alpha it is.", question="What?", **when),
        record("claim", "m", answer="a", interval={"start": 0, "end": 12}, **when),
        record("citation", "q", claim="m", marker="[1]", chunk="c", **when),
    ]


@pytest.mark.skipif("connection.vendor != 'sqlite'", reason="asks SQLite how it searches")
def test_no_statement_reads_a_whole_workspace(workspace: Workspace) -> None:
    plans = Plans()
    with connection.execute_wrapper(plans):
        send(workspace, chain())
        send(workspace, chain(LATER, "Omega"))
        send(workspace, chain()[:4:-1])
    assert plans.seen > 100
    assert plans.whole == {}
