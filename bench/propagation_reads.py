"""Reads what readers and operators read, one after the other, and tells what each took in milliseconds.

python -m bench.propagation_reads SLUG ANSWERS; ends at SIGTERM.
"""

import random
import signal
import sys
import time
from typing import Any

import django


def main() -> None:
    """Read until told to stop."""
    slug, answers = sys.argv[1], int(sys.argv[2])
    django.setup()
    from bench.impact_world import NodeOf, uid
    from bench.propagation_measure import viewer_of
    from lineage.cases.register import states_of
    from lineage.impact.affected import affected
    from lineage.impact.question import Question
    from lineage.impact.report import listed
    from lineage.models import Node
    from lineage.nodes.view import node
    from provexplorer.workspaces.models import Workspace

    workspace = Workspace.objects.get(slug=slug)
    viewer = viewer_of(workspace)
    chance = random.Random(5)
    stopped = False

    def stop(*_: Any) -> None:
        nonlocal stopped
        stopped = True

    signal.signal(signal.SIGTERM, stop)

    def read() -> None:
        named = NodeOf("answer", chance.randrange(answers))
        answer = Node.objects.get(workspace=workspace, uid=uid(workspace.hash_key, named))
        states_of(workspace.pk, [answer.pk])
        node(viewer, answer.uid)
        document = uid(workspace.hash_key, NodeOf("document", chance.randrange(20)))
        listed(affected(viewer, Question(nodes=(document,))), limit=50, cursor=None)

    for _ in range(10):
        read()
    print("ready", flush=True)
    taken: list[float] = []
    while not stopped:
        began = time.perf_counter()
        read()
        taken.append((time.perf_counter() - began) * 1000)
        time.sleep(0.01)
    print("\n".join(f"{one:.2f}" for one in taken))


if __name__ == "__main__":
    main()
