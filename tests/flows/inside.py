"""Run inside an installation (`manage shell`): workspaces with a fixed key, dumps, and their removal."""

import hashlib
import json

from lineage.graph import projection
from lineage.graph.dump import dump
from lineage.models import GraphDirty, Node, Reference, RestsOn
from provexplorer.workspaces.models import Workspace

# The same key for every loading, so that the same records have the same uids.
KEY = "c0" * 32


def make(slug: str) -> None:
    """A workspace with the fixed key."""
    Workspace.objects.create(slug=slug, name=slug, uid_key=KEY)


def report(slug: str) -> None:
    """Print what the graph and the closure hold, as JSON, after the projection has caught up."""
    workspace = Workspace.objects.get(slug=slug)
    projection.project(workspace.pk)
    nodes, edges = dump(workspace.pk)
    closure = sorted(
        RestsOn.objects.filter(answer__workspace=workspace).values_list(
            "answer__uid", "target__uid", "grade", "origin_grade"
        )
    )
    told = {
        "nodes": [repr(node) for node in nodes],
        "edges": [repr(edge) for edge in edges],
        "closure": hashlib.sha256(repr(closure).encode()).hexdigest(),
        "rows": len(closure),
        "behind": GraphDirty.objects.filter(workspace=workspace).count(),
        "relational_nodes": Node.objects.filter(workspace=workspace).count(),
        "relational_edges": Reference.objects.filter(
            workspace=workspace, from_node__isnull=False, to_node__isnull=False
        ).exclude(edge="").values("from_node", "edge", "to_node", "properties__role").distinct().count(),
    }  # fmt: skip
    print(json.dumps(told))


def remove(slug: str) -> None:
    """Take the workspace out of both stores, so that another may have its key."""
    workspace = Workspace.objects.get(slug=slug)
    uids = list(Node.objects.filter(workspace=workspace).values_list("uid", flat=True))
    projection.retire(workspace.pk, uids)
    Node.objects.filter(workspace=workspace).update(parent=None, owner=None, version=None)
    workspace.delete()
