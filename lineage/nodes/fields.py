"""The contracted fields of nodes as they are shown: texts filled in, references put back in place.

A reference is shown as `{"kind", "key", "namespace", "uid", "resolved"}`, under the name and
in the list or group in which the record had it; of a hidden node as `{"kind", "uid", "hidden"}`.
"""

import json
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

from lineage.compiled import by_their_ids
from lineage.content.passages import digest_of, owner_of, texts_of
from lineage.content.store import read_texts
from lineage.models import Node, Reference
from lineage.nodes.repeating import without_long
from lineage.nodes.visible import visible
from lineage.types import JsonValue, Viewer

# Members of a snapshot or inputs of a run can be many thousands: shown on one node only, so many.
MOST_MEMBERS: Final = 1_000
_MEMBERS: Final = ("embeddings", "chunks", "used")
# References of all nodes of one call; a page of 200 retrievals of 100 candidates fits.
_MOST_REFERENCES: Final = 50_000
# Kinds whose `text` is shown. A whole document is shown only on its own.
_WITH_TEXT: Final = frozenset({"chunk", "answer", "claim"})
_WITH_WHOLE_TEXT: Final = frozenset({"source_version", "document"})
# The record's name of a relation is that of the kind it names.
_NAMED_BY_KIND: Final = "of"
# Not a reference in the record, but a number among its fields.
_NO_FIELD: Final = "position"

# Kept as texts, for the words in them, and shown as the JSON that was sent.
_AS_JSON: Final = frozenset({"selector"})

# Columns of a node that a reference to it shows, and what visible() needs of it.
_SHOWN_OF_TARGET: Final = ("uid", "kind", "key", "namespace", "resolved", "version_id")

References = Mapping[int, Sequence[tuple[Reference, Node | None]]]


def shown_fields(
    viewer: Viewer, nodes: Sequence[Node], *, wordless: Collection[int] = (), whole: bool = False
) -> dict[int, dict[str, JsonValue]]:
    """The fields of nodes that the viewer may see, by node id; queries do not grow with them.

    Texts of the node ids in `wordless` are not read and stand as null, as do those that
    were erased. `whole` adds what only a node by itself shows: the text of documents
    and versions (null otherwise), members of snapshots and inputs of runs.
    """
    readable = [node for node in nodes if node.pk not in wordless]
    kinds = _WITH_TEXT | _WITH_WHOLE_TEXT if whole else _WITH_TEXT
    passages = texts_of([node for node in readable if node.kind in kinds], workspace=viewer)
    texts = read_texts(viewer, [place for node in readable for place in _places(node)])
    references = _references(viewer, nodes, whole=whole)
    targets = {to.pk: to for rows in references.values() for _, to in rows if to is not None}
    seen = visible(viewer, list(targets.values()))
    shown: dict[int, dict[str, JsonValue]] = {}
    for node in nodes:
        filled = _fields(node, passages.get(node.pk), {} if node.pk in wordless else texts)
        if node.pk in wordless and isinstance(filled.get("parameters"), Mapping):
            filled["parameters"] = without_long(filled["parameters"])
        for row, to in references.get(node.pk, ()):
            _put(filled, row, _shown(row, to, hidden=to is not None and not seen[to.pk]))
        shown[node.pk] = filled
    return shown


def _fields(
    node: Node,
    passage: str | None,
    texts: Mapping[tuple[int, str], str],
) -> dict[str, JsonValue]:
    fields = {name: _filled(value, owner_of(node), texts) for name, value in node.fields.items()}
    if node.kind in _WITH_TEXT or node.kind in _WITH_WHOLE_TEXT:
        fields["text"] = passage
    for name in _AS_JSON.intersection(fields):
        if isinstance(fields[name], str):
            fields[name] = json.loads(fields[name])
    if node.digest:
        fields["digest"] = node.digest
    if node.start is not None and node.end is not None:
        fields["verified_interval"] = {
            "start": node.start,
            "end": node.end,
            "unit": "codepoint",
            "anchor": node.anchor or None,
        }
    return fields


def _places(node: Node) -> Iterator[tuple[int, str]]:
    """Where the texts of a node are kept, but `text`, which may lie in its parent's."""
    for name, value in node.fields.items():
        if name != "text":
            for each in value if isinstance(value, list) else (value,):
                if digest := digest_of(each):
                    yield owner_of(node), digest


def _filled(value: JsonValue, owner_id: int, texts: Mapping[tuple[int, str], str]) -> JsonValue:
    if digest := digest_of(value):
        return texts.get((owner_id, digest))
    if isinstance(value, list):
        return [_filled(each, owner_id, texts) for each in value]
    # A copy: references are put into groups, and the row must not learn of it.
    return dict(value) if isinstance(value, dict) else value


def _references(viewer: Viewer, nodes: Sequence[Node], *, whole: bool) -> References:
    """What each node's record refers to, in the record's order, with the node at the other end."""
    ends = [f"{end}__{name}" for end in ("from_node", "to_node") for name in _SHOWN_OF_TARGET]
    rows = (
        by_their_ids(Reference.objects.all(), viewer.workspace_id)
        .filter(holder_id__in=[node.pk for node in nodes])
        .exclude(relation__startswith="computed")
        .exclude(relation=_NO_FIELD)
        .select_related("from_node", "to_node")
        .only("holder_id", "relation", "ordinal", "kind", "uid_named", *ends)
        .order_by("holder_id", "relation", "ordinal", "pk")
    )
    found = list(rows.exclude(relation__in=_MEMBERS)[:_MOST_REFERENCES])
    if whole:
        found += rows.filter(relation__in=_MEMBERS)[:MOST_MEMBERS]
    references: dict[int, list[tuple[Reference, Node | None]]] = defaultdict(list)
    for row in found:
        other = row.to_node if row.from_node_id == row.holder_id else row.from_node
        references[row.holder_id].append((row, other))
    return references


def _shown(row: Reference, to: Node | None, *, hidden: bool) -> dict[str, JsonValue]:
    if to is None:
        return {
            "kind": row.kind, "key": None, "namespace": None, "uid": row.uid_named or None,
            "resolved": False,
        }  # fmt: skip
    if hidden:
        return {"kind": to.kind, "uid": to.uid, "hidden": True}
    return {
        "kind": to.kind, "key": to.key, "namespace": to.namespace, "uid": to.uid,
        "resolved": to.resolved,
    }  # fmt: skip


def _put(fields: dict[str, JsonValue], row: Reference, shown: dict[str, JsonValue]) -> None:
    """Put a reference where the record had it: a field, a list, or a group's member."""
    name, _, member = row.relation.partition(".")
    if member:
        group = fields.get(name)
        if isinstance(group, list):
            group = group[row.ordinal] if row.ordinal < len(group) else None
        if isinstance(group, dict):
            group[member] = shown
        return
    if name == _NAMED_BY_KIND:
        name = row.kind
    if name in _MEMBERS:
        fields.setdefault(name, []).append(shown)
    elif name in fields:
        before = fields[name]
        fields[name] = [*before, shown] if isinstance(before, list) else [before, shown]
    else:
        fields[name] = shown
