"""TrustGraph's activities and agents: which component did what to what, as native records."""

from collections.abc import Iterator, Mapping
from typing import Final

from lineage.formats.canonical import canonical_digest
from lineage.formats.openinference_spans import shortened
from lineage.formats.trustgraph_graph import Described
from lineage.formats.trustgraph_terms import (
    ASSOCIATED,
    ENDED,
    GENERATED,
    LABEL,
    PROV,
    STARTED,
    TG,
    TYPE,
    USED,
)
from lineage.formats.writing import record
from lineage.types import JsonValue
from lineage.vocabulary import UNSTATED

# What an activity made tells what it did, and by whom; else the name of its agent.
_BY_OUTPUT: Final[Mapping[str, tuple[str, str]]] = {
    "page": ("parse", "parser"),
    "section": ("parse", "parser"),
    "image": ("parse", "parser"),
    "chunk": ("chunk", "chunker"),
    "subgraph": ("extract", "extractor"),
}
_BY_NAME: Final[tuple[tuple[str, tuple[str, str]], ...]] = (
    ("chunk", ("chunk", "chunker")),
    ("embed", ("embed", "embedder")),
    ("ocr", ("parse", "ocr")),
    ("pdf", ("parse", "parser")),
    ("decod", ("parse", "parser")),
    ("extract", ("extract", "extractor")),
    ("rag", ("generate", "pipeline")),
)
_ANY: Final = ("pipeline", "pipeline")
# What an activity says of how its component was set up.
CONFIGURATION: Final = ("chunkSize", "chunkOverlap", "llmModel", "embeddingModel", "ontology")
# Kind of record that a thing is referred to as, by what it is.
KIND_OF: Final[Mapping[str, str]] = {
    "document": "document", "page": "part", "section": "part", "image": "part",
    "chunk": "chunk",
}  # fmt: skip
_TOLD: Final = frozenset(
    {TYPE, STARTED, ENDED, USED, ASSOCIATED, f"{TG}componentVersion"}
    | {f"{TG}{name}" for name in CONFIGURATION}
)


def activities(described: Described) -> list[str]:
    """What is an activity by its class, or by having made something that is extracted."""
    found = {
        thing
        for thing in described.things("activity", "")
        if f"{PROV}Activity" in described.iris(thing, TYPE)
    }
    found |= set(described.things("activity"))
    for thing in described.things(*_BY_OUTPUT):
        found |= set(described.iris(thing, GENERATED))
    return sorted(found)


def doers(described: Described) -> Iterator[JsonValue]:
    """The component and the run of each activity."""
    made: dict[str, list[str]] = {}
    for thing in described.things(*_BY_OUTPUT):
        for activity in described.iris(thing, GENERATED):
            made.setdefault(activity, []).append(described.sort(thing))
    for activity in activities(described):
        yield from _activity(described, activity, made.get(activity, ()))


def _activity(
    described: Described, activity: str, made: list[str] | tuple[()]
) -> Iterator[JsonValue]:
    agents = described.iris(activity, ASSOCIATED)
    name = _name(described, agents[0]) if agents else ""
    run_kind, component_kind = _kinds(made, name)
    started = described.instant(activity, STARTED)
    component = None
    if agents:
        version = shortened(described.literal(activity, f"{TG}componentVersion") or UNSTATED)
        config = _configuration(described, activity)
        digest = canonical_digest(config) if config else None
        component = f"{component_kind}:{name}@{version}" + (f"#{digest}" if digest else "")
        yield record(
            "component",
            component,
            component_kind=component_kind,
            name=name,
            version=version,
            config_digest=digest,
            config=config or None,
            attributes={"tg:agent": agents[0]},
        )
    used = [
        {"kind": KIND_OF[sort], "key": thing}
        for thing in described.iris(activity, USED)
        if (sort := described.sort(thing)) in KIND_OF
    ]
    if not described.is_described(activity):
        return
    yield record(
        "run",
        activity,
        occurred_at=started,
        run_kind=run_kind,
        component=component,
        started_at=started,
        ended_at=described.instant(activity, ENDED),
        used=used or None,
        attributes=described.rest(activity, _TOLD) or None,
    )


def _kinds(made: list[str] | tuple[()], name: str) -> tuple[str, str]:
    by_output = next((_BY_OUTPUT[sort] for sort in _BY_OUTPUT if sort in made), None)
    lower = name.lower()
    by_name = next((kinds for word, kinds in _BY_NAME if word in lower), _ANY)
    return by_output or by_name


def _name(described: Described, agent: str) -> str:
    """The agent's label, else the end of its IRI."""
    end = agent.rstrip("/#").replace("#", "/").rpartition("/")[2]
    return shortened(described.literal(agent, LABEL) or end or agent)


def _configuration(described: Described, activity: str) -> dict[str, JsonValue]:
    found: dict[str, JsonValue] = {}
    for name in CONFIGURATION:
        terms = described.terms(activity, f"{TG}{name}")
        if terms:
            number = described.integer(activity, f"{TG}{name}")
            found[name] = str(terms[0]) if number is None else number
    return found
