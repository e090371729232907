"""A graph of another time is told by its mark, and written anew; nothing else is taken for one."""

import os
import secrets
import shutil
import threading
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connections

from lineage.graph import client, mark
from lineage.graph.dump import dump
from lineage.graph.migrate import migrate
from lineage.graph.projection import project
from lineage.graph.reads.applied_migrations import applied_migrations
from lineage.graph.rebuild import Place
from lineage.graph.repair import keep_right, repair
from lineage.graph.writes.renew_mark import renew_mark
from lineage.models import AnswerEffect, Case, GraphMark, Withdrawal
from lineage.vocabulary import Edge
from provexplorer.embedded.graph_server import ArcadeDB, GraphAddress
from tests.cases.world import approved, run_to_end, send, world
from tests.faults.invariants import Filed, assert_invariants
from tests.graph.builder import Lineage
from tests.servers.neo4j import Neo4j
from tests.servers.running import running
from tests.thorough import long_only


def held() -> str:
    """The mark that the graph has."""
    return renew_mark(uid=GraphMark.objects.get().uid, known=[], new="never written")


def make_older(was: str) -> None:
    """Give the graph the mark that it had."""
    assert renew_mark(uid=GraphMark.objects.get().uid, known=[held()], new=was) != was


def test_first_start_and_upgrade_take_the_graph_that_is_there(lineage: Lineage) -> None:
    lineage.chain("a")
    project(lineage.workspace.pk)
    assert not GraphMark.objects.exists()
    assert mark.renew()
    first = held()
    assert first == GraphMark.objects.get().current
    assert mark.renew()
    assert held() not in ("", first)


