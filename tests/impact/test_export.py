"""Exports hold what the list holds, in its order; memory does not grow."""

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, cast

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from lineage.impact import export
from lineage.impact.affected import Affected
from lineage.impact.export import COLUMNS, csv_lines, json_lines
from lineage.impact.export_prov import prov_of
from lineage.impact.question import Question
from lineage.impact.report import affected, listed
from lineage.models import Node, RestsOn
from provexplorer.workspaces.models import Workspace
from tests.impact.affected_world import build
from tests.nodes.world import ALPHA, load, source, viewer, withdraw

pytestmark = pytest.mark.django_db


def address(uid: str) -> str:
    return f"https://here/answers/{uid}"


def read_csv(found: Affected) -> list[dict[str, str]]:
    text = "".join(csv_lines(found, address))
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_nothing_is_a_header_alone(workspace: Workspace) -> None:
    found = affected(
        viewer(workspace), Question(nodes=(load(workspace, source("s", ALPHA))["s"].uid,))
    )
    assert "".join(csv_lines(found, address)) == ",".join(COLUMNS) + "\r\n"
    assert "".join(json_lines(found, address)) == ""
    document = prov_of(found, form="json", base="https://here/")
    assert (document.truncated, "entity" in json.loads(document.content)) == (False, False)


def test_every_format_is_the_list_of_any_question(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "_BATCH", 2)
    nodes, me = build(workspace), viewer(workspace)
    Node.objects.filter(pk=nodes["a-two"].pk).update(key='=HYPERLINK("x"),\n2')
    withdraw(workspace, nodes["t"])
    both = Question(nodes=(nodes["s"].uid, nodes["t"].uid))
    for question in (
        both,
        replace(both, sort="strongest"),
        replace(both, sort="oldest", states=("stale", "review"), models=("m1", "m2")),
        replace(both, grades=("retrieved", "served")),
        replace(both, units=("nobody",)),
    ):
        found = affected(me, question)
        items, _ = listed(found, limit=200, cursor=None)
        rows = read_csv(found)
        objects = [json.loads(line) for line in "".join(json_lines(found, address)).splitlines()]
        document = json.loads(prov_of(found, form="json", base="https://here/lineage/").content)
        assert [row["answer"] for row in rows] == [item.uid for item in items]
        assert [row["grade"] for row in rows] == [item.grade for item in items]
        assert [row["state"] for row in rows] == [item.state for item in items]
        assert [each["answer"] for each in objects] == [item.uid for item in items]
        assert [each["because"] for each in objects] == [list(item.because) for item in items]
        assert {uid for uid in _uids(document) if uid.startswith("ans_")} >= {i.uid for i in items}
        assert _uids(document) == {u for i in items for u in (i.uid, *i.because)}


def _uids(document: dict[str, Any]) -> set[str]:
    elements = document.get("entity", {}) | document.get("activity", {}) | document.get("agent", {})
    return {name.partition(":")[2] for name in elements}


def test_row_by_hand(workspace: Workspace) -> None:
    nodes, me = build(workspace), viewer(workspace)
    Node.objects.filter(pk=nodes["a-one"].pk).update(key="=1+1")
    question = Question(
        nodes=(nodes["s-c"].uid,), grades=("cited",), models=("m1",), units=("north",)
    )
    first = read_csv(affected(me, replace(question, sort="oldest")))[0]
    assert first == {
        "answer": nodes["a-one"].uid,
        "key": "'=1+1",
        "occurred_at": "2026-01-05T00:00:00Z",
        "grade": "cited",
        "origin_grade": "",
        "state": "current",
        "model": "m1",
        "provider": "",
        "unit": "north",
        "because": " > ".join(nodes[key].uid for key in ("s-c", "q-one", "k-one")),
        "address": f"https://here/answers/{nodes['a-one'].uid}",
    }


def test_long_list_is_cut_in_prov_alone_and_says_so(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lineage.impact.export_prov.MOST_NODES", 7)
    nodes, me = build(workspace), viewer(workspace)
    document = prov_of(
        affected(me, Question(nodes=(nodes["s"].uid,))), form="turtle", base="https://h/"
    )
    assert document.truncated
    assert document.media_type.startswith("text/turtle")


def test_queries_grow_with_the_batches_and_rows_are_not_held(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    nodes, me = build(workspace), viewer(workspace)
    found = affected(me, Question(nodes=(nodes["p3.1"].uid, nodes["p3.2"].uid)))
    monkeypatch.setattr(export, "_BATCH", 2)
    walked: list[int] = []

    def every(self: Affected) -> Iterator[RestsOn]:
        for row in original(self):
            walked.append(row.answer_id)
            yield row

    original = cast("Any", Affected.every)
    monkeypatch.setattr(Affected, "every", every)
    lines = csv_lines(found, address)
    with CaptureQueriesContext(connection):
        next(lines)
        assert walked == []
        next(lines)
        assert len(walked) == 2
        next(lines)
        assert len(walked) == 4
