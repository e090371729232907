"""What a case hides of a part of a document, masked wherever the document's text is shown."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from django.db.models import Exists, OuterRef

from citations.marks import Span
from citations.masking import masked, merged
from lineage.cases.effects import HIDES_PASSAGE
from lineage.cases.register import active, has_active
from lineage.content.passages import place_of
from lineage.models import Node, Withdrawal
from lineage.types import Viewer
from provexplorer import clock

_SLICES: Final = frozenset({"chunk", "part"})


def without_hidden_parts(
    viewer: Viewer,
    documents: Sequence[Node],
    texts: dict[int, str],
    slices: Sequence[Node] = (),
) -> dict[int, str]:
    """The texts, masked where a revoked or erased passage stands in a document or in one of its slices.

    Neighbours of a passage and passages that overlap it come from the same document. A
    hidden part whose place is not known takes the whole document away: it may be anywhere.
    One query where no case is in effect, two otherwise.
    """
    ids = [document.pk for document in documents if document.pk in texts]
    if not ids or not has_active(viewer.workspace_id):
        return texts
    parts = (
        Node.objects.filter(
            Exists(
                Withdrawal.objects.filter(
                    active(clock.now()), node=OuterRef("pk"), case__kind__in=HIDES_PASSAGE
                )
            ),
            workspace_id=viewer.workspace_id,
            parent_id__in=ids,
            kind__in=_SLICES,
        )
        .only("pk", "parent_id", "start", "end", "anchor", "kind")
        .order_by("parent_id", "pk")
    )
    spans: dict[int, list[Span]] = defaultdict(list)
    kept = dict(texts)
    for part in parts:
        place = place_of(part)
        if place is None:
            kept.pop(part.parent_id or 0, None)
        else:
            spans[part.parent_id or 0].append(Span(*place))
    for pk, some in spans.items():
        if pk in kept:
            kept[pk] = masked(kept[pk], merged(some))
    for node in slices:
        place = place_of(node)
        if node.pk in kept and place is not None and node.parent_id in spans:
            inside = [
                Span(span.start - place[0], span.end - place[0])
                for span in spans[node.parent_id]
                if span.start < place[1] and place[0] < span.end
            ]
            kept[node.pk] = masked(kept[node.pk], merged(inside))
    return kept
