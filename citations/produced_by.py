"""What an answer was produced with: the prompt template and the index builds that were searched."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from lineage.models import Node, Reference
from lineage.types import JsonValue
from lineage.vocabulary import Edge

_MOST: Final = 50


@dataclass(frozen=True, slots=True)
class PromptFact:
    """The template the context was put into, as sent."""

    component_uid: str
    name: str | None
    version: str | None
    digest: str | None


@dataclass(frozen=True, slots=True)
class SnapshotFact:
    """An index build that the retrieval searched."""

    uid: str
    collection: str | None
    built_at: str | None


def prompt_of(workspace_id: int, contexts: Sequence[Node]) -> PromptFact | None:
    """The prompt component of the first context that names one."""
    if not contexts:
        return None
    row = (
        Reference.objects.filter(
            workspace_id=workspace_id,
            holder_id__in=[context.pk for context in contexts],
            relation="prompt",
            to_node__isnull=False,
        )
        .select_related("to_node")
        .order_by("holder_id", "pk")
        .first()
    )
    prompt = row.to_node if row is not None else None
    if prompt is None:
        return None
    said = prompt.fields
    return PromptFact(
        prompt.uid,
        _text(said.get("name")),
        _text(said.get("version")),
        _text(said.get("config_digest")) or prompt.digest or None,
    )


def snapshots_of(workspace_id: int, retrievals: Sequence[Node]) -> tuple[SnapshotFact, ...]:
    """The index snapshots that the retrievals searched, each once."""
    if not retrievals:
        return ()
    rows = (
        Reference.objects.filter(
            workspace_id=workspace_id,
            from_node_id__in=[retrieval.pk for retrieval in retrievals],
            edge=Edge.USED_SNAPSHOT,
            to_node__isnull=False,
        )
        .select_related("to_node")
        .order_by("from_node_id", "pk")[:_MOST]
    )
    return tuple(
        dict.fromkeys(
            SnapshotFact(
                row.to_node.uid,
                _text(row.to_node.fields.get("collection")),
                _text(row.to_node.fields.get("built_at")),
            )
            for row in rows
            if row.to_node is not None
        )
    )


def _text(value: JsonValue) -> str | None:
    return value if isinstance(value, str) and value else None
