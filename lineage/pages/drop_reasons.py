"""Why answers that only retrieved something were never given it."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from lineage.identifiers import kind_of_uid
from lineage.impact.report import ImpactItem
from lineage.models import Reference
from lineage.types import Viewer
from lineage.vocabulary import Edge

_MOST: Final = 1_000
# Where a retrieval states no reason: it is not among what the model was given.
NOT_IN_CONTEXT: Final = "not_in_context"


def drop_reasons(viewer: Viewer, items: Sequence[ImpactItem]) -> dict[str, str]:
    """The stated reason, by the answer's uid, of those that retrieved and dropped; one query."""
    pairs = {item.uid: pair for item in items if (pair := _retrieved(item)) is not None}
    if not pairs:
        return {}
    rows = Reference.objects.filter(
        workspace_id=viewer.workspace_id,
        edge=Edge.RETRIEVED,
        from_node__uid__in={retrieval for _, retrieval in pairs.values()},
        to_node__uid__in={passage for passage, _ in pairs.values()},
    ).order_by("pk")
    stated = {
        (passage, retrieval): properties.get("drop_reason")
        for passage, retrieval, properties in rows.values_list(
            "to_node__uid", "from_node__uid", "properties"
        )[:_MOST]
    }
    return {uid: str(stated.get(pair) or NOT_IN_CONTEXT) for uid, pair in pairs.items()}


def _retrieved(item: ImpactItem) -> tuple[str, str] | None:
    """The passage and the retrieval of a chain that ends in a mere retrieval."""
    if "retrieved" not in (item.grade, item.origin_grade):
        return None
    for passage, retrieval in pairwise(item.because):
        kind = kind_of_uid(retrieval)
        if kind is not None and kind.name == "retrieval":
            return passage, retrieval
    return None
