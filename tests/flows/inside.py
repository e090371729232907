"""What can only be seen from within an installation: its graph beside its relational store.

`inside(product, "report('slug')")` runs a function of this module there (`manage shell`)
and gives what it returned.
"""

import hashlib
import json
from pathlib import Path
from typing import Any, Final

from tests.servers.product import Product

# The same key for every loading, so that the same records have the same uids.
KEY: Final = "c0" * 32


def inside(product: Product, call: str) -> Any:
    """Call a function of this module in the installation; what it returned."""
    script = f"import json; from tests.flows import inside; print(json.dumps(inside.{call}))"
    done = product.manage("shell", "-v", "0", "-c", script)
    assert done.returncode == 0, done.stderr.decode()[-3000:]
    return json.loads(done.stdout.decode().strip().splitlines()[-1])


def make(slug: str) -> None:
    """A workspace with the fixed key."""
    from provexplorer.workspaces.models import Workspace

    Workspace.objects.create(slug=slug, name=slug, uid_key=KEY)


def report(slug: str) -> dict[str, Any]:
    """Graph and closure of a workspace, and the relational nodes and edges that the graph should hold."""
    from lineage.graph import projection
    from lineage.graph.dump import dump
    from lineage.models import GraphDirty, Node, Reference, RestsOn
    from provexplorer.workspaces.models import Workspace

    workspace = Workspace.objects.get(slug=slug)
    projection.project(workspace.pk)
    nodes, edges = dump(workspace.pk)
    closure = sorted(
        RestsOn.objects.filter(answer__workspace=workspace).values_list(
            "answer__uid", "target__uid", "grade", "origin_grade"
        )
    )
    stored = Node.objects.filter(workspace=workspace).values_list("kind", "uid")
    related = (
        Reference.objects.filter(
            workspace=workspace, from_node__isnull=False, to_node__isnull=False
        )
        .exclude(edge="")
        .values_list("from_node__uid", "edge", "to_node__uid", "properties__role")
    )
    return {
        "nodes": [repr(node) for node in nodes],
        "edges": [repr(edge) for edge in edges],
        "closure": hashlib.sha256(repr(closure).encode()).hexdigest(),
        "rows": len(closure),
        "behind": GraphDirty.objects.filter(workspace=workspace).count(),
        # The same twice: as the graph names it, as the relational store does.
        "graph_nodes": sorted([kind, uid] for kind, uid, _ in nodes),
        "stored_nodes": sorted(list(node) for node in stored),
        "graph_edges": sorted(
            [start, kind, end, dict(properties).get("role") or ""]
            for start, kind, end, properties in edges
        ),
        "stored_edges": sorted(
            [start, kind, end, role or ""] for start, kind, end, role in set(related)
        ),
    }


def remove(slug: str) -> None:
    """Take the workspace out of both stores, so that another may have its key."""
    from lineage.graph import projection
    from lineage.models import Node
    from provexplorer.workspaces.models import Workspace

    workspace = Workspace.objects.get(slug=slug)
    uids = list(Node.objects.filter(workspace=workspace).values_list("uid", flat=True))
    projection.retire(workspace.pk, uids)
    Node.objects.filter(workspace=workspace).update(parent=None, owner=None, version=None)
    workspace.delete()


def case_edges(uid: str) -> list[dict[str, Any]]:
    """The `AFFECTED_BY` edges of a case from answers, with their grade and whether they have ended."""
    from lineage.graph.reads.edges_into import edges_into
    from lineage.graph.scope import scope_of
    from lineage.models import AnswerEffect, Case
    from lineage.vocabulary import Edge

    workspace = scope_of(Case.objects.get(uid=uid).workspace_id).code
    # Each effect has one; room for as many that should not be there.
    most = 2 * AnswerEffect.objects.filter(case__uid=uid).count() + 1_000
    found = edges_into(
        workspace=workspace, kind="case", uids=[uid], edges=[Edge.AFFECTED_BY], limit=most
    )
    return [
        {
            "from": edge.from_uid,
            "grade": edge.properties["grade"],
            "ended": edge.properties.get("ended_at") is not None,
        }
        for edge in found
        if edge.from_uid.startswith("ans_")
    ]


def behind(slug: str) -> int:
    """How many nodes of a workspace the graph has not got yet."""
    from lineage.models import GraphDirty

    return GraphDirty.objects.filter(workspace__slug=slug).count()


def payloads(slug: str) -> dict[str, int]:
    """How many payloads of a workspace's inbox are in each state."""
    from django.db.models import Count

    from lineage.models import InboxPayload

    counted = InboxPayload.objects.filter(workspace__slug=slug).values("state")
    return dict(counted.annotate(many=Count("pk")).values_list("state", "many"))


