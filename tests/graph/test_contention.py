"""Several processes project the same nodes at once, some die: the graph ends as the relational store is."""

import itertools
import os
import random
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from lineage.graph.client import Unit
from lineage.graph.scope import scope_of
from lineage.graph.turn import in_turn
from provexplorer.embedded.graph_server import GraphAddress
from tests.graph.builder import Lineage
from tests.servers.prepared import Prepared
from tests.thorough import THOROUGH

CHECKOUT = Path(__file__).resolve().parents[2]
ROUNDS = "12" if THOROUGH else "4"
# Seeds of those that are killed.
VICTIMS = (3, 4, 5) if THOROUGH else (3,)
# Projects what the killed left behind, and compares with a graph written from scratch.
JUDGE = """
import django; django.setup()
from lineage.graph.dump import dump
from lineage.graph.projection import project
from lineage.graph.rebuild import rebuild
from lineage.models import GraphDirty, Node
from provexplorer.workspaces.models import Workspace
workspace = Workspace.objects.get(slug="contended").pk
project(workspace)
assert not GraphDirty.objects.exists()
found = dump(workspace)
assert rebuild(workspace) == 8
assert dump(workspace) == found, "the graph was not what it should be"
uids = set(Node.objects.values_list("uid", flat=True))
assert {uid for _, uid, _ in found[0]} == uids
assert len(found[1]) == 6
"""


@pytest.mark.parametrize("line", ["had", "not to be had"])
def test_units_of_a_workspace_take_turns(
    lineage: Lineage, line: str, settings: Any, tmp_path: Path
) -> None:
    """What a unit reads after it has its turn is never older than what one before it wrote."""
    settings.DATA_DIR = tmp_path
    if line == "not to be had":
        (tmp_path / "lines").touch()
    scope = scope_of(lineage.workspace.pk)
    uid = f"{scope.code}:turns"
    truth = itertools.count(1)
    latest = [0]
    committed: list[tuple[int | None, int]] = []

    def work(unit: Unit, _batch: int) -> tuple[int | None, int]:
        read = latest[0]
        time.sleep(random.random() * 0.02)
        cypher = """
        MERGE (term:Term {uid: $uid})
        WITH term, term.value AS previous
        SET term.value = $read RETURN previous
        """
        return unit.run(cypher, uid=uid, read=read)[0]["previous"], read

    def contend() -> None:
        for _ in range(8):
            latest[0] = next(truth)
            committed.append(in_turn(scope, work, name="test"))

    threads = [threading.Thread(target=contend) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(committed) == 32
    assert [pair for pair in committed if pair[0] is not None and pair[0] > pair[1]] == []


def test_processes_that_contend_and_die_leave_the_graph_right(
    graph: GraphAddress, tmp_path: Path
) -> None:
    environment = {
        **os.environ,
        **graph.environment(),
        "DJANGO_SETTINGS_MODULE": "provexplorer.settings",
        "PROVEXPLORER_SECRET_KEY": "only-for-a-test-of-contention" * 2,
        "PROVEXPLORER_DATA_DIR": str(tmp_path),
        "DATABASE_URL": f"sqlite:///{tmp_path}/provexplorer.sqlite3",
        "KEYS_DATABASE_URL": f"sqlite:///{tmp_path}/keys.sqlite3",
    }

    def start(*arguments: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, *arguments], cwd=CHECKOUT, env=environment, stderr=subprocess.PIPE
        )

    def finish(process: subprocess.Popen[bytes]) -> None:
        _, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors.decode()[-3000:]

    contender = ("-m", "tests.graph.contender", "contended")
    Prepared.of_this_run(tmp_path / "prepared").files_for(tmp_path)
    finish(start(*contender, "0", "0"))
    contenders = [start(*contender, str(seed), ROUNDS) for seed in (1, 2)]
    for seed in VICTIMS:
        victim = start(*contender, str(seed), "1000")
        time.sleep(3)
        victim.kill()
        victim.communicate()
    for process in contenders:
        finish(process)
    finish(start("-c", JUDGE))
