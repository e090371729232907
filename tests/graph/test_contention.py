"""Several processes project the same nodes at once, some die: the graph ends as the relational store is."""

import os
import subprocess
import sys
import time
from pathlib import Path

from provexplorer.embedded.graph_server import GraphAddress

CHECKOUT = Path(__file__).resolve().parents[2]
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


def test_processes_that_contend_and_die_leave_the_graph_right(
    graph: GraphAddress, tmp_path: Path
) -> None:
    environment = {
        **os.environ,
        **graph.environment(),
        "DJANGO_SETTINGS_MODULE": "provexplorer.settings",
        "PROVEXPLORER_SECRET_KEY": "only-for-a-test-of-contention" * 2,
        "PROVEXPLORER_DATA_DIR": str(tmp_path),
        "DATABASE_URL": f"sqlite:///{tmp_path}/default.sqlite3",
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
    finish(start("manage.py", "migrate", "--verbosity", "0"))
    finish(start(*contender, "0", "0"))
    contenders = [start(*contender, str(seed), "12") for seed in (1, 2)]
    for seed in (3, 4):
        victim = start(*contender, str(seed), "1000")
        time.sleep(4)
        victim.kill()
        victim.communicate()
    for process in contenders:
        finish(process)
    finish(start("-c", JUDGE))
