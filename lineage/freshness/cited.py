"""Which passages of a source are cited, and whether what was read is a form of what they stand in."""

from collections.abc import Collection
from typing import Final

from django.db.models import Exists, OuterRef, QuerySet

from lineage.content.locate import locate
from lineage.content.passages import texts_of
from lineage.models import Node, Reference
from lineage.types import Viewer
from lineage.vocabulary import Anchor, Edge

# Passages that are looked for, and the shortest that counts: shorter ones stand anywhere.
_TRIED: Final = 40
_LEAST: Final = 24
_FOUND: Final = frozenset({Anchor.EXACT, Anchor.NORMALISED, Anchor.AMBIGUOUS})


def cited_passages(workspace_id: int, source_ids: Collection[int]) -> "QuerySet[Node]":
    """The chunks and facts of these sources that citations quote, each once, by id.

    The versions are named: where PostgreSQL may begin with the citations it does so before it
    has statistics, and reads those of all sources for each.
    """
    versions = Node.objects.filter(
        workspace_id=workspace_id, kind="source_version", parent_id__in=source_ids
    )
    quoted = Reference.objects.filter(to_node_id=OuterRef("pk"), edge=Edge.WAS_QUOTED_FROM)
    passages = Node.objects.filter(version_id__in=list(versions.values_list("pk", flat=True)))
    return passages.filter(Exists(quoted.filter(workspace_id=workspace_id))).order_by("pk")


def cited_of(workspace_id: int, source_ids: Collection[int]) -> set[int]:
    """Those of the sources that have cited passages."""
    found = cited_passages(workspace_id, source_ids).order_by()
    return {pk for pk in found.values_list("version__parent_id", flat=True).distinct() if pk}


def unjudged(workspace_id: int, source_ids: Collection[int]) -> set[int]:
    """Those of the sources that have cited passages of which nobody knows what became of them."""
    if not source_ids:
        return set()
    waiting = cited_passages(workspace_id, source_ids).filter(fresh__isnull=True)
    found = waiting.order_by().values_list("version__parent_id", flat=True).distinct()
    return {pk for pk in found if pk is not None}


def is_form_of(viewer: Viewer, source: Node, text: str) -> bool:
    """Whether a text has any passage of the source: cited ones first, else whichever are known.

    A page about a work has none of its passages, and neither has a sign-in page that is not
    known to be one. Then nothing can be said of what has become of them.
    """
    cited = list(cited_passages(viewer.workspace_id, [source.pk])[:_TRIED])
    chunks = Node.objects.filter(
        workspace_id=viewer.workspace_id, version__parent_id=source.pk, kind="chunk"
    )
    tried = cited or list(chunks.order_by("pk")[:_TRIED])
    passages = [each.parent if each.kind == "fact" else each for each in tried]
    texts = texts_of([each for each in passages if each is not None], workspace=viewer).values()
    long = [each.strip() for each in texts if len(each.strip()) >= _LEAST]
    return any(locate(text, each).anchor in _FOUND for each in long)
