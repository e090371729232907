"""What the terms of PROV-O say: predicates and classes, and the statements they stand for."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from lineage.formats.prov_statements import PROV, RDF, RDFS


class Direct(NamedTuple):
    """A predicate between two things: subject and object are these arguments of the relation."""

    relation: str
    subject: str
    object: str
    subtype: str = ""  # of a derivation: its prov:type


class Qualified(NamedTuple):
    """A predicate that leads to a node which says more; `arguments` by the node's predicates."""

    relation: str
    subject: str
    arguments: Mapping[str, str]
    subtype: str = ""


def _in_full(table: Mapping[str, str]) -> Mapping[str, str]:
    return {PROV + term: argument for term, argument in table.items()}


TYPE: Final = f"{RDF}type"
# Subclasses are kept as prov:type; the three classes themselves are the kind of element.
CLASSES: Final[Mapping[str, str]] = {
    f"{PROV}{name}": element
    for element, names in {
        "entity": ("Entity", "Plan", "Collection", "EmptyCollection", "Bundle"),
        "activity": ("Activity",),
        "agent": ("Agent", "Person", "Organization", "SoftwareAgent"),
    }.items()
    for name in names
}
PLAIN_CLASSES: Final = frozenset({f"{PROV}Entity", f"{PROV}Activity", f"{PROV}Agent"})

DIRECT: Final[Mapping[str, Direct]] = {
    f"{PROV}{term}": Direct(*row)
    for term, row in {
        "wasGeneratedBy": ("wasGeneratedBy", "entity", "activity"),
        "generated": ("wasGeneratedBy", "activity", "entity"),
        "used": ("used", "activity", "entity"),
        "wasInformedBy": ("wasInformedBy", "informed", "informant"),
        "wasStartedBy": ("wasStartedBy", "activity", "trigger"),
        "wasEndedBy": ("wasEndedBy", "activity", "trigger"),
        "wasInvalidatedBy": ("wasInvalidatedBy", "entity", "activity"),
        "invalidated": ("wasInvalidatedBy", "activity", "entity"),
        "wasDerivedFrom": ("wasDerivedFrom", "generatedEntity", "usedEntity"),
        "wasRevisionOf": ("wasDerivedFrom", "generatedEntity", "usedEntity", "Revision"),
        "wasQuotedFrom": ("wasDerivedFrom", "generatedEntity", "usedEntity", "Quotation"),
        "hadPrimarySource": ("wasDerivedFrom", "generatedEntity", "usedEntity", "PrimarySource"),
        "wasAttributedTo": ("wasAttributedTo", "entity", "agent"),
        "wasAssociatedWith": ("wasAssociatedWith", "activity", "agent"),
        "actedOnBehalfOf": ("actedOnBehalfOf", "delegate", "responsible"),
        "wasInfluencedBy": ("wasInfluencedBy", "influencee", "influencer"),
        "influenced": ("wasInfluencedBy", "influencer", "influencee"),
        "specializationOf": ("specializationOf", "specificEntity", "generalEntity"),
        "alternateOf": ("alternateOf", "alternate1", "alternate2"),
        "mentionOf": ("mentionOf", "specificEntity", "generalEntity"),
        "hadMember": ("hadMember", "collection", "entity"),
    }.items()
}

_DERIVATION: Final = _in_full(
    {"entity": "usedEntity", "hadActivity": "activity", "hadGeneration": "generation",
     "hadUsage": "usage"}
)  # fmt: skip
QUALIFIED: Final[Mapping[str, Qualified]] = {
    f"{PROV}qualifiedGeneration": Qualified(
        "wasGeneratedBy", "entity", _in_full({"activity": "activity", "atTime": "time"})
    ),
    f"{PROV}qualifiedUsage": Qualified(
        "used", "activity", _in_full({"entity": "entity", "atTime": "time"})
    ),
    f"{PROV}qualifiedCommunication": Qualified(
        "wasInformedBy", "informed", _in_full({"activity": "informant"})
    ),
    f"{PROV}qualifiedStart": Qualified(
        "wasStartedBy", "activity",
        _in_full({"entity": "trigger", "hadActivity": "starter", "atTime": "time"}),
    ),
    f"{PROV}qualifiedEnd": Qualified(
        "wasEndedBy", "activity",
        _in_full({"entity": "trigger", "hadActivity": "ender", "atTime": "time"}),
    ),
    f"{PROV}qualifiedInvalidation": Qualified(
        "wasInvalidatedBy", "entity", _in_full({"activity": "activity", "atTime": "time"})
    ),
    f"{PROV}qualifiedDerivation": Qualified("wasDerivedFrom", "generatedEntity", _DERIVATION),
    f"{PROV}qualifiedRevision": Qualified(
        "wasDerivedFrom", "generatedEntity", _DERIVATION, "Revision"
    ),
    f"{PROV}qualifiedQuotation": Qualified(
        "wasDerivedFrom", "generatedEntity", _DERIVATION, "Quotation"
    ),
    f"{PROV}qualifiedPrimarySource": Qualified(
        "wasDerivedFrom", "generatedEntity", _DERIVATION, "PrimarySource"
    ),
    f"{PROV}qualifiedAttribution": Qualified(
        "wasAttributedTo", "entity", _in_full({"agent": "agent"})
    ),
    f"{PROV}qualifiedAssociation": Qualified(
        "wasAssociatedWith", "activity", _in_full({"agent": "agent", "hadPlan": "plan"})
    ),
    f"{PROV}qualifiedDelegation": Qualified(
        "actedOnBehalfOf", "delegate",
        _in_full({"agent": "responsible", "hadActivity": "activity"}),
    ),
    f"{PROV}qualifiedInfluence": Qualified(
        "wasInfluencedBy", "influencee",
        _in_full({"influencer": "influencer", "entity": "influencer", "activity": "influencer",
                  "agent": "influencer"}),
    ),
}  # fmt: skip
# Classes of the nodes that qualify: they say again what the predicate says.
INFLUENCES: Final = frozenset(
    f"{PROV}{name}"
    for name in (
        "Influence", "EntityInfluence", "ActivityInfluence", "AgentInfluence",
        "InstantaneousEvent", "Generation", "Usage", "Communication", "Start", "End",
        "Invalidation", "Derivation", "Revision", "Quotation", "PrimarySource", "Attribution",
        "Association", "Delegation",
    )
)  # fmt: skip

# Predicates that PROV-DM has as attributes of another name.
RENAMED: Final[Mapping[str, str]] = {
    TYPE: f"{PROV}type",
    f"{RDFS}label": f"{PROV}label",
    f"{PROV}atLocation": f"{PROV}location",
    f"{PROV}hadRole": f"{PROV}role",
}
# An element's times: those of an activity, and events of an entity that names no activity.
ACTIVITY_TIMES: Final = {f"{PROV}startedAtTime": "startTime", f"{PROV}endedAtTime": "endTime"}
EVENT_TIMES: Final = {
    f"{PROV}generatedAtTime": "wasGeneratedBy",
    f"{PROV}invalidatedAtTime": "wasInvalidatedBy",
}
IN_BUNDLE: Final = f"{PROV}asInBundle"
