"""References of touched nodes, rebuilt from what they say now and bound again by the pure `bind()`.

Runs kind by kind in stage order, since the instant at which an answer's
references bind is that of its retrieval, and a citation binds first among its
answer's context.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime

from django.db.models import Q

from lineage import bulk_rows
from lineage.impact.made import Made
from lineage.ingest.aliases import Aliases, named_by
from lineage.ingest.cited import Contexts
from lineage.ingest.keys import Keys, in_chunks
from lineage.ingest.rebound import Rebound
from lineage.ingest.reference_binding import LATE_STAGE, Binder
from lineage.ingest.reference_rows import (
    Wanted,
    bring_rows_in_line,
    is_strayed,
    remove_rows_of,
    row_of,
)
from lineage.ingest.relations import EVENT_RELATIONS, IDENTITY_RELATION
from lineage.ingest.revisions import RefRow, Said, gone_on_with
from lineage.ingest.touched import Touched
from lineage.models import Node, Reference
from lineage.vocabulary import APPLY_ORDER, KINDS
from provexplorer.clock import BEFORE_ALL
from provexplorer.workspaces.models import Workspace

# Of the nodes at both ends: what they say is not asked.
_UNREAD = [
    f"{end}__{name}"
    for end in ("to_node", "from_node")
    for name in ("fields", "attributes", "flags", "label")
]
BINDING_CODES = frozenset({"unresolved_reference", "citation_outside_context"})


class ReferenceKeeper:
    """Keeps the references of one workspace while one request is applied."""

    def __init__(self, workspace: Workspace, touched: Touched, aliases: Aliases) -> None:
        self._workspace = workspace
        self._touched = touched
        self._keys = Keys(workspace, slim=True, aliases=aliases)
        self._keys.know(touched.only)
        self._contexts = Contexts(touched.nodes)
        self._binder = Binder(workspace, self._keys, self._contexts)
        self._dirty: dict[str, set[int]] = defaultdict(set)
        # Holders reached because what they were made from has moved.
        self._carried: set[int] = set()
        self.rebound = Rebound(Made(touched.new))

    def bring_in_line(self) -> Rebound:
        """Rebuild the references of touched nodes; bind again those of others that name touched keys."""
        touched = self._touched
        remove_rows_of(touched.left_over, self.rebound)
        for node in touched.nodes.values():
            self._dirty[node.kind].add(node.id)
        by_alias = dict.fromkeys(self._keys.aliases.leading_to(touched.addresses), BEFORE_ALL)
        addresses = touched.addresses | by_alias
        if not self._keys.aliases.any():
            # Of a key that somebody names there is a node: what has none yet nobody does.
            addresses = {at: since for at, since in addresses.items() if at not in touched.only}
        for kind, holder in self._naming(addresses, touched.anywhere | by_alias):
            self._dirty[kind].add(holder)
        for naming in touched.waiting.naming({node.uid for node in touched.nodes.values()}):
            self._dirty[naming.holder_kind].add(naming.holder_id)
        for kind in APPLY_ORDER:
            if self._dirty[kind]:
                self._kind(kind, self._dirty[kind])
        return self.rebound

    def _naming(
        self, addresses: Mapping[str, datetime], anywhere: Mapping[str, datetime]
    ) -> Iterable[tuple[str, int]]:
        """(kind, id) of the holders of references that may mean another node now.

        Given are what they name, and from which event on they bind again.
        """
        rows = Reference.objects.filter(workspace=self._workspace).exclude(
            relation__startswith="computed"
        )
        for column, names in (("address", addresses), ("anywhere", anywhere)):
            ever = [name for name, since in names.items() if since == BEFORE_ALL]
            for chunk in (*in_chunks(ever), *in_chunks(names.keys() - ever)):
                since = min(names[name] for name in chunk)
                found = rows.filter(**{f"{column}__in": chunk})
                if since > BEFORE_ALL:
                    timeless = Q(event_at=None) | ~Q(digest="")
                    found = found.filter(timeless | Q(event_at__gte=since))
                yield from found.values_list("holder__kind", "holder_id").distinct()

    def _kind(self, kind: str, ids: Collection[int]) -> None:
        nodes = self._nodes(ids)
        old_rows = self._old_rows(set(ids) - self._touched.new)
        as_named = self._as_named([row for rows in old_rows.values() for row in rows])
        wanted_rows = {node.id: self._said(node, old_rows[node.id], as_named) for node in nodes}
        said = [pair for rows in wanted_rows.values() for pair in rows]
        if KINDS[kind].stage < LATE_STAGE:
            self._keys.load([row for row, _ in said], _events(said))
        else:
            self._keys.load(row for row, _ in said)
        if kind == "citation":
            self._contexts.load([node.parent_id for node in nodes if node.parent_id])
        moved: set[int] = set()
        updated: list[Node] = []
        # Mostly it is the event time alone, and the other two columns cost more to write.
        dated: list[Node] = []
        wanted: list[Wanted] = []
        for node in nodes:
            before = (node.event_at, node.version_id, node.flags)
            found, flags = self._binder.bind(node, wanted_rows[node.id])
            wanted += found
            kept = [flag for flag in node.flags if flag["code"] not in BINDING_CODES]
            node.flags = kept + flags
            node.version_id = _version(node, found)
            if before[0] != node.event_at:
                moved.add(node.id)
            if before[1:] != (node.version_id, node.flags):
                updated.append(node)
            elif before[0] != node.event_at:
                dated.append(node)
        bulk_rows.update(Node, ["event_at"], [(node.event_at, node.id) for node in dated])
        bulk_rows.update(
            Node,
            ["event_at", "version_id", "flags"],
            [(node.event_at, node.version_id, node.flags, node.id) for node in updated],
        )
        updated += dated
        changed = bring_rows_in_line(self._workspace, wanted, old_rows, self.rebound)
        self.rebound.nodes |= {node.id for node in updated}
        if kind in EVENT_RELATIONS.values():
            # Those of this request were changed in place.
            only = self._touched.only
            self._keys.forget([node.address for node in updated if node.address not in only])
            moved |= (changed | self._carried) & set(ids)
            for child_kind, holder in self._made_from(kind, moved):
                self._dirty[child_kind].add(holder)
                self._carried.add(holder)

    def _nodes(self, ids: Collection[int]) -> list[Node]:
        known = [self._touched.nodes[pk] for pk in ids if pk in self._touched.nodes]
        missing = [pk for pk in ids if pk not in self._touched.nodes]
        for chunk in in_chunks(missing):
            known += Node.objects.filter(pk__in=chunk).defer("fields", "attributes")
        return sorted(known, key=lambda node: node.id)

    def _old_rows(self, ids: Collection[int]) -> dict[int, list[Reference]]:
        old: dict[int, list[Reference]] = defaultdict(list)
        for chunk in in_chunks(ids):
            for row in (
                Reference.objects.filter(holder_id__in=chunk)
                .exclude(relation__startswith="computed")
                .order_by("pk")
                .select_related("to_node", "from_node")
                .defer(*_UNREAD)
            ):
                old[row.holder_id].append(row)
        return old

    def _as_named(self, rows: Sequence[Reference]) -> Mapping[str, tuple[str, str]]:
        """(namespace, key) of those that are bound to another key than they name."""
        strayed = [row for row in rows if is_strayed(row)]
        return self._keys.aliases.keys_named({row.anywhere or row.address for row in strayed})

    def _said(
        self,
        node: Node,
        old_rows: Sequence[Reference],
        as_named: Mapping[str, tuple[str, str]],
    ) -> list[tuple[RefRow, datetime | None]]:
        """The references of a node: of its merged fields if they were read, else as its rows have them."""
        merged = self._touched.merged.get(node.id)
        gone_on = node.id in self._touched.gone_on
        if merged is not None and not gone_on:
            rows = list(merged.refs)
            position = merged.fields.get("position")
            if (
                node.kind == "citation"
                and isinstance(position, int)
                and not any(row["relation"] in ("chunk", "fact") for row, _ in rows)
            ):
                rows.append((Contexts.position_row(position), merged.occurred_at))
            return rows
        said = [row_of(row) for row in old_rows]
        for row, _ in said:
            if (named := named_by(row)) in as_named:
                namespace, row["key"] = as_named[named]
                row["namespace"] = None if row["anywhere"] else namespace
        return gone_on_with(node.kind, said, merged.refs) if merged is not None else said

    def _made_from(self, kind: str, ids: Collection[int]) -> Iterable[tuple[str, int]]:
        """What takes its event time, or the context it binds in, from these nodes."""
        for child, relation in EVENT_RELATIONS.items():
            if relation != kind:
                continue
            for chunk in in_chunks(ids):
                rows: Iterable[int]
                if IDENTITY_RELATION.get(child) == relation:
                    rows = Node.objects.filter(parent_id__in=chunk, kind=child).values_list(
                        "pk", flat=True
                    )
                else:
                    rows = Reference.objects.filter(
                        to_node_id__in=chunk, relation=relation, holder__kind=child
                    ).values_list("holder_id", flat=True)
                for holder in rows:
                    yield child, holder


def _events(said: Iterable[Said]) -> dict[str, list[datetime]]:
    """At which instants references by address bind that are bound at the time they were said."""
    events: dict[str, list[datetime]] = {}
    for row, said_at in said:
        if row["address"]:
            known = events.setdefault(row["address"], [])
            if said_at is not None:
                known.append(said_at)
    return events


def _version(node: Node, found: Sequence[Wanted]) -> int | None:
    """Whose access groups guard the node: an acquisition has its version's, a citation its passage's."""
    if node.kind == "acquisition":
        for want in found:
            if want.row["relation"] == "source_version" and want.target is not None:
                return want.target.pk
    if node.kind == "citation":
        for want in found:
            if want.row["relation"] in ("chunk", "fact", "position") and want.target is not None:
                return want.target.version_id
        return None
    return node.version_id
