"""A process that changes a small lineage at random and projects it, against others like it.

`python -m tests.graph.contender WORKSPACE SEED ROUNDS`, on the databases and the
graph that the environment names. With ROUNDS 0 it makes the lineage; test_contention
starts several at once and kills some.
"""

import random
import sys
import time
from typing import Any
from unittest.mock import patch

import django

django.setup()

from django.db import transaction  # noqa: E402 - after the setup

from lineage.graph.dirty import mark_dirty  # noqa: E402
from lineage.graph.projection import project  # noqa: E402
from lineage.graph.state import read_edges  # noqa: E402
from lineage.identifiers import address_of  # noqa: E402
from lineage.models import Node, Reference, UidAlias  # noqa: E402
from lineage.vocabulary import Edge  # noqa: E402
from provexplorer.workspaces.models import Workspace  # noqa: E402
from tests.graph.builder import Lineage  # noqa: E402


def make(workspace: Workspace) -> None:
    """Two documents, and chunks that may be derived from either."""
    lineage = Lineage(workspace)
    documents = [lineage.node("document", f"d{number}") for number in range(2)]
    for number in range(6):
        chunk = lineage.node("chunk", f"c{number}")
        lineage.edge(chunk, Edge.WAS_DERIVED_FROM, documents[0], relation="document")


def change(workspace: Workspace, chance: random.Random) -> list[int]:
    """Settle a document, re-bind a chunk, or change a number; gives the ids of what changed."""
    nodes = Node.objects.filter(workspace=workspace)
    with transaction.atomic():
        documents = list(nodes.filter(kind="document").order_by("key"))
        chunk = chance.choice(list(nodes.filter(kind="chunk").order_by("key")))
        what = chance.randrange(3)
        if what == 0:
            document = chance.choice(documents)
            UidAlias.objects.get_or_create(
                uid=document.uid, defaults={"workspace": workspace, "node": document}
            )
            fresh = f"{document.key}-{chance.random()}"
            document.uid = address_of(workspace.hash_key, "document", "", fresh)
            document.save(update_fields=["uid"])
            # The edges that lead to it are others now.
            pointing = Reference.objects.filter(to_node=document, from_node__isnull=False)
            changed = [document.pk, *pointing.values_list("from_node_id", flat=True)]
        elif what == 1:
            Reference.objects.filter(from_node=chunk).update(to_node=chance.choice(documents))
            changed = [chunk.pk]
        else:
            chunk.start, chunk.end = 0, chance.randrange(1000)
            chunk.save(update_fields=["start", "end"])
            changed = [chunk.pk]
        mark_dirty(workspace.pk, changed)
    return changed


def dawdle(chance: random.Random) -> None:
    """Leave time between reading and writing, so that another may come in between."""

    def read_and_wait(*arguments: Any, **named: Any) -> Any:
        found = read_edges(*arguments, **named)
        time.sleep(chance.random() * 0.1)
        return found

    patch("lineage.graph.projection.read_edges", read_and_wait).start()


def main(slug: str, seed: int, rounds: int) -> None:
    workspace, _ = Workspace.objects.get_or_create(slug=slug, defaults={"name": slug})
    if not rounds:
        make(workspace)
    chance = random.Random(seed)
    for _ in range(rounds):
        changed = change(workspace, chance)
        project(workspace.pk, chance.choice([changed, None]))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
