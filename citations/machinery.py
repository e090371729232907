"""By what something was made: runs, their components, the prompt, the index that was searched."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from citations.stated import stated
from citations.upstream import Upstream
from lineage.models import Node
from lineage.vocabulary import KINDS, Edge, stated_version


@dataclass(frozen=True, slots=True)
class RunFact:
    """A run on the way from the source to the answer, and the component that did it."""

    run_uid: str
    run_kind: str | None
    component_uid: str | None
    component_kind: str | None
    name: str | None
    version: str | None
    config_digest: str | None
    started_at: str | None
    ended_at: str | None
    status: str | None
    node_uid: str  # what the run made

    @property
    def stated_version(self) -> str | None:
        return stated_version(self.version)


@dataclass(frozen=True, slots=True)
class PromptFact:
    """The template the context was put into, as sent."""

    component_uid: str
    name: str | None
    version: str | None
    digest: str | None

    @property
    def stated_version(self) -> str | None:
        return stated_version(self.version)


@dataclass(frozen=True, slots=True)
class SnapshotFact:
    """An index build that the retrieval searched."""

    uid: str
    collection: str | None
    built_at: str | None


def runs_of(upstream: Upstream, nodes: Iterable[Node]) -> tuple[RunFact, ...]:
    """The runs that made these nodes, from the source to the answer, each pair once."""
    ordered = sorted(nodes, key=lambda node: (KINDS[node.kind].stage, node.pk))
    return tuple(
        dict.fromkeys(
            _run(upstream, run, node)
            for node in ordered
            for run in upstream.causes(node.pk, Edge.WAS_GENERATED_BY)
        )
    )


def prompt_of(upstream: Upstream, contexts: Sequence[Node]) -> PromptFact | None:
    """The prompt of the first context that names one."""
    for context in contexts:
        for prompt in upstream.causes(context.pk, Edge.WAS_INFLUENCED_BY, "prompt"):
            said = prompt.fields
            return PromptFact(
                prompt.uid,
                stated(said.get("name")),
                stated(said.get("version")),
                stated(said.get("config_digest")) or prompt.digest or None,
            )
    return None


def snapshots_of(upstream: Upstream, retrievals: Sequence[Node]) -> tuple[SnapshotFact, ...]:
    """The index snapshots that the retrievals searched, each once."""
    return tuple(
        dict.fromkeys(
            SnapshotFact(
                snapshot.uid,
                stated(snapshot.fields.get("collection")),
                stated(snapshot.fields.get("built_at")),
            )
            for retrieval in retrievals
            for snapshot in upstream.causes(retrieval.pk, Edge.USED_SNAPSHOT)
        )
    )


def _run(upstream: Upstream, run: Node, node: Node) -> RunFact:
    components = upstream.causes(run.pk, Edge.WAS_ASSOCIATED_WITH)
    component = components[0] if components else None
    did = component.fields if component is not None else {}
    return RunFact(
        run_uid=run.uid,
        run_kind=stated(run.fields.get("run_kind")),
        component_uid=component.uid if component is not None else None,
        component_kind=stated(did.get("component_kind")),
        name=stated(did.get("name")),
        version=stated(did.get("version")),
        config_digest=stated(did.get("config_digest")),
        started_at=stated(run.fields.get("started_at")),
        ended_at=stated(run.fields.get("ended_at")),
        status=stated(run.fields.get("status")),
        node_uid=node.uid,
    )
