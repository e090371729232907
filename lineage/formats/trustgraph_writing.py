"""TrustGraph's vocabulary out: nodes and edges around a node as its triples. Pure."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final
from urllib.parse import quote

import rdflib

from lineage.formats.trustgraph_doers import CONFIGURATION
from lineage.formats.trustgraph_quoted import quoted_node
from lineage.formats.trustgraph_terms import DC, PREFIXES, PROV, TG, expand
from lineage.types import EdgeView, JsonValue, LineageView, NodeView

_IRI: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\s<>\"{}|\\^`\x00-\x20]+")
_CLASS: Final[Mapping[str, str]] = {
    "document": "Document", "chunk": "Chunk", "retrieval": "Exploration", "context": "Focus",
    "answer": "Synthesis",
}  # fmt: skip
_PART_CLASS: Final = {"page": "Page", "section": "Section", "image": "Image"}
_LEFT_OUT: Final = frozenset({"claim", "citation", "agent"})
_MINTED: Final = {"part": "page", "chunk": "chunk"}
# PROV's relation of an edge, where it has one between these ends.
_RELATIONS: Final[Mapping[str, str]] = {
    "SPECIALIZATION_OF": "specializationOf",
    "WAS_REVISION_OF": "wasRevisionOf",
    "WAS_DERIVED_FROM": "wasDerivedFrom",
    "WAS_GENERATED_BY": "wasGeneratedBy",
    "WAS_ASSOCIATED_WITH": "wasAssociatedWith",
    "USED": "used",
}
# A run names the chunk it read; a fact has no name of its own and its subgraph stands for it.
_SELECTED: Final = {"INCLUDED": "selectedEdge", "RETRIEVED": "selectedChunk"}


def to_graph(lineage: LineageView) -> rdflib.Graph:
    """The triples of what stands around a node, in TrustGraph's terms where it has any, else PROV's.

    What the viewer may not see keeps its shape under its uid. Source, version and document
    of one IRI are one tg:Document, creators its dc:creator. Claims and citations have no terms
    there and are left out.
    """
    return _Writer(lineage).graph()


class _Writer:
    def __init__(self, lineage: LineageView) -> None:
        self._graph = rdflib.Graph()
        for prefix, iri in PREFIXES.items():
            self._graph.bind(prefix, iri)
        self._nodes = {node.uid: node for node in lineage.nodes if node.kind not in _LEFT_OUT}
        self._iris = {uid: _iri_of(node) for uid, node in self._nodes.items()}
        self._out: dict[str, list[EdgeView]] = defaultdict(list)
        for edge in lineage.edges:
            if edge.from_uid in self._nodes and edge.to_uid in self._nodes:
                self._out[edge.from_uid].append(edge)

    def graph(self) -> rdflib.Graph:
        for node in self._nodes.values():
            self._describe(node)
            for edge in self._edges(node):
                self._edge(node, edge)
        return self._graph

    def _edges(self, node: NodeView) -> Sequence[EdgeView]:
        """The edges that are said: not those that follow from others, nor past an immediate parent."""
        edges = [one for one in self._out[node.uid] if not one.properties.get("computed")]
        kinds = {self._nodes[one.to_uid].kind for one in edges if one.type == "WAS_DERIVED_FROM"}
        if node.kind in ("part", "chunk") and kinds & {"part", "chunk"}:
            edges = [
                one
                for one in edges
                if one.type != "WAS_DERIVED_FROM" or self._nodes[one.to_uid].kind != "document"
            ]
        return edges

    def _edge(self, node: NodeView, edge: EdgeView) -> None:
        subject, target = self._iris[node.uid], self._iris[edge.to_uid]
        if edge.type in _SELECTED:
            self._select(node, edge)
        elif edge.type in _RELATIONS and subject != target:
            self._say(subject, PROV + _RELATIONS[edge.type], rdflib.URIRef(target))

    def _select(self, node: NodeView, edge: EdgeView) -> None:
        """A context chose it, by a selection of its own; a retrieval found it."""
        subject, target = self._iris[node.uid], self._nodes[edge.to_uid]
        if edge.type == "RETRIEVED":
            if target.kind == "chunk":
                self._say(subject, f"{TG}selectedChunk", rdflib.URIRef(self._iris[target.uid]))
            return
        position = edge.properties.get("position")
        selection = f"urn:trustgraph:prov:{'edge' if target.kind == 'fact' else 'chunk'}:{node.uid}:{position}"
        if target.kind == "fact":
            triple = self._triple(target)
            if triple is None:
                return
            self._say(subject, f"{TG}selectedEdge", rdflib.URIRef(selection))
            self._say(selection, f"{TG}edge", triple)
        else:
            self._say(subject, f"{TG}selectedChunk", rdflib.URIRef(selection))
            self._say(selection, f"{TG}document", rdflib.URIRef(self._iris[target.uid]))

    def _describe(self, node: NodeView) -> None:
        subject, fields = self._iris[node.uid], node.fields
        self._classes(node, subject)
        self._kept(subject, node.attributes)
        if node.kind == "document":
            self._work(node, subject)
        elif node.kind == "part":
            index = fields.get("page_index")
            self._literal(subject, f"{TG}pageNumber", None if index is None else index + 1)
        elif node.kind == "chunk":
            self._chunk(node, subject)
        elif node.kind == "fact" and (triple := self._triple(node)) is not None:
            self._say(subject, f"{TG}contains", triple)
        elif node.kind == "run":
            self._run(node, subject)
        elif node.kind == "component":
            self._literal(subject, f"{PREFIXES['rdfs']}label", fields.get("name"))
        elif node.kind in ("retrieval", "answer"):
            self._question(node, subject)
        if node.kind in ("document", "chunk", "answer"):
            self._literal(subject, f"{TG}content", fields.get("text"))

    def _classes(self, node: NodeView, subject: str) -> None:
        prov = {"run": "Activity", "component": "Agent"}.get(node.kind, "Entity")
        self._say(subject, f"{PREFIXES['rdf']}type", rdflib.URIRef(PROV + prov))
        name = _CLASS.get(node.kind)
        if node.kind == "part":
            name = _PART_CLASS.get(str(node.fields.get("part_kind")))
        elif node.kind == "fact":
            name = "Subgraph"
        if name is not None:
            self._say(subject, f"{PREFIXES['rdf']}type", rdflib.URIRef(TG + name))

    def _work(self, node: NodeView, subject: str) -> None:
        """What its version and its source say: in TrustGraph a document is all three."""
        for version in self._targets(node, "source_version"):
            self._literal(subject, f"{TG}mimeType", version.fields.get("media_type"))
            self._literal(subject, f"{DC}date", version.fields.get("published_at"))
            self._literal(subject, f"{DC}rights", version.fields.get("rights"))
            for source in self._targets(version, "source"):
                self._source(subject, source.fields)

    def _targets(self, node: NodeView, kind: str) -> list[NodeView]:
        targets = [self._nodes[edge.to_uid] for edge in self._out[node.uid]]
        return [target for target in targets if target.kind == kind]

    def _source(self, subject: str, fields: Mapping[str, JsonValue]) -> None:
        self._literal(subject, f"{DC}title", fields.get("title"))
        self._literal(subject, f"{DC}language", fields.get("language"))
        if isinstance(uri := fields.get("uri"), str) and _IRI.fullmatch(uri) and uri != subject:
            self._say(subject, f"{DC}source", rdflib.URIRef(uri))
        for creator in fields.get("creators") or ():
            self._literal(subject, f"{DC}creator", creator.get("name"))
        if isinstance(publisher := fields.get("publisher"), dict):
            self._literal(subject, f"{DC}publisher", publisher.get("name"))

    def _chunk(self, node: NodeView, subject: str) -> None:
        index, interval = node.fields.get("index"), node.fields.get("interval")
        self._literal(subject, f"{TG}chunkIndex", None if index is None else index + 1)
        told = "tg:charOffset" in node.attributes
        parents = {self._nodes[one.to_uid].kind for one in self._edges(node)}
        # Offsets are in the immediate parent's text; in a page of unknown place they cannot be told.
        if isinstance(interval, dict) and not told and "part" not in parents:
            self._literal(subject, f"{TG}charOffset", interval["start"])
            self._literal(subject, f"{TG}charLength", interval["end"] - interval["start"])

    def _run(self, node: NodeView, subject: str) -> None:
        self._literal(subject, f"{PROV}startedAtTime", node.fields.get("started_at"))
        self._literal(subject, f"{PROV}endedAtTime", node.fields.get("ended_at"))
        for edge in self._out[node.uid]:
            component = self._nodes[edge.to_uid]
            if edge.type == "WAS_ASSOCIATED_WITH" and component.kind == "component":
                self._literal(subject, f"{TG}componentVersion", component.fields.get("version"))
                config = component.fields.get("config")
                if not isinstance(config, dict):
                    continue
                for name in CONFIGURATION:
                    self._literal(subject, f"{TG}{name}", config.get(name))

    def _question(self, node: NodeView, subject: str) -> None:
        """The question is a thing of its own; what was found, and the answer, follow from it."""
        asked = node.attributes.get("tg:question")
        words = node.fields.get("query") or node.fields.get("question")
        if words is None and asked is None:
            return
        question = str(asked or f"urn:trustgraph:question:{node.uid}")
        if question != subject:
            self._say(subject, f"{PROV}wasDerivedFrom", rdflib.URIRef(question))
        self._say(question, f"{PREFIXES['rdf']}type", rdflib.URIRef(f"{TG}Question"))
        self._literal(question, f"{TG}query", words)
        if node.occurred_at is not None:
            self._literal(question, f"{PROV}startedAtTime", node.occurred_at.isoformat())
        if node.kind == "answer":
            self._literal(subject, f"{TG}llmModel", node.fields.get("model"))

    def _kept(self, subject: str, attributes: Mapping[str, JsonValue]) -> None:
        """What came in TrustGraph's words and has no field goes back as it came."""
        for name, value in attributes.items():
            if name in ("tg:subgraph", "tg:question", "tg:agent"):
                continue
            predicate = expand(name)
            if predicate == name and not _IRI.fullmatch(name):
                continue
            for one in value if isinstance(value, list) else [value]:
                if isinstance(one, str) and name in ("dc:source", "tg:document", "tg:entity"):
                    self._say(subject, predicate, _term(one))
                else:
                    self._literal(subject, predicate, one)

    def _triple(self, node: NodeView) -> rdflib.BNode | None:
        said = [node.fields.get(name) for name in ("subject", "predicate", "object")]
        if not all(isinstance(one, str) for one in said):
            return None
        subject, predicate, thing = (str(one) for one in said)
        declared = node.attributes.get("object")
        target = (
            _literal(thing, declared["literal"]) if isinstance(declared, dict) else _term(thing)
        )
        return quoted_node(self._graph, _named(subject), _named(predicate), target)

    def _say(self, subject: str, predicate: str, thing: rdflib.term.Node) -> None:
        self._graph.add((rdflib.URIRef(subject), rdflib.URIRef(predicate), thing))

    def _literal(self, subject: str, predicate: str, value: JsonValue) -> None:
        """TrustGraph writes every literal as a plain string."""
        if isinstance(value, (str, int, float)) and not isinstance(value, bool):
            self._say(subject, predicate, rdflib.Literal(str(value)))


