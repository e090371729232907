"""Binds what a node refers to: each reference to the node that it means at its instant, or to a placeholder."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

from lineage.ingest.cited import Contexts
from lineage.ingest.keys import Keys
from lineage.ingest.placeholders import placeholder_for
from lineage.ingest.reference_rows import Wanted
from lineage.ingest.relations import EVENT_RELATIONS, RELATIONS
from lineage.ingest.revisions import RefRow
from lineage.models import Node
from lineage.vocabulary import KINDS
from provexplorer.workspaces.models import Workspace

# Kinds from this stage on bind at their own event time, and not at the one of each record.
LATE_STAGE: Final = 6


class Binder:
    """Binds references whose keys, and whose contexts, have been loaded."""

    def __init__(self, workspace: Workspace, keys: Keys, contexts: Contexts) -> None:
        self._workspace = workspace
        self._keys = keys
        self._contexts = contexts

    def bind(
        self, node: Node, rows: Sequence[tuple[RefRow, datetime | None]]
    ) -> tuple[list[Wanted], list[dict[str, str]]]:
        """Bind a node's references; those that carry its event time come first."""
        late = KINDS[node.kind].stage >= LATE_STAGE
        relations = RELATIONS[node.kind]
        event_relation = EVENT_RELATIONS.get(node.kind)
        node_event: datetime | None = node.occurred_at
        found: list[Wanted] = []
        flags: list[dict[str, str]] = []
        ordered = sorted(rows, key=lambda pair: pair[0]["relation"] != event_relation)
        events: list[datetime] = []
        settled = not late
        for row, said_at in ordered:
            if late and not settled and row["relation"] != event_relation:
                node_event, settled = self._event(node, events), True
            relation = relations.get(row["relation"])
            if relation is None:
                continue
            event_at = node_event if settled and late else said_at
            want = self._one(node, row, event_at, flags)
            if want is not None:
                found.append(want)
                if (
                    row["relation"] == event_relation
                    and want.target is not None
                    and want.target.event_at
                ):
                    events.append(want.target.event_at)
        if late:
            node.event_at = self._event(node, events)
        return found, flags

    @staticmethod
    def _event(node: Node, events: Sequence[datetime]) -> datetime | None:
        """The retrieval's instant, else the context's, else the answer's own."""
        return max(events) if events else node.occurred_at

    def _one(
        self, node: Node, row: RefRow, event_at: datetime | None, flags: list[dict[str, str]]
    ) -> Wanted | None:
        relation = RELATIONS[node.kind][row["relation"]]
        if relation.identity:
            # The place was bound when the node was brought in line.
            target = self._keys.by_id(row, node.parent_id)
            if target is None or not target.resolved:
                _unresolved(row, flags, ambiguous=False)
            resolved = target is not None and target.resolved
            return Wanted(node, row, relation, target, event_at, resolved=resolved)
        if node.kind == "citation" and row["relation"] in ("chunk", "fact", "position"):
            item = self._contexts.item(node.parent_id, row)
            if item is None and (meant := self._keys.meant(row)) is not None:
                item = self._contexts.item(node.parent_id, meant)
            if item is not None:
                if row["relation"] == "position":
                    # Keep what the position means, so that the citation follows when that changes.
                    row = {**row, "kind": item.kind, "address": item.address}
                if not item.resolved:
                    _unresolved(row, flags, ambiguous=False)
                return Wanted(node, row, relation, item, event_at, resolved=item.resolved)
            outside = self._contexts.is_known(node.parent_id)
            if outside:
                flags.append(
                    {
                        "code": "citation_outside_context",
                        "pointer": row["pointer"],
                        "detail": "The answer's context does not hold what this citation names.",
                    }
                )
            if row["relation"] == "position":
                if not outside:
                    _unresolved(row, flags, ambiguous=False)
                return Wanted(node, row, relation, None, event_at, resolved=False)
        bound = self._keys.bind(row, event_at)
        if bound.node_id is not None:
            target = self._keys.node(bound.node_id, row)
            if not target.resolved:
                _unresolved(row, flags, ambiguous=False)
            return Wanted(node, row, relation, target, event_at, resolved=target.resolved)
        _unresolved(row, flags, ambiguous=bound.ambiguous)
        placeholder = placeholder_for(self._workspace, self._keys, row)
        return Wanted(
            node, row, relation, placeholder, event_at, resolved=False, ambiguous=bound.ambiguous
        )


def _unresolved(row: Mapping[str, object], flags: list[dict[str, str]], *, ambiguous: bool) -> None:
    detail = (
        "Several revisions bear this key and nothing tells which is meant."
        if ambiguous
        else "Nothing with this key has been sent yet."
    )
    flags.append({"code": "unresolved_reference", "pointer": str(row["pointer"]), "detail": detail})