def test_dying_between_the_writes_is_no_difference(lineage: Lineage) -> None:
    for marked in ("", "c"):
        # Before the graph was told; after it was, and before that was written down.
        for in_graph in (marked, "n"):
            GraphMark.objects.all().delete()
            uid = f"installation:{secrets.token_hex(4)}"
            GraphMark.objects.create(id=1, uid=uid, current=marked, next="n")
            renew_mark(uid=uid, known=[""], new=in_graph)
            assert mark.renew(), (marked, in_graph)
            row = GraphMark.objects.get()
            assert (row.current, row.next, held()) == ("n", "", "n")
            assert mark.renew()


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(
    not os.environ.get("DATABASE_URL", "").startswith("postgres"),
    reason="SQLite in memory lets nobody wait",
)
def test_several_who_renew_at_once_find_no_difference(graph: GraphAddress) -> None:
    told: list[bool] = []

    def renew() -> None:
        try:
            told.extend(mark.renew() for _ in range(5))
        finally:
            connections.close_all()

    threads = [threading.Thread(target=renew) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert told == [True] * 20
    assert mark.renew()


def test_older_graph_is_written_anew_step_by_step(lineage: Lineage) -> None:
    chain = lineage.chain("a")
    project(lineage.workspace.pk)
    assert mark.renew()
    then = held()
    later = lineage.node("chunk", "later")
    lineage.edge(later, Edge.WAS_DERIVED_FROM, chain["document"])
    project(lineage.workspace.pk)
    whole = dump(lineage.workspace.pk)
    assert mark.renew()
    # As the backup has it: without what was projected since, with what has gone since.
    later.delete()
    lineage.node("chunk", "gone since")
    project(lineage.workspace.pk)
    lineage.nodes["chunk", "gone since"].delete()
    later.save(force_insert=True)
    lineage.edge(later, Edge.WAS_DERIVED_FROM, chain["document"])
    make_older(then)
    assert dump(lineage.workspace.pk) != whole

    assert not mark.renew()
    assert mark.is_wrong()
    assert not repair(seconds=0)
    # The same backup once more, when half of it is done: nothing of that counts.
    make_older(then)
    steps = 1
    while not keep_right(seconds=0):
        steps += 1
        assert mark.is_wrong()
        assert steps < 100
    assert dump(lineage.workspace.pk) == whole
    assert not mark.is_wrong()
    assert mark.renew()


def test_two_who_write_it_anew_do_not_end_it_early(lineage: Lineage) -> None:
    lineage.chain("a")
    mark.distrust()
    mine, other = mark.begin(), mark.begin()
    assert mine is not None
    assert other is not None
    pk = lineage.workspace.pk
    assert mark.advance(other, pk, Place(0, 7))
    assert not mark.advance(mine, pk, Place(0, 5))
    mark.distrust()
    assert not mark.settle(other)
    assert mark.is_wrong()
    assert repair()
    assert len(dump(pk)[0]) == 4


def test_newer_graph_beside_older_records_loses_what_they_do_not_know(lineage: Lineage) -> None:
    """The relational store was restored: from before a case propagated, and before another was filed."""
    workspace = lineage.workspace
    send(workspace, world())
    case = run_to_end(approved(workspace, "retraction", ("source", "s1")))
    project(workspace.pk)
    assert mark.renew()
    assert any(edge[1] == "AFFECTED_BY" for edge in dump(workspace.pk)[1])
    AnswerEffect.objects.filter(case=case).delete()
    Withdrawal.objects.filter(case=case).delete()
    Case.objects.filter(pk=case.pk).update(state="draft")
    GraphMark.objects.update(current="of then")
    assert keep_right()
    assert {edge[1] for edge in dump(workspace.pk)[1]} & {
        "AFFECTED_BY",
        "WAS_INVALIDATED_BY",
    } == set()
    later = run_to_end(approved(workspace, "concern", ("chunk", "c2")))
    assert_invariants(workspace, world(), [Filed(later.uid, "concern", (("chunk", "c2"),))])


def test_command_that_writes_all_of_it_is_trusted(lineage: Lineage) -> None:
    lineage.chain("a")
    assert mark.renew()
    GraphMark.objects.update(current="of then")
    assert not mark.renew()
    call_command("rebuild_graph", workspace=lineage.workspace.slug, stdout=StringIO())
    assert mark.is_wrong(), "others of its workspaces are as they were"
    call_command("rebuild_graph", stdout=StringIO())
    assert not mark.is_wrong()
    assert mark.renew()


@long_only
def test_copy_of_the_servers_folder_is_told(
    lineage: Lineage, request: pytest.FixtureRequest, tmp_path: Path, settings: Any
) -> None:
    """On either server: stopped, copied, gone on with, and the copy put back."""
    folder, copy = tmp_path / "server", tmp_path / "copy"
    server: ArcadeDB | Neo4j = (
        Neo4j.in_folder(folder)
        if request.config.getoption("--graph") == "neo4j"
        else ArcadeDB.in_folder(folder, password="only-for-tests")
    )
    for name, value in server.address.environment().items():
        setattr(settings, name, value)
    log = tmp_path / "server.log"
    with running(server, log=log, seconds=90):
        migrate()
        chain = lineage.chain("a")
        project(lineage.workspace.pk)
        assert keep_right()
    shutil.copytree(folder, copy)
    with running(server, log=log, seconds=90):
        assert keep_right()
        lineage.edge(lineage.node("chunk", "b"), Edge.WAS_DERIVED_FROM, chain["document"])
        project(lineage.workspace.pk)
        whole = dump(lineage.workspace.pk)
    shutil.rmtree(folder)
    shutil.copytree(copy, folder)
    with running(server, log=log, seconds=90):
        assert not mark.renew()
        assert dump(lineage.workspace.pk) != whole
        assert keep_right()
        assert dump(lineage.workspace.pk) == whole
        # Emptied under processes that go on: its constraints are as lost as all else.
        client.execute("MATCH (node) DETACH DELETE node", name=__name__)
        assert applied_migrations() == []
        assert keep_right()
        assert [applied.version for applied in applied_migrations()] == [1]
        assert dump(lineage.workspace.pk) == whole