def _iri_of(node: NodeView) -> str:
    """The node's key where it is an IRI, else one made of its uid; of a fact, of its subgraph."""
    if node.kind == "fact":
        told = node.attributes.get("tg:subgraph")
        return str(told) if told else f"https://trustgraph.ai/subgraph/{node.uid}"
    if node.kind == "component" and isinstance(agent := node.attributes.get("tg:agent"), str):
        return agent
    if node.key and _IRI.fullmatch(node.key) and node.kind != "component":
        return node.key
    if node.kind == "component":
        return f"https://trustgraph.ai/agent/{node.uid}"
    if node.kind == "run":
        return f"https://trustgraph.ai/activity/{node.uid}"
    return f"urn:{_MINTED.get(node.kind, node.kind)}:{node.uid}"


def _term(text: str) -> rdflib.URIRef | rdflib.Literal:
    return rdflib.URIRef(text) if _IRI.fullmatch(text) else rdflib.Literal(text)


def _named(text: str) -> rdflib.URIRef:
    """A subject or predicate: words that are no IRI become one that holds them."""
    if _IRI.fullmatch(text):
        return rdflib.URIRef(text)
    return rdflib.URIRef(f"urn:trustgraph:term:{quote(text, safe='')}")


def _literal(text: str, declared: str) -> rdflib.Literal:
    if declared.endswith("PlainLiteral"):
        return rdflib.Literal(text)
    if ":" in declared:
        return rdflib.Literal(text, datatype=rdflib.URIRef(declared), normalize=False)
    return rdflib.Literal(text, lang=declared)
