"""Passages to read, whether an answer cites them or not: a chunk in its place, a context, a document."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from citations.anchoring import surroundings
from citations.bibliography import bibliography_of
from citations.freshness import NO_LOOKS, Looks, looks_at
from citations.hidden_parts import without_hidden_parts
from citations.marks import Piece, pieces_of
from citations.stated import stated
from citations.status import HIDDEN, UNKNOWN, Status, status_of
from citations.upstream import Upstream, upstream_of
from lineage.cases.register import Active, passage_hidden, withdrawals_of
from lineage.content.passages import place_of, texts_of
from lineage.models import Node
from lineage.nodes.find import find
from lineage.nodes.states import node_states
from lineage.nodes.visible import visible
from lineage.types import Erased, NotFound, Viewer
from lineage.vocabulary import Edge
from provexplorer.workspaces.audit.reads import note_hidden

READ_KINDS: Final = frozenset({"chunk", "fact", "part", "document", "context"})
# Passages of a context, and code points of a document, on one page.
MOST_PASSAGES: Final = 200
PAGE_LENGTH: Final = 8_000
_SLICES: Final = frozenset({"chunk", "part"})
# Uids of what an erasure takes with its metadata.
_WORKS: Final = ("src_", "srv_")


@dataclass(frozen=True, slots=True)
class ReadPassage:
    """A text with what it is from. `withheld` says why there is none: "access", a kind of
    case, "unavailable" (not held here), or None.

    `position` is that in the context. The neighbours are at most 300 code points each;
    `more_before` and `more_after`: the document goes on beyond what is shown.
    """

    uid: str
    kind: str
    position: int | None
    truncated: bool
    title: str | None
    source_uid: str | None
    document_uid: str | None
    status: Status
    withheld: str | None
    language: str | None
    pieces: tuple[Piece, ...]
    before: tuple[Piece, ...]
    after: tuple[Piece, ...]
    more_before: bool
    more_after: bool


@dataclass(frozen=True, slots=True)
class PassagePage:
    """The passages of a node, in order. `resolved` False: the node was named but never sent.

    Of a document, `start` and `end` are the code points shown of its `length`, `earlier` and
    `later` where the pages before and after begin; all None for other kinds.
    """

    uid: str
    kind: str
    resolved: bool
    passages: tuple[ReadPassage, ...]
    total: int
    start: int | None = None
    end: int | None = None
    length: int | None = None
    earlier: int | None = None
    later: int | None = None


def passage_page(viewer: Viewer, uid: str, start: int = 0) -> PassagePage:
    """The text of a chunk, fact, part or document, or all that a context gave to the model.

    `start` is the code point at which the page of a document begins; beyond its end the
    last page is shown. Raises lineage.types.NotFound for an unknown or foreign uid and for
    kinds that are no passages, Moved for an alias, and Erased, with the tombstone.
    """
    root = find(viewer, uid)
    if root.kind not in READ_KINDS:
        raise NotFound(uid)
    erasure = node_states(viewer.workspace_id, [root])[root.pk].erasure
    if erasure is not None:
        raise Erased(root.uid, erasure.case_kind, erasure.at, erasure.case_uid)
    upstream = upstream_of(viewer.workspace_id, [root], all_given=root.kind == "context")
    rows = upstream.rows(root.pk, Edge.INCLUDED) if root.kind == "context" else []
    rows = sorted(rows, key=lambda row: _position(row.properties.get("position")) or 0)
    given = [upstream.nodes[row.to_id] for row in rows if row.to_id in upstream.nodes]
    shelf = _shelf(viewer, upstream, given[:MOST_PASSAGES] if rows else [root])
    if not shelf.seen.get(root.pk, True):
        note_hidden(viewer, root.uid)
    if root.kind == "document":
        return _document(shelf, root, start)
    if root.kind != "context":
        return PassagePage(root.uid, root.kind, root.resolved, (_passage(shelf, root),), 1)
    passages = tuple(
        _passage(
            shelf,
            upstream.nodes[row.to_id],
            position=_position(row.properties.get("position")),
            truncated=row.properties.get("truncated") is True,
            with_neighbours=False,
        )
        for row in rows[:MOST_PASSAGES]
        if row.to_id in upstream.nodes
    )
    return PassagePage(root.uid, root.kind, root.resolved, passages, len(rows))


@dataclass(frozen=True, slots=True)
class _Shelf:
    """What the passages of one page need, by node id."""

    upstream: Upstream
    seen: dict[int, bool]
    cases: dict[int, list[Active]]
    texts: dict[int, str]
    looks: Looks = NO_LOOKS

    def hiding(self, node: Node) -> Active | None:
        return passage_hidden(self.cases.get(node.pk, ()))


def _shelf(viewer: Viewer, upstream: Upstream, nodes: Sequence[Node]) -> _Shelf:
    """Texts of what the viewer may not see, or a case hides, are not read."""
    documents = [each for node in nodes if (each := _document_of(upstream, node)) is not None]
    every = {node.pk: node for node in (*nodes, *documents)}
    seen = visible(viewer, list(every.values()))
    cases = withdrawals_of(viewer.workspace_id, list(every))
    shelf = _Shelf(upstream, seen, cases, {})
    readable = [n for n in every.values() if seen[n.pk] and shelf.hiding(n) is None]
    texts = texts_of(readable, workspace=viewer)
    slices = [node for node in readable if node.kind in _SLICES]
    texts = without_hidden_parts(viewer, documents, texts, slices)
    sources = {
        each.pk for node in every.values() if (each := _source_of(upstream, node)) is not None
    }
    return _Shelf(upstream, seen, cases, texts, looks_at(viewer.workspace_id, sources, list(every)))


def _version_of(upstream: Upstream, node: Node) -> Node | None:
    document = _document_of(upstream, node)
    return upstream.parent(document, "source_version") or upstream.nodes.get(node.version_id or 0)


def _source_of(upstream: Upstream, node: Node) -> Node | None:
    return upstream.parent(_version_of(upstream, node), "source")


def _document_of(upstream: Upstream, node: Node) -> Node | None:
    return node if node.kind == "document" else upstream.parent(node, "document")


def _passage(
    shelf: _Shelf, node: Node, *, position: int | None = None, truncated: bool = False,
    with_neighbours: bool = True,
) -> ReadPassage:  # fmt: skip
    text = shelf.texts.get(node.pk)
    document = _document_of(shelf.upstream, node)
    whole = shelf.texts.get(document.pk) if document is not None and with_neighbours else None
    place = place_of(node) if node.kind in _SLICES else None
    around = surroundings(text or "", whole, place)
    return _told(
        shelf, node, position=position, truncated=truncated, text=text,
        before=around.before, after=around.after,
        more=(around.more_before, around.more_after),
    )  # fmt: skip


def _document(shelf: _Shelf, root: Node, start: int) -> PassagePage:
    text = shelf.texts.get(root.pk)
    length = len(text or "")
    first = max(0, min(start, max(0, length - 1)))
    last = min(length, first + PAGE_LENGTH)
    shown = text[first:last] if text is not None else None
    more = (first > 0, last < length)
    passage = _told(
        shelf, root, position=None, truncated=False, text=shown, before="", after="", more=more
    )
    if text is None:
        return PassagePage(root.uid, root.kind, root.resolved, (passage,), 1)
    return PassagePage(
        root.uid, root.kind, root.resolved, (passage,), 1,
        start=first, end=last, length=length,
        earlier=max(0, first - PAGE_LENGTH) if more[0] else None,
        later=last if more[1] else None,
    )  # fmt: skip


def _told(
    shelf: _Shelf, node: Node, *, position: int | None, truncated: bool, text: str | None,
    before: str, after: str, more: tuple[bool, bool],
) -> ReadPassage:  # fmt: skip
    upstream = shelf.upstream
    hidden, hiding = not shelf.seen[node.pk], shelf.hiding(node)
    cases = shelf.cases.get(node.pk, ())
    document = _document_of(upstream, node)
    version, source = _version_of(upstream, node), _source_of(upstream, node)
    known = version is not None or source is not None
    gone = any(c.case_kind == "erasure" and c.node_uid.startswith(_WORKS) for c in cases)
    book = bibliography_of(version, source, upstream) if known and not hidden and not gone else None
    withheld = "access" if hidden else hiding.case_kind if hiding is not None else None
    if withheld is None and text is None:
        withheld = "unavailable"
    status = HIDDEN if hidden else status_of(cases) if known or cases else UNKNOWN
    if source is not None and not hidden:
        status = shelf.looks.of_passage(status, source.pk, node.pk)
    return ReadPassage(
        uid=node.uid,
        kind=node.kind,
        position=position,
        truncated=truncated,
        title=book.title if book else None,
        source_uid=source.uid if source is not None else None,
        document_uid=document.uid if document is not None else None,
        status=status,
        withheld=withheld,
        language=stated(document.fields.get("language")) if document is not None else None,
        pieces=pieces_of(text or "") if withheld is None else (),
        before=pieces_of(before) if withheld is None else (),
        after=pieces_of(after) if withheld is None else (),
        more_before=more[0],
        more_after=more[1],
    )


def _position(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
