"""The contexts of answers, in which their citations bind first."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from typing import Any

from lineage.ingest.keys import in_chunks
from lineage.ingest.revisions import RefRow
from lineage.models import Node, Reference


class Contexts:
    """The items of the contexts behind claims, by claim.

    `touched`: nodes of this request, by id, which need no look-up.
    """

    def __init__(self, touched: Mapping[int, Node]) -> None:
        self._touched = touched
        # claim id → [(position, item)] in order.
        self._items: dict[int, list[tuple[int | None, Node]]] = {}
        self._known: dict[int, bool] = {}

    def load(self, claim_ids: Collection[int]) -> None:
        """Load what the answers of these claims had in context, with a few queries."""
        answers = {
            claim_id: self._touched[claim_id].parent_id or 0
            for claim_id in claim_ids
            if claim_id in self._touched and self._touched[claim_id].parent_id
        }
        for chunk in in_chunks([pk for pk in claim_ids if pk not in self._touched]):
            for claim_id, answer_id in Node.objects.filter(
                pk__in=chunk, parent__isnull=False
            ).values_list("pk", "parent_id"):
                answers[claim_id] = answer_id or 0
        contexts: dict[int, list[int]] = defaultdict(list)
        resolved: dict[int, bool] = {}
        for chunk in in_chunks(set(answers.values())):
            for answer_id, context_id, known in Reference.objects.filter(
                holder_id__in=chunk, relation="context", to_node__isnull=False
            ).values_list("holder_id", "to_node_id", "to_node__resolved"):
                contexts[answer_id].append(context_id or 0)
                resolved[answer_id] = bool(known)
        rows: list[tuple[int, int | None, int]] = []
        for chunk in in_chunks({context for some in contexts.values() for context in some}):
            for context_id, properties, node_id in (
                Reference.objects.filter(
                    holder_id__in=chunk, relation__startswith="items.", to_node__isnull=False
                )
                .order_by("holder_id", "ordinal")
                .values_list("holder_id", "properties", "to_node_id")
            ):
                rows.append((context_id, properties.get("position"), node_id or 0))
        nodes = self._nodes({node_id for _, _, node_id in rows})
        items: dict[int, list[tuple[int | None, Node]]] = defaultdict(list)
        for context_id, position, node_id in rows:
            items[context_id].append((position, nodes[node_id]))
        for claim_id in claim_ids:
            answer = answers.get(claim_id, 0)
            self._known[claim_id] = resolved.get(answer, False)
            self._items[claim_id] = [
                item for one in contexts.get(answer, ()) for item in items[one]
            ]

    def _nodes(self, ids: Collection[int]) -> dict[int, Node]:
        found = {pk: self._touched[pk] for pk in ids if pk in self._touched}
        for chunk in in_chunks([pk for pk in ids if pk not in found]):
            for node in Node.objects.filter(pk__in=chunk).defer("fields", "attributes", "flags"):
                found[node.pk] = node
        return found

    def is_known(self, claim_id: int | None) -> bool:
        """Whether the context of the claim's answer has been sent."""
        return self._known.get(claim_id or 0, False)

    def item(self, claim_id: int | None, row: RefRow) -> Node | None:
        """The item of the context that a citation means, by position or by key; None if it holds no such."""
        for position, node in self._items.get(claim_id or 0, ()):
            if row["relation"] == "position":
                if position == row["properties"]["position"]:
                    return node
            elif row["uid"]:
                if node.uid == row["uid"]:
                    return node
            elif (
                node.resolved
                and row["kind"] == node.kind
                and (row["address"] == node.address or (row["anywhere"] or "-") == node.anywhere)
                and (not row["digest"] or row["digest"] == node.digest)
            ):
                return node
        return None

    @staticmethod
    def position_row(position: int) -> RefRow:
        """A citation's position as a reference, bound in the context alone."""
        row: dict[str, Any] = {
            "relation": "position", "kind": "chunk", "namespace": "", "key": "", "address": "",
            "anywhere": "", "digest": "", "uid": "", "ordinal": 0, "pointer": "/position",
            "properties": {"position": position},
        }  # fmt: skip
        return row
