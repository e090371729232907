"""TrustGraph's vocabulary (ontology 2.3, https://trustgraph.ai/ns/) and what its IRIs stand for."""

from collections.abc import Mapping
from typing import Final

TG: Final = "https://trustgraph.ai/ns/"
PROV: Final = "http://www.w3.org/ns/prov#"
RDF: Final = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS: Final = "http://www.w3.org/2000/01/rdf-schema#"
DC: Final = "http://purl.org/dc/elements/1.1/"
PREFIXES: Final[Mapping[str, str]] = {"tg": TG, "prov": PROV, "rdf": RDF, "rdfs": RDFS, "dc": DC}

TYPE: Final = f"{RDF}type"
LABEL: Final = f"{RDFS}label"
DERIVED: Final = f"{PROV}wasDerivedFrom"
GENERATED: Final = f"{PROV}wasGeneratedBy"
STARTED: Final = f"{PROV}startedAtTime"
ENDED: Final = f"{PROV}endedAtTime"
USED: Final = f"{PROV}used"
ASSOCIATED: Final = f"{PROV}wasAssociatedWith"
# A triple that another is about, where the syntax has no quoted triples.
STATEMENT: Final = (f"{RDF}subject", f"{RDF}predicate", f"{RDF}object")
# Where a thing's own words stand, if they are sent at all: TrustGraph keeps them in its library.
WORDS: Final = (f"{TG}content", f"{PROV}value")
# Words that repeat passages. They would stand where erasing a source does not reach them: not kept.
UNKEPT: Final = frozenset({f"{TG}reasoning", f"{TG}sourceText"})
# How a subgraph or a statement names the triples it was extracted as; the second is the older way.
CONTAINS: Final = (f"{TG}contains", f"{TG}reifies")

# What a class makes of a thing; subclasses of questions and answers come to the same.
CLASSES: Final[Mapping[str, str]] = {
    TG + name: what
    for what, names in {
        "document": ("Document",),
        "page": ("Page",),
        "section": ("Section",),
        "image": ("Image",),
        "chunk": ("Chunk",),
        "subgraph": ("Subgraph",),
        "question": ("Question", "GraphRagQuestion", "DocRagQuestion", "AgentQuestion"),
        "grounding": ("Grounding",),
        "exploration": ("Exploration",),
        "focus": ("Focus",),
        "answer": ("Synthesis", "Answer", "Conclusion", "Finding", "StepResult"),
    }.items()
    for name in names
}
# What the beginning of an IRI tells of a thing that nobody describes.
BEGINNINGS: Final[Mapping[str, str]] = {
    "urn:page:": "page",
    "urn:section:": "section",
    "urn:image:": "image",
    "urn:chunk:": "chunk",
    "https://trustgraph.ai/subgraph/": "subgraph",
    "https://trustgraph.ai/stmt/": "subgraph",
    "https://trustgraph.ai/activity/": "activity",
    "urn:trustgraph:question:": "question",
    "urn:trustgraph:session:": "question",
    "urn:trustgraph:prov:grounding:": "grounding",
    "urn:trustgraph:prov:exploration:": "exploration",
    "urn:trustgraph:prov:focus:": "focus",
    "urn:trustgraph:prov:synthesis:": "answer",
}
# What only things of one sort have, for graphs that give no classes.
TELLING: Final[Mapping[str, str]] = {
    f"{TG}pageNumber": "page",
    f"{TG}chunkIndex": "chunk",
    f"{TG}charOffset": "chunk",
    f"{TG}pageCount": "document",
    f"{TG}mimeType": "document",
    f"{TG}query": "question",
    f"{TG}selectedEdge": "focus",
    f"{TG}edgeCount": "exploration",
    f"{TG}chunkCount": "exploration",
}
# Kind of record → what it is in TrustGraph's words, for references to things.
PARTS: Final = frozenset({"page", "section", "image"})
EXTRACTED: Final = PARTS | {"chunk"}


def compact(iri: str) -> str:
    """The IRI with its usual prefix, where it has one."""
    for prefix, beginning in PREFIXES.items():
        if iri.startswith(beginning):
            return f"{prefix}:{iri[len(beginning) :]}"
    return iri


def expand(name: str) -> str:
    """The IRI of a name that `compact` made."""
    prefix, _, local = name.partition(":")
    return PREFIXES[prefix] + local if prefix in PREFIXES else name
