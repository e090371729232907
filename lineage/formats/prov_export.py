"""Nodes and edges as a viewer may see them, as statements of PROV. Pure.

Every node bears `pvx:` attributes, from which it can be read back without loss. A node that
came from a PROV document keeps its IRI and all that the document said of it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from lineage.formats.prov_own import EDGE, class_of, json_value, said_of
from lineage.formats.prov_statements import (
    ARGUMENTS,
    PROV,
    PVX,
    ProvDocument,
    Statement,
    Values,
    name_value,
)
from lineage.formats.prov_verbatim import PREFIXES, elements_of, is_kept, others_of, relations_of
from lineage.formats.prov_write import document_of
from lineage.formats.times import written
from lineage.types import EdgeView, JsonValue, NodeView
from lineage.vocabulary import KINDS, Edge

# How an edge of the graph is told in PROV: relation, and its prov:type.
_RELATIONS: Final[Mapping[str, tuple[str, str]]] = {
    Edge.SPECIALIZATION_OF: ("specializationOf", ""),
    Edge.WAS_REVISION_OF: ("wasDerivedFrom", "Revision"),
    Edge.WAS_DERIVED_FROM: ("wasDerivedFrom", ""),
    Edge.WAS_ATTRIBUTED_TO: ("wasAttributedTo", ""),
    Edge.HAD_MEMBER: ("hadMember", ""),
    Edge.RETRIEVED: ("wasInfluencedBy", ""),
    Edge.MATCHED: ("wasInfluencedBy", ""),
    Edge.USED_SNAPSHOT: ("wasInfluencedBy", ""),
    Edge.INCLUDED: ("hadMember", ""),
    Edge.SERVED_FROM: ("wasDerivedFrom", ""),
    Edge.WAS_INFLUENCED_BY: ("wasInfluencedBy", ""),
    Edge.WAS_QUOTED_FROM: ("wasDerivedFrom", "Quotation"),
    Edge.CITES: ("wasInfluencedBy", ""),
    Edge.STATED_IN: ("wasDerivedFrom", "Quotation"),
    Edge.WAS_GENERATED_BY: ("wasGeneratedBy", ""),
    Edge.USED: ("used", ""),
    Edge.WAS_ASSOCIATED_WITH: ("wasAssociatedWith", ""),
    Edge.WAS_INVALIDATED_BY: ("wasInvalidatedBy", ""),
    Edge.AFFECTED_BY: ("wasInfluencedBy", ""),
}
# Relations that PROV gives no attributes: nothing can be said with them.
_BARE: Final = frozenset({"specializationOf", "hadMember"})
# Members of a snapshot and inputs of a run stand among the edges alone.
_LISTED: Final = {Edge.USED: "used", Edge.HAD_MEMBER: ""}


@dataclass(frozen=True, slots=True)
class Invalidation:
    """A case that ended a node, and since when."""

    uid: str
    case_uid: str
    case_kind: str
    at: datetime


def to_document(
    nodes: Sequence[NodeView],
    edges: Sequence[EdgeView],
    *,
    base: str,
    invalidations: Sequence[Invalidation] = (),
    truncated: bool = False,
    plain: bool = False,
) -> ProvDocument:
    """The nodes and the edges between them; `base` + uid is the IRI of a node that has none.

    `plain` leaves out the product's own words: what came as PROV is then as it came, and
    everything else can be read but not sent again. `truncated` is told of the first node.
    """
    export = _Export(nodes, edges, base, truncated=truncated, plain=plain)
    prefixes: dict[str, str] = {} if plain else {"pvx": PVX}
    prefixes["node"] = base
    for view in nodes:
        hints = view.attributes.get(PREFIXES, {})
        prefixes |= {p: iri for p, iri in hints.items() if p not in prefixes}
    return document_of((*export.statements(), *export.invalidated(invalidations)), prefixes)


class _Export:
    def __init__(
        self,
        nodes: Sequence[NodeView],
        edges: Sequence[EdgeView],
        base: str,
        *,
        truncated: bool,
        plain: bool,
    ) -> None:
        self._nodes, self._edges, self._base = nodes, edges, base
        self._truncated, self._plain = truncated, plain
        self._views = {view.uid: view for view in nodes}
        self._digests = {
            view.uid: str(view.fields["digest"])
            for view in nodes
            if KINDS[view.kind].own_digest and view.fields.get("digest")
        }
        self._iris: dict[str, str] = {}
        taken: set[tuple[str, ...]] = set()
        for view in nodes:
            # In RDF all that bears one IRI is one thing, and one thing cannot be two nodes.
            element = (KINDS[view.kind].prov,) if plain else ()
            place = (str(view.attributes.get("prov:bundle", "")), view.key or "", *element)
            keeps = view.key is not None and is_kept(view.attributes) and place not in taken
            self._iris[view.uid] = str(view.key) if keeps else base + view.uid
            if keeps:
                taken.add(place)
        self._listed = self._lists()

    def statements(self) -> Iterator[Statement]:
        for number, view in enumerate(self._nodes):
            yield from self._element(view, first=number == 0)
        said: set[tuple[str, str, str]] = set()
        for view in self._nodes:
            for statement in relations_of(view.attributes):
                said.add((statement.relation, *statement.ends()))
                yield statement
        for edge in self._edges:
            restated = self._restated(edge)
            if restated is not None and (restated.relation, *restated.ends()) not in said:
                yield restated

    def _keeps_iri(self, view: NodeView) -> bool:
        return self._iris[view.uid] == view.key

    def invalidated(self, invalidations: Sequence[Invalidation]) -> Iterator[Statement]:
        """Cases as activities that invalidated entities; of an activity or agent PROV knows no end."""
        for one in invalidations:
            view = self._views.get(one.uid)
            if view is None or KINDS[view.kind].prov != "entity":
                continue
            case = self._base + one.case_uid
            own = {"uid": one.case_uid, "kind": "case", "case_kind": one.case_kind}
            told = {} if self._plain else {PVX + name: (value,) for name, value in own.items()}
            yield Statement("activity", case, {}, told)
            ends = {"entity": self._iris[one.uid], "activity": case, "time": written(one.at)}
            edge = {} if self._plain else {EDGE: (str(Edge.WAS_INVALIDATED_BY),)}
            yield Statement("wasInvalidatedBy", "", ends, edge)

    # -- nodes ------------------------------------------------------------------------

    def _element(self, view: NodeView, *, first: bool) -> Iterator[Statement]:
        kept = self._keeps_iri(view)
        declared = list(elements_of(str(view.key), view.attributes)) if kept else []
        if self._plain:
            yield from declared
            if not kept and not is_kept(view.attributes):
                yield self._readable(view)
            return
        attributes = dict(declared[0].attributes) if declared else self._named(view)
        own = said_of(view, self._digests)
        for name, members in self._listed.get(view.uid, {}).items():
            own |= said_of_json(name, members)
        others = others_of(view.attributes) if kept else dict(view.attributes)
        if others:
            own |= said_of_json("attributes", others)
        if declared:
            own[f"{PVX}declared"] = (declared[0].relation,)
        if first and self._truncated:
            own[f"{PVX}truncated"] = (True,)
        types = attributes.get(f"{PROV}type", ())
        attributes[f"{PROV}type"] = (*types, class_of(KINDS[view.kind].label))
        arguments = declared[0].arguments if declared else _times(view)
        bundle = declared[0].bundle if declared else str(view.attributes.get("prov:bundle", ""))
        yield Statement(
            KINDS[view.kind].prov,
            self._iris[view.uid],
            arguments,
            {**attributes, **own},
            bundle if kept else "",
        )

    def _named(self, view: NodeView) -> dict[str, Values]:
        return {f"{PROV}label": (view.label,)} if view.label else {}

    def _readable(self, view: NodeView) -> Statement:
        """A node in PROV's words alone: what it is called, and when it ran."""
        return Statement(
            KINDS[view.kind].prov, self._iris[view.uid], _times(view), self._named(view)
        )

    def _lists(self) -> dict[str, dict[str, list[JsonValue]]]:
        """Members of snapshots and inputs of runs, of those that are exported themselves."""
        found: dict[str, dict[str, list[JsonValue]]] = {}
        for edge in self._edges:
            holder, member = self._views.get(edge.from_uid), self._views.get(edge.to_uid)
            if holder is None or member is None or edge.type not in _LISTED:
                continue
            field = _LISTED[Edge(edge.type)] or f"{member.kind}s"
            reference: dict[str, JsonValue] = {"uid": member.uid}
            if member.key is not None:
                reference = {
                    "kind": member.kind, "key": member.key, "namespace": member.namespace
                }  # fmt: skip
                if member.uid in self._digests:
                    reference["digest"] = self._digests[member.uid]
            found.setdefault(holder.uid, {}).setdefault(field, []).append(reference)
        return found

    # -- edges ------------------------------------------------------------------------

    def _restated(self, edge: EdgeView) -> Statement | None:
        start, end = self._views.get(edge.from_uid), self._views.get(edge.to_uid)
        row = _RELATIONS.get(edge.type)
        if start is None or end is None or row is None:
            return None
        if self._plain and is_kept(start.attributes) and is_kept(end.attributes):
            return None  # what its document said of the two stands already
        relation, subtype = row
        ends = (self._iris[start.uid], self._iris[end.uid])
        arguments = dict(zip(ARGUMENTS[relation][:2], ends, strict=True))
        attributes: dict[str, Values] = {}
        if subtype:
            attributes[f"{PROV}type"] = (name_value(f"{PROV}{subtype}"),)
        if not self._plain and relation not in _BARE:
            attributes[EDGE] = (str(edge.type),)
            for name, value in edge.properties.items():
                if value is not None:
                    attributes |= said_of_json(name, value)
        return Statement(relation, "", arguments, attributes)


def said_of_json(name: str, value: JsonValue) -> dict[str, Values]:
    """A value of any kind under a name of the product's vocabulary."""
    return {PVX + name: (json_value(value),)}


def _times(view: NodeView) -> dict[str, str]:
    if KINDS[view.kind].prov != "activity":
        return {}
    times = {"startTime": view.fields.get("started_at"), "endTime": view.fields.get("ended_at")}
    return {name: str(time) for name, time in times.items() if time}
