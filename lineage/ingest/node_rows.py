"""What a node's row holds, from its sightings and its place; and its texts, under its owner's key."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from lineage.content.intervals import verify
from lineage.content.passages import texts_of
from lineage.content.store import OwnedText, forget_texts, read_texts, store_texts
from lineage.content.tombstones import ERASED
from lineage.identifiers import settled_uid, text_digest
from lineage.ingest.labels import label_of
from lineage.ingest.revisions import Group, Merged
from lineage.models import Node, Sighting
from lineage.types import Interval
from lineage.vocabulary import KINDS, Anchor
from provexplorer.workspaces.models import Workspace

# Kinds whose interval lies in the text of their parent.
WITHIN_PARENT = frozenset({"part", "chunk", "claim"})
# Kinds whose texts are kept under the key of the node that owns their parent's.
_OWNED_BY_PARENT = frozenset(
    {"document", "part", "chunk", "fact", "embedding", "claim", "citation"}
)
# Warnings that follow from bindings and neighbours, kept by the steps after this one.
LATER_CODES = frozenset({"unresolved_reference", "citation_outside_context", "interval_ambiguous"})

# That the key names another revision, too.
KEY_REUSED = "key_reused"

COLUMNS = [
    "uid", "owner_id", "version_id", "resolved", "provisional", "digest", "has_text", "start",
    "end", "anchor", "parent_id", "label", "occurred_at", "fields", "attributes", "flags",
]  # fmt: skip


@dataclass(slots=True)
class Row:
    """A node with the sightings it stands for; `later`: not the first revision of its key.

    `gone_on`: its own sightings are stood in for by the node itself (lineage.ingest.going_on).
    """

    node: Node
    group: Group
    merged: Merged
    parent: Node | None
    later: bool
    gone_on: bool = False


def state(node: Node) -> tuple[Any, ...]:
    """What the node says, to tell whether it has changed."""
    return tuple(getattr(node, name) for name in COLUMNS)


def matters_to_children(node: Node) -> tuple[Any, ...]:
    """What the nodes that have their place in this one depend on."""
    return (
        node.uid, node.owner_id, node.version_id, node.resolved, node.provisional,
        str(node.fields.get("text")), node.has_text,
    )  # fmt: skip


def unsay(node: Node) -> None:
    """Make it what a placeholder of its key is: nothing is said of it."""
    node.uid = node.address
    node.owner_id = node.version_id = node.parent_id = None
    node.resolved, node.provisional = False, True
    node.digest = node.label = node.anchor = ""
    node.occurred_at = node.event_at = node.start = node.end = None
    node.has_text = False
    node.fields, node.attributes, node.flags = {}, {}, []


def interval_of(fields: Mapping[str, Any]) -> Interval | None:
    """The interval of a record as sent."""
    sent = fields.get("$interval")
    return Interval(**sent) if sent else None


def markers(fields: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """(field, digest) of every text that the fields stand for."""
    for name, value in fields.items():
        for one in value if isinstance(value, list) else (value,):
            if isinstance(one, dict) and "$text" in one:
                yield name, str(one["$text"])


class ParentTexts:
    """Texts that intervals lie in: of this request where they are in it, else of the content store."""

    def __init__(self, request_texts: Mapping[str, str]) -> None:
        self._request = request_texts
        self._known: dict[int, str | None] = {}

    def load(self, nodes: Sequence[Node]) -> None:
        """Read the texts of these nodes with one query."""
        wanted = [node for node in nodes if node.pk not in self._known]
        stored: list[Node] = []
        for node in wanted:
            marker = node.fields.get("text")
            digest = marker["$text"] if marker else ""
            self._known[node.pk] = self._request.get(digest)
            if self._known[node.pk] is None and marker:
                stored.append(node)
        if stored:
            self._known.update(texts_of(stored))

    def of(self, node: Node | None) -> str | None:
        """The text of a loaded node; None where it is unknown."""
        return self._known.get(node.pk) if node is not None and node.resolved else None

    def forget(self, nodes: Sequence[Node]) -> None:
        """These nodes have changed."""
        for node in nodes:
            self._known.pop(node.pk, None)

    def slice_digest(self, fields: Mapping[str, Any], parent: Node) -> str:
        """Digest of an interval in its parent: of its text where known, else of the interval itself."""
        interval = interval_of(fields)
        if interval is None or not parent.resolved:
            return ""
        text = self.of(parent)
        verified = verify(text, interval, None)
        if (
            text is not None
            and verified.start is not None
            and verified.anchor is not Anchor.UNVERIFIABLE
        ):
            return text_digest(text[verified.start : verified.end])
        if not parent.digest:
            return ""
        return text_digest(f"interval {interval.start} {interval.end} {interval.unit}")


class RowFiller:
    """Fills rows of one request."""

    def __init__(
        self, workspace: Workspace, request_texts: Mapping[str, str], texts: ParentTexts
    ) -> None:
        self._workspace = workspace
        self._request = request_texts
        self._texts = texts
        self._to_store: list[OwnedText] = []
        # Texts by digest that were slices of a place which is theirs no more.
        self._taken_along: dict[str, str] = {}
        # The texts of nodes before they are filled anew, by node id.
        self._quotes: dict[int, str] = {}

    def fill(self, kind: str, row: Row) -> None:
        """Everything of the node that follows from its sightings and its place."""
        node, merged, parent = row.node, row.merged, row.parent
        has_place = KINDS[kind].parent is not None
        # Read before the node has another place or owner: the text may be a slice of the old one.
        quote = self._quote(node, merged) if kind in WITHIN_PARENT else None
        node.resolved = True
        node.digest = row.group.digest
        node.parent_id = parent.pk if parent is not None else None
        node.provisional = (KINDS[kind].own_digest and not row.group.digest) or (
            has_place and (parent is None or not parent.resolved or parent.provisional)
        )
        if kind == "component":
            # Known by its key with its configuration digest; without one, by its key alone.
            node.provisional = False
            node.uid = self._uid(kind, node, None) if node.digest else node.address
        elif has_place or KINDS[kind].own_digest:
            node.uid = self._uid(kind, node, parent)
        else:
            node.uid = node.address
        if parent is not None:
            if kind == "source_version":
                node.owner_id = parent.pk
            elif kind in _OWNED_BY_PARENT:
                node.owner_id = parent.owner_id or parent.pk
            if kind == "document":
                node.version_id = parent.pk
            elif kind not in ("source_version", "claim", "citation"):
                node.version_id = parent.version_id
        node.occurred_at = merged.occurred_at
        node.fields = {name: value for name, value in merged.fields.items() if name != "$interval"}
        if "$interval" in merged.fields:
            sent = merged.fields["$interval"]
            node.fields["interval"] = {**sent, "in": sent["within"]}
            del node.fields["interval"]["within"]
        node.attributes = merged.attributes
        node.label = label_of(kind, merged.fields)
        flags = list(merged.flags)
        if kind in WITHIN_PARENT:
            flags += self._place_interval(node, parent, merged, quote)
        else:
            node.has_text = "text" in merged.fields
        if row.later:
            flags.append(
                {
                    "code": KEY_REUSED,
                    "pointer": "/key",
                    "detail": "The key names another revision, too; both are kept.",
                }
            )
        node.flags = flags + [
            flag for flag in node.flags if flag["code"] in LATER_CODES and flag not in flags
        ]

    def _uid(self, kind: str, node: Node, parent: Node | None) -> str:
        if node.uid and node.digest.startswith(ERASED):
            # What it was made of is not known any more; it keeps the one it has.
            return node.uid
        place = parent.uid if parent is not None else ""
        return settled_uid(self._workspace.hash_key, kind, node.address, node.digest, place)

    def _quote(self, node: Node, merged: Merged) -> str | None:
        """The text that the node's sightings gave it; None where they gave none or it cannot be read."""
        marker = merged.fields.get("text")
        if not marker:
            return None
        digest = str(marker["$text"])
        quote = self._request.get(digest, self._quotes.get(node.pk or 0))
        return quote if quote is not None and text_digest(quote) == digest else None

    def read_quotes(self, kind: str, rows: Sequence[Row]) -> None:
        """Read together what the rows' nodes said before, where the request does not have it."""
        self._quotes = {}
        if kind in WITHIN_PARENT:
            known = [row.node for row in rows if row.node.pk]
            self._quotes = texts_of([n for n in known if self._is_elsewhere(n)])

    def _is_elsewhere(self, node: Node) -> bool:
        marker = node.fields.get("text")
        return bool(marker) and marker["$text"] not in self._request

    def _place_interval(
        self, node: Node, parent: Node | None, merged: Merged, quote: str | None
    ) -> list[dict[str, str]]:
        """Verify the interval against the parent's text; a text that is that interval needs no copy."""
        marker = merged.fields.get("text")
        text = self._texts.of(parent)
        verified = verify(text, interval_of(merged.fields), quote)
        node.start, node.end = verified.start, verified.end
        node.anchor = verified.anchor.value if verified.anchor else ""
        if marker and quote is not None and not node.has_text:
            inside = text is not None and node.start is not None
            node.has_text = not (
                inside and text is not None and text[node.start : node.end] == quote
            )
            if node.has_text:
                self._taken_along[str(marker["$text"])] = quote
        return [
            {"code": warned.code, "pointer": warned.pointer, "detail": warned.detail}
            for warned in verified.warnings
        ]

    def keep_texts(self, rows: Sequence[Row], owners_before: Mapping[int, int | None]) -> None:
        """Note the texts of this request under their owners; carry over those whose owner has changed.

        What was noted is stored by `store_kept`.
        `owners_before`: the owner that each node of these keys had, by node id.
        """
        moves: set[tuple[int, int, str]] = set()
        for row in rows:
            node = row.node
            owner = node.owner_id or node.pk
            for seen in row.group.seen:
                before = owners_before.get(seen.node_id or 0)
                for name, digest in markers(seen.fields):
                    if name == "text" and node.kind in WITHIN_PARENT and not node.has_text:
                        continue
                    if digest in self._request:
                        self._to_store.append(OwnedText(owner, digest, self._request[digest]))
                    elif digest in self._taken_along:
                        self._to_store.append(OwnedText(owner, digest, self._taken_along[digest]))
                    elif before is not None and before != owner:
                        moves.add((before, owner, digest))
        if moves:
            self._carry_over(sorted(moves))

    def store_kept(self) -> None:
        """Store all that was noted, together: each text costs a row, not a round of statements."""
        store_texts(self._workspace, self._to_store)
        self._to_store = []

    def let_go(self, withdrawn: Sequence[tuple[int | None, Mapping[str, Any]]]) -> None:
        """Forget the texts of sightings that have gone, where no other of their owner has them."""
        places = {
            (owner, digest) for owner, seen in withdrawn if owner for _, digest in markers(seen)
        }
        if places:
            forget_texts(self._workspace, sorted(places - self._kept_by_others(places)))

    def _carry_over(self, moves: Sequence[tuple[int, int, str]]) -> None:
        """Re-encrypt texts for their new owners; the old copy goes once no node keeps it there."""
        found = read_texts(self._workspace, [(old, digest) for old, _, digest in moves])
        store_texts(
            self._workspace,
            [
                OwnedText(new, digest, found[old, digest])
                for old, new, digest in moves
                if (old, digest) in found
            ],
        )
        needed = self._kept_by_others(found)
        forget_texts(self._workspace, [move for move in found if move not in needed])

    def _kept_by_others(self, places: Collection[tuple[int, str]]) -> set[tuple[int, str]]:
        """Those of the (owner, digest) that a node which stays with the owner names, now or in its history."""
        owners = {owner for owner, _ in places}
        nodes = Node.objects.filter(workspace=self._workspace, owner_id__in=owners)
        seen = Sighting.objects.filter(workspace=self._workspace, node__owner_id__in=owners)
        rows = chain(
            nodes.order_by("pk").values_list("owner_id", "fields").iterator(chunk_size=1_000),
            seen.order_by("pk").values_list("node__owner_id", "fields").iterator(chunk_size=1_000),
        )
        named = {(owner or 0, digest) for owner, fields in rows for _, digest in markers(fields)}
        return named.intersection(places)
