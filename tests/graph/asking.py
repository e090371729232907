"""Questions of the tests, asked of the graph after everything marked has been projected; by key."""

from lineage.graph.projection import project
from lineage.graph.walk import Walk, answers_downstream, downstream, upstream
from lineage.models import Node
from tests.graph.builder import Lineage


def keys(lineage: Lineage, walk: Walk) -> set[str]:
    nodes = Node.objects.filter(workspace=lineage.workspace, uid__in=walk.uids)
    return set(nodes.values_list("key", flat=True))


def up(lineage: Lineage, node: Node) -> set[str]:
    project(lineage.workspace.pk)
    walk = upstream(lineage.workspace.pk, node.uid)
    assert not walk.truncated
    return keys(lineage, walk)


def down(lineage: Lineage, node: Node) -> set[str]:
    project(lineage.workspace.pk)
    walk = downstream(lineage.workspace.pk, node.uid)
    assert not walk.truncated
    return keys(lineage, walk)


def answers(lineage: Lineage, node: Node) -> dict[str, str]:
    project(lineage.workspace.pk)
    found = answers_downstream(lineage.workspace.pk, node.uid)
    assert not found.truncated
    of_uid = dict(Node.objects.filter(workspace=lineage.workspace).values_list("uid", "key"))
    return {of_uid[uid]: grade.word for uid, grade in found.grades.items()}
