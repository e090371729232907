"""Published notices that were ingested as sources and say which source they concern.

A notice is a source of kind `notice`; where its attribute `concerns` is the key of a
source (as feeds of corrections and retractions write it), the page joins the two, so
that an editor files the case with one click. Nothing happens by itself.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from lineage.cases.register import withdrawals_of
from lineage.identifiers import anywhere_of
from lineage.models import Node
from lineage.nodes.visible import visible
from lineage.types import Viewer
from lineage.vocabulary import CASE_KINDS

MOST_NOTICES: Final = 12
# Words of feeds for kinds of cases; a word that is none of them files a correction.
_KIND_OF_WORD: Final = {
    "erratum": "correction",
    "corrigendum": "correction",
    "expression_of_concern": "concern",
    "expression of concern": "concern",
    "withdrawal": "retraction",
    "removal": "retraction",
}


@dataclass(frozen=True, slots=True)
class TouchingNotice:
    """A notice and the source it concerns; `in_effect`: a case on that source is in effect."""

    uid: str
    title: str
    doi: str | None
    case_kind: str
    recorded_at: str | None
    source_uid: str
    source_title: str
    in_effect: bool


def notices_about_sources(viewer: Viewer, most: int = MOST_NOTICES) -> tuple[TouchingNotice, ...]:
    """The latest notices whose source is known here and visible to the viewer."""
    rows = list(
        Node.objects.filter(
            workspace_id=viewer.workspace_id, kind="source", fields__source_kind="notice"
        ).order_by("-recorded_at", "uid")[: most * 4]
    )
    concerned = {
        row.pk: anywhere_of(viewer.hash_key, "source", key)
        for row in rows
        if isinstance(key := row.attributes.get("concerns"), str) and key
    }
    sources = Node.objects.filter(
        workspace_id=viewer.workspace_id, kind="source", anywhere__in=set(concerned.values())
    ).order_by("uid")[: most * 8]
    by_key = {source.anywhere: source for source in sources}
    seen = visible(viewer, [*rows, *by_key.values()])
    pairs = [
        (row, by_key[concerned[row.pk]])
        for row in rows
        if concerned.get(row.pk) in by_key and seen[row.pk] and seen[by_key[concerned[row.pk]].pk]
    ][:most]
    return _told(viewer, pairs)


def _told(viewer: Viewer, pairs: Sequence[tuple[Node, Node]]) -> tuple[TouchingNotice, ...]:
    in_effect = withdrawals_of(viewer.workspace_id, [source.pk for _, source in pairs])
    return tuple(
        TouchingNotice(
            uid=notice.uid,
            title=_string(notice.fields.get("title")) or notice.label,
            doi=_string(notice.fields.get("doi")),
            case_kind=_case_kind(notice.attributes.get("notice_kind")),
            recorded_at=_string(notice.attributes.get("recorded_at")),
            source_uid=source.uid,
            source_title=_string(source.fields.get("title")) or source.label,
            in_effect=bool(in_effect.get(source.pk)),
        )
        for notice, source in pairs
    )


def _case_kind(stated: Any) -> str:
    word = str(stated or "").strip().lower()
    known = _KIND_OF_WORD.get(word, word)
    return known if known in CASE_KINDS else "correction"


def _string(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
