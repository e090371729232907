"""Runs, jobs, engines and owners of OpenLineage as native records."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from lineage.formats.canonical import canonical_digest
from lineage.formats.implied import component_key
from lineage.formats.openlineage_parts import Element, Occasion, Records
from lineage.formats.openlineage_schemas import FRAMING
from lineage.formats.times import written
from lineage.formats.values import KEY_LENGTH
from lineage.formats.writing import stated
from lineage.identifiers import text_digest
from lineage.types import JsonValue
from lineage.vocabulary import RUN_KINDS, UNSTATED

_ENDS: Final = {"COMPLETE": "completed", "FAIL": "failed", "ABORT": "aborted"}
_GOES_ON: Final = ("START", "RUNNING")
# The last word of a job's name tells what it does where it is one of these.
_KIND_OF_WORD: Final = {
    "acquire": "acquire", "fetch": "acquire", "crawl": "acquire", "download": "acquire",
    "parse": "parse", "parser": "parse", "ocr": "parse",
    "chunk": "chunk", "chunker": "chunk", "split": "chunk",
    "embed": "embed", "embedder": "embed", "embedding": "embed",
    "index": "index", "indexer": "index",
}  # fmt: skip
_COMPONENT_OF_RUN: Final = {
    "acquire": "connector", "parse": "parser", "chunk": "chunker", "extract": "extractor",
    "embed": "embedder", "index": "indexer", "check": "checker",
}  # fmt: skip
_AGENT_OF_URN: Final = {
    "user": "person", "person": "person", "team": "organization", "group": "organization",
    "org": "organization", "organization": "organization", "application": "software",
    "service": "software",
}  # fmt: skip
_ROLE_OF_OWNER: Final = {"EDITOR": "editor", "TRANSLATOR": "translator"}


def run_namespace(job: Element) -> str:
    """The namespace of a job's runs: a run id used by two jobs names two runs."""
    escaped = job.namespace.replace("%", "%25").replace("#", "%23")
    namespace = f"{escaped}#{job.name}"
    return namespace if len(namespace) <= KEY_LENGTH else text_digest(namespace)


def job_records(
    records: Records, job: Element, at: str, more: Mapping[str, JsonValue]
) -> JsonValue:
    """The job as a pipeline, and the reference to it; `more` are attributes beside its facets."""
    located = job.facets.get("sourceCodeLocation", {})
    version = located.get("version") or located.get("tag")
    digest = text_digest(version) if version else None
    plain: dict[str, JsonValue] = {
        "namespace": job.namespace,
        "component_kind": "pipeline",
        "name": job.name,
    }
    attributes = {**job.attributes, **more}
    if version or not attributes:
        records.add(
            job.pointer, "component", job.name, **plain, version=version or UNSTATED, digest=digest,
            occurred_at=at if version else None, attributes=attributes or None,
        )  # fmt: skip
    else:
        records.add(job.pointer, "component", job.name, **plain, version=UNSTATED)
        records.add(
            job.pointer, "component", job.name, unsaid=("version",), **plain, version=UNSTATED,
            occurred_at=at, attributes=attributes,
        )  # fmt: skip
    owners(records, job)
    return stated(key=job.name, namespace=job.namespace, digest=digest)


def run_records(
    records: Records,
    run: Element,
    job: Element,
    occasion: Occasion,
    *,
    event_type: str,
    component: JsonValue,
    used: Sequence[JsonValue],
    replaced: Sequence[JsonValue],
) -> None:
    """The run: what is always so of it, and what this event tells.

    `replaced` are inputs that the run writes, too: what it read was there just before. A run
    that goes on says so without a time, so that its end wins whatever the clocks say.
    """
    assert occasion.run is not None
    key, namespace = str(occasion.run["key"]), occasion.run["namespace"]
    stated_kind = str(job.facets.get("jobType", {}).get("jobType", "")).lower()
    by_name = _KIND_OF_WORD.get(re.split(r"[./:]", job.name)[-1].lower(), "pipeline")
    kind = stated_kind if stated_kind in RUN_KINDS else by_name
    at = written(occasion.instant.at)
    records.add(
        run.pointer,
        "run",
        key,
        unsaid=() if kind != by_name else ("run_kind",),
        namespace=namespace,
        run_kind=kind,
        occurred_at=occasion.at,
        started_at=at if event_type == "START" else None,
        ended_at=at if event_type in _ENDS else None,
        status=_ENDS.get(event_type),
        component=component,
        engine=_engine(records, run, kind),
        used=list(used) or None,
        parameters=_parameters(run) or None,
        attributes=dict(run.attributes) or None,
    )
    records.add(
        run.pointer,
        "run",
        key,
        namespace=namespace,
        run_kind=by_name,
        status="running" if event_type in _GOES_ON else None,
    )
    if replaced:
        records.add(
            run.pointer,
            "run",
            key,
            unsaid=("run_kind",),
            namespace=namespace,
            run_kind=by_name,
            occurred_at=occasion.just_before,
            used=list(replaced),
        )


def component_of_run(kind: str) -> str:
    """The kind of component that does such runs."""
    return _COMPONENT_OF_RUN.get(kind, "pipeline")


def _engine(records: Records, run: Element, kind: str) -> JsonValue:
    """The engine that the run names, with how it was set up, and the reference to it."""
    facet = run.facets.get("processing_engine", {})
    name, version = facet.get("name"), facet.get("version")
    if not name or not version:
        return None
    config = plain(run.facets.get("rag_chunking", {})) or None
    fields = {"component_kind": component_of_run(kind), "name": name, "version": version}
    key = component_key(str(fields["component_kind"]), dict(fields), "config_digest")
    pointer = f"{run.pointer}/facets/processing_engine"
    records.add(pointer, "component", key, **fields, config=config)
    return stated(key=key, namespace="", digest=canonical_digest(config) if config else None)


def _parameters(run: Element) -> dict[str, JsonValue]:
    """The parameters that the run was started with, by name."""
    sent = run.facets.get("executionParameters", {}).get("parameters", ())
    found = {each["key"]: each.get("value") for each in sent}
    chunking = plain(run.facets.get("rag_chunking", {}))
    return {**found, **chunking}


def plain(facet: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """What a facet says, without who says it by which schema."""
    return {name: value for name, value in facet.items() if name not in FRAMING}


def owners(records: Records, part: Element) -> list[dict[str, JsonValue]] | None:
    """The agents whom an ownership facet names, as creators; None where it names nobody."""
    facet = part.facets.get("ownership")
    if facet is None:
        return None
    found: list[dict[str, JsonValue]] = []
    for number, owner in enumerate(facet.get("owners", ())):
        name = owner["name"]
        if not name:
            continue
        pointer = f"{part.pointer}/facets/ownership/owners/{number}"
        kind = _AGENT_OF_URN.get(name.partition(":")[0].lower()) if ":" in name else None
        records.add(pointer, "agent", name, name=name, agent_kind=kind)
        role = _ROLE_OF_OWNER.get(str(owner.get("type", "")).upper(), "creator")
        found.append({"agent": {"key": name, "namespace": ""}, "role": role})
    return found
