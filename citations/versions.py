"""The versions of a work whose texts can be compared.

A version that the viewer may not see, or whose text a case hides, is never among them: it is
neither compared nor counted.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from citations.hidden_parts import without_hidden_parts
from citations.marks import Span
from citations.stated import stated
from lineage.cases.register import passage_hidden, withdrawals_of
from lineage.content.passages import place_of, texts_of
from lineage.models import Node
from lineage.nodes.find import find
from lineage.nodes.newest_version import newest_first, stated_date
from lineage.nodes.visible import visible
from lineage.types import Moved, NotFound, Viewer

# Versions of one work that are read, the latest recorded first; documents of all of them.
MOST_VERSIONS: Final = 1_000
_MOST_DOCUMENTS: Final = 5_000
# Code points of a version that are compared.
MOST_TEXT: Final = 2_000_000
# Between the documents of one version.
_BREAK: Final = "\n\n"


@dataclass(frozen=True, slots=True)
class Version:
    """A version as a list names it: the word it has for itself, and the date that it states.

    `source_uid` only where it is named outside of the page of its work.
    """

    uid: str
    name: str | None
    at: str | None
    source_uid: str = ""


@dataclass(frozen=True, slots=True)
class DocumentPlace:
    """A document of a version, and where its text begins in that of the version."""

    uid: str
    start: int


@dataclass(frozen=True, slots=True)
class Held:
    """A version whose text may be read, with the documents that have it (else its own)."""

    version: Node
    documents: tuple[Node, ...]

    @property
    def told(self) -> Version:
        return version_of(self.version)


@dataclass(frozen=True, slots=True)
class VersionText:
    """The text of a version: its documents one after another, by node id with where each begins.

    `cut`: it goes on beyond MOST_TEXT.
    """

    text: str
    starts: tuple[tuple[int, int], ...]
    cut: bool

    def place(self, passage: Node) -> Span | None:
        """Where a passage of one of the documents stands."""
        place = place_of(passage)
        for pk, start in self.starts:
            if place is not None and pk == passage.parent_id:
                return Span(start + place[0], start + place[1])
        return None


def versions_of(viewer: Viewer, source: Node) -> list[Node]:
    """The versions of a work, hidden ones too, newest first."""
    found = Node.objects.filter(
        workspace_id=viewer.workspace_id, parent_id=source.pk, kind="source_version"
    )
    return newest_first(list(found.order_by("-pk")[:MOST_VERSIONS]))


def version_of(version: Node) -> Version:
    """How a list names a version that the viewer may see."""
    sighted = version.occurred_at.isoformat() if version.occurred_at else None
    return Version(
        version.uid, stated(version.fields.get("version")), stated_date(version) or sighted
    )


def comparable(viewer: Viewer, versions: Sequence[Node]) -> list[Held]:
    """Those of these versions whose text the viewer may read and that have one, in their order."""
    ids = [version.pk for version in versions]
    if not ids:
        return []
    rows = (
        Node.objects.filter(
            workspace_id=viewer.workspace_id, parent_id__in=ids, kind="document"
        ).order_by("pk")[:_MOST_DOCUMENTS]
    )  # fmt: skip
    documents = list(rows)
    every = [*versions, *documents]
    seen = visible(viewer, every)
    cases = withdrawals_of(viewer.workspace_id, [node.pk for node in every])
    open_to = {n.pk for n in every if seen[n.pk] and passage_hidden(cases.get(n.pk, ())) is None}
    by_version: dict[int | None, list[Node]] = defaultdict(list)
    for document in documents:
        by_version[document.parent_id].append(document)
    held = []
    for version in versions:
        own = by_version.get(version.pk, [])
        readable = tuple(each for each in own if each.has_text and each.pk in open_to)
        # A text of the version's own would tell what is hidden of its documents.
        if version.pk in open_to and (readable or (version.has_text and not own)):
            held.append(Held(version, readable))
    return held


def text_of(viewer: Viewer, held: Held) -> VersionText | None:
    """The text of a version, with what a case hides of it masked; None where it is not held."""
    nodes = held.documents or (held.version,)
    texts = without_hidden_parts(viewer, nodes, texts_of(nodes, workspace=viewer))
    parts: list[str] = []
    starts: list[tuple[int, int]] = []
    length = 0
    for node in nodes:
        text = texts.get(node.pk)
        if text is None or text in parts:
            continue
        starts.append((node.pk, length))
        parts.append(text)
        length += len(text) + len(_BREAK)
    if not parts:
        return None
    text = _BREAK.join(parts)
    return VersionText(text[:MOST_TEXT], tuple(starts), len(text) > MOST_TEXT)


def _by_id(viewer: Viewer, pk: int | None) -> Node | None:
    return Node.objects.filter(workspace_id=viewer.workspace_id, pk=pk or 0).first()


def newest_that_stays(viewer: Viewer, uid: str) -> Version | None:
    """The newest version of the same work whose text may still be read; None where there is none.

    For the tombstone of a version, or of what was made of one. Nothing is told of the work
    where it is erased itself.
    """
    try:
        node = find(viewer, uid)
    except (NotFound, Moved):
        return None
    version = node if node.kind == "source_version" else _by_id(viewer, node.version_id)
    source = _by_id(viewer, version.parent_id) if version is not None else None
    if source is None or not visible(viewer, [node, source])[source.pk]:
        return None
    held = comparable(viewer, versions_of(viewer, source))
    others = (each.told for each in held if version is None or each.version.pk != version.pk)
    newest = next(others, None)
    return replace(newest, source_uid=source.uid) if newest is not None else None
