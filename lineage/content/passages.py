"""The texts of nodes: a text of their own, or the verified interval in the text of their parent.

A text field of a node stands as a marker, {"$text": "sha256:…", "length": code points}; its
blob is kept under the node's owner. What cannot be read (erased, never sent, not verified)
is left out; nothing is raised for it.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from lineage.content.store import Keyed, read_texts
from lineage.models import Node
from lineage.types import JsonValue
from lineage.vocabulary import HIGHLIGHTED

# Kinds whose text may be an interval of their parent's.
_SLICES: Final = frozenset({"part", "chunk", "claim"})
FACT_FIELDS: Final = ("subject", "predicate", "object")


def owner_of(node: Node) -> int:
    """The id of the node under whose key this node's texts are kept."""
    return node.owner_id or node.pk


def digest_of(value: JsonValue) -> str:
    """The digest that a marker names; empty for anything else."""
    if isinstance(value, Mapping):
        digest = value.get("$text")
        if isinstance(digest, str):
            return digest
    return ""


def place_of(node: Node) -> tuple[int, int] | None:
    """The verified interval of a node in its parent's text (code points); None without one."""
    if node.start is None or node.end is None or node.anchor not in HIGHLIGHTED:
        return None
    return node.start, node.end


def texts_of(nodes: Sequence[Node], *, workspace: Keyed | None = None) -> dict[int, str]:
    """The text of each document, version, part, chunk, fact, answer and claim, by node id.

    Of a fact, subject, predicate and object with spaces between. All nodes belong to one
    workspace, which is taken from the first where it is not given. Three queries at most:
    parents that intervals lie in, keys, texts.
    """
    return texts_and_fields(nodes, {}, workspace=workspace)[0]


def field_text(
    nodes: Sequence[Node], field: str, *, workspace: Keyed | None = None
) -> dict[int, str]:
    """The text of a field (question, query, quote, entity, subject…) of each node, by node id."""
    return {pk: texts[0] for pk, texts in field_texts(nodes, field, workspace=workspace).items()}


def field_texts(
    nodes: Sequence[Node], field: str, *, workspace: Keyed | None = None
) -> dict[int, tuple[str, ...]]:
    """The same of a field that may hold several texts (query_variants), in their order."""
    places = _field_places(nodes, field)
    wanted = [place for some in places.values() for place in some]
    if not wanted:
        return {}
    return _found(places, read_texts(workspace or nodes[0].workspace, wanted))


def texts_and_fields(
    nodes: Sequence[Node],
    fields: Mapping[str, Sequence[Node]],
    *,
    workspace: Keyed | None = None,
) -> tuple[dict[int, str], dict[str, dict[int, str]]]:
    """What texts_of gives of the nodes and field_text of each field's nodes, read together."""
    every = [*nodes, *(node for some in fields.values() for node in some)]
    if not every:
        return {}, {field: {} for field in fields}
    slicing = [node for node in nodes if _is_slice(node)]
    parents = _parents([node.parent_id for node in slicing], {node.pk: node for node in nodes})
    wanted = [
        place for node in (*nodes, *parents.values()) if (place := _own_text(node)) is not None
    ]
    for name in FACT_FIELDS:
        facts = [node for node in nodes if node.kind == "fact"]
        wanted += [place for some in _field_places(facts, name).values() for place in some]
    places = {field: _field_places(some, field) for field, some in fields.items()}
    wanted += [place for found in places.values() for some in found.values() for place in some]
    blobs = read_texts(workspace or every[0].workspace, wanted)
    texts = {node.pk: _text(node, parents, blobs) for node in nodes}
    return (
        {pk: text for pk, text in texts.items() if text is not None},
        {
            field: {pk: some[0] for pk, some in _found(found, blobs).items()}
            for field, found in places.items()
        },
    )


def _field_places(nodes: Sequence[Node], field: str) -> dict[int, list[tuple[int, str]]]:
    """Where the texts of a field are kept, by node id."""
    return {
        node.pk: [
            (owner_of(node), digest)
            for value in _values(node, field)
            if (digest := digest_of(value))
        ]
        for node in nodes
    }


def _found(
    places: Mapping[int, Sequence[tuple[int, str]]], blobs: Mapping[tuple[int, str], str]
) -> dict[int, tuple[str, ...]]:
    found = {pk: tuple(blobs[p] for p in some if p in blobs) for pk, some in places.items()}
    return {pk: texts for pk, texts in found.items() if texts}


def _text(
    node: Node, parents: Mapping[int, Node], blobs: Mapping[tuple[int, str], str]
) -> str | None:
    if node.kind == "fact":
        return _fact_text(node, blobs)
    own = _own_text(node)
    if own is not None:
        return blobs.get(own)
    return _slice_text(node, parents, blobs) if _is_slice(node) else None


def _values(node: Node, field: str) -> Sequence[JsonValue]:
    value = node.fields.get(field)
    return value if isinstance(value, list) else (value,)


def _is_slice(node: Node) -> bool:
    return (
        node.kind in _SLICES
        and not node.has_text
        and node.parent_id is not None
        and place_of(node) is not None
    )


def _own_text(node: Node) -> tuple[int, str] | None:
    """Where the node's own text is kept; None where it has none."""
    digest = digest_of(node.fields.get("text")) if node.has_text else ""
    return (owner_of(node), digest) if digest else None


def _parents(ids: Iterable[int | None], known: Mapping[int, Node]) -> dict[int, Node]:
    """The parents, from the nodes at hand where they are among them."""
    wanted = {pk for pk in ids if pk is not None}
    parents = {pk: known[pk] for pk in wanted if pk in known}
    missing = wanted - parents.keys()
    if missing:
        parents |= {
            node.pk: node
            for node in Node.objects.filter(pk__in=missing)
            .only("pk", "kind", "owner_id", "fields", "has_text")
            .order_by("pk")
        }
    return parents


def _slice_text(
    node: Node, parents: Mapping[int, Node], blobs: Mapping[tuple[int, str], str]
) -> str | None:
    parent, place = parents.get(node.parent_id or 0), place_of(node)
    own = _own_text(parent) if parent is not None else None
    text = blobs.get(own) if own is not None else None
    if text is None or place is None or place[1] > len(text):
        return None
    return text[place[0] : place[1]]


def _fact_text(node: Node, blobs: Mapping[tuple[int, str], str]) -> str | None:
    words = [blobs.get((owner_of(node), digest_of(node.fields.get(f)))) for f in FACT_FIELDS]
    return (
        " ".join(word for word in words if word is not None)
        if all(word is not None for word in words)
        else None
    )