def keep(slug: str, file: str) -> int:
    """Keep payloads as a web process does that dies before it applies them; how many there were.

    `file`: a list of [format, media type, content encoding, body in base64].
    """
    from base64 import b64decode

    from lineage.formats.body import unpack
    from lineage.inbox import keeping
    from lineage.models import InboxPayload
    from provexplorer import clock
    from provexplorer.workspaces.models import Workspace

    workspace = Workspace.objects.get(slug=slug)
    rows = []
    for format_, media_type, encoding, packed in json.loads(Path(file).read_text()):
        sent = b64decode(packed)
        body = unpack(sent, encoding)
        row = keeping.keep(
            workspace, format=format_, media_type=media_type, body=body,
            packed=sent if encoding else None, key_id=None, idempotency="", digest="",
        )  # fmt: skip
        rows.append(row.pk)
    # Its time is over: the worker takes them from here on.
    InboxPayload.objects.filter(pk__in=rows).update(next_at=clock.now())
    return len(rows)


def settled(slug: str, *, seconds: float) -> dict[str, Any]:
    """`report`, `keys` and `payloads` of a workspace once nothing of it waits any more.

    The time is over that dead processes had for their payloads and for their requests; the rest is
    left to the product.
    """
    import time

    from lineage.cases.epoch import BATCH_IS_DEAD_AFTER
    from lineage.models import ApplyBatch, InboxPayload
    from provexplorer import clock

    dead = ApplyBatch.objects.filter(workspace__slug=slug)
    dead.update(started_at=clock.now() - BATCH_IS_DEAD_AFTER)
    InboxPayload.objects.filter(workspace__slug=slug, state="received").update(next_at=clock.now())
    end = time.monotonic() + seconds
    while (payloads(slug).get("received") or behind(slug)) and time.monotonic() < end:
        time.sleep(0.2)
    waiting = {"payloads": payloads(slug), "left": behind(slug), "keys": keys(slug)}
    return waiting | report(slug)


def keys(slug: str) -> list[tuple[str, str, int]]:
    """(kind, key, how many nodes) of a workspace."""
    from django.db.models import Count

    from lineage.models import Node

    counted = (
        Node.objects.filter(workspace__slug=slug).values("kind", "key").annotate(many=Count("pk"))
    )
    return list(counted.order_by("kind", "key").values_list("kind", "key", "many"))


def deliver(uid: str, *, times: int) -> None:
    """Send the message of a case's propagation again."""
    from lineage.models import Case
    from provexplorer.celery import app

    case_id = Case.objects.get(uid=uid).pk
    for _ in range(times):
        app.send_task("lineage.propagate_case", kwargs={"case_id": case_id})


def effects(uid: str) -> dict[str, int]:
    """What a case has done: rows and the answers that they are of, edges and the answers that they leave."""
    from lineage.models import AnswerEffect

    rows = AnswerEffect.objects.filter(case__uid=uid)
    edges = case_edges(uid)
    return {
        "rows": rows.count(),
        "answers": rows.values("answer").distinct().count(),
        "open": rows.filter(ended_at__isnull=True).count(),
        "edges": len(edges),
        "ends": len({edge["from"] for edge in edges}),
    }


def anchors(namespace: str) -> dict[str, str]:
    """Key → how its interval was verified, of the chunks of a namespace."""
    from lineage.models import Node

    chunks = Node.objects.filter(kind="chunk", namespace=namespace).order_by("key")
    return dict(chunks.values_list("key", "anchor"))


def case_id(uid: str) -> int:
    """The id by which tasks name a case."""
    from lineage.models import Case

    return Case.objects.get(uid=uid).pk


def hold(slug: str, records: str, filed: list[Any]) -> str:
    """Assert what must hold whatever failed (tests/faults/invariants.py); `records`: the file that has them."""
    import time

    from lineage.models import TaskOutbox
    from provexplorer.workspaces.models import Workspace
    from tests.faults.invariants import Filed, assert_invariants

    cases = [Filed(uid, kind, tuple((k, key) for k, key in on)) for uid, kind, on in filed]
    sent = json.loads(Path(records).read_text(encoding="utf-8"))
    assert_invariants(Workspace.objects.get(slug=slug), sent, cases)
    # Each task that was asked for has told that it is done, or waits to be sent again.
    undone = TaskOutbox.objects.filter(name="lineage.propagate_case", again_at__isnull=False)
    end = time.monotonic() + 60
    while undone.exists():
        assert time.monotonic() < end, list(undone.values("sends", "arguments", "again_at"))
        time.sleep(0.2)
    return "all of them"
