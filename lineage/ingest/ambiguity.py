"""Two chunks that claim the same interval of a text that occurs more than once: one of them must be wrong."""

from collections.abc import Collection
from typing import TypeAlias

from lineage.compiled import by_their_ids
from lineage.content.passages import texts_of
from lineage.ingest.keys import PARKED, in_chunks
from lineage.ingest.touched import Touched
from lineage.models import Node
from lineage.vocabulary import Anchor
from provexplorer.workspaces.models import Workspace

_FLAG = {
    "code": "interval_ambiguous",
    "pointer": "/interval",
    "detail": "Another chunk has the same interval, and its text occurs more than once.",
}

Place: TypeAlias = tuple[int, int, int]


def flag_ambiguous_intervals(workspace: Workspace, touched: Touched) -> set[int]:
    """Flag the chunks that share a place with a touched one; the ids of those whose flags changed.

    Splitters that look a repeated text up by its first occurrence give every
    repetition the same interval.
    """
    vacated = {
        (parent, start, end) for kind, parent, start, end in touched.vacated if kind == "chunk"
    }
    places: dict[Place, list[int]] = {place: [] for place in vacated}
    flagged: set[int] = set()
    for pk in touched.changed:
        node = touched.nodes.get(pk)
        if node is None or node.kind != "chunk":
            continue
        if node.anchor == Anchor.EXACT:
            places[node.parent_id or 0, node.start or 0, node.end or 0] = []
        if _FLAG in node.flags:
            flagged.add(pk)
    starts = {start for _, start, _ in places}
    for chunk in in_chunks({parent for parent, _, _ in places}):
        for some in in_chunks(starts):
            for pk, parent, start, end in (
                by_their_ids(Node.objects.filter(parent_id__in=chunk, start__in=some), workspace.pk)
                .filter(kind="chunk", resolved=True, anchor=Anchor.EXACT)
                .exclude(uid__startswith=PARKED)
                .order_by("pk")
                .values_list("pk", "parent_id", "start", "end")
            ):
                place = (parent or 0, start or 0, end or 0)
                if place in places:
                    places[place].append(pk)
    shared = [place for place, pks in places.items() if len(pks) > 1]
    wanted = {pk for place in _repeated(shared) for pk in places[place]}
    reviewed = flagged | {pk for place in (*shared, *vacated) for pk in places[place]}
    changed: list[Node] = []
    for chunk in in_chunks(reviewed):
        for node in Node.objects.filter(pk__in=chunk).order_by("pk"):
            flags = [flag for flag in node.flags if flag != _FLAG]
            if node.pk in wanted:
                flags.append(_FLAG)
            if flags != node.flags:
                node.flags = flags
                changed.append(node)
    Node.objects.bulk_update(changed, ["flags"], batch_size=200)
    return {node.pk for node in changed}


def _repeated(places: Collection[Place]) -> list[Place]:
    """The places whose text stands elsewhere in the document, too."""
    documents = Node.objects.in_bulk({parent for parent, _, _ in places})
    texts = texts_of(list(documents.values()))
    found: list[Place] = []
    for parent, start, end in places:
        text = texts.get(parent, "")
        passage = text[start:end]
        if passage and (text.find(passage) != start or text.find(passage, start + 1) >= 0):
            found.append((parent, start, end))
    return found
