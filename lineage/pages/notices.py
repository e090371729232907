"""Published notices about sources: ingested as sources of their own, or read from a catalogue.

One that was ingested is a source of kind `notice`; where its attribute `concerns` is the key of a
source (as feeds of corrections and retractions write it), the page joins the two, so
that an editor files the case with one click. Nothing happens by itself: until somebody
files that case the notice is on record, and the pages of what it concerns say so.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final
from urllib.parse import quote

from django.db.models import Q, QuerySet

from lineage.cases.register import withdrawals_of
from lineage.compiled import Compiled
from lineage.identifiers import anywhere_of
from lineage.ingest.search_words import NOTICE, concerning
from lineage.models import Case, CaseTarget, Node, SearchWord
from lineage.nodes.visible import visible
from lineage.notices.on_record import on_record
from lineage.types import Viewer
from lineage.vocabulary import CASE_KINDS, REINSTATEMENT

MOST_NOTICES: Final = 12
# Sources of one page whose notices are looked for.
MOST_SOURCES: Final = 200
_CLOSED: Final = (Case.State.CANCELLED, Case.State.REJECTED)
_NONE: Final = (None, None)
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
    """A notice and the source it concerns; `in_effect`: a case on that source is in effect.

    `recorded_at` and `recorded_by`: when and by whom the notice was collected, which is not
    when it was published. `case_uid` is the latest case filed against the source, whatever
    became of it; None where none was, or where it was closed before it took effect.
    `lifted_at`: since when that case is no longer in effect, where it was reinstated. Of one
    that a catalogue tells of, `told_by` says who does and `published_on` when it was published;
    its uid is no source's, and its case is its own.
    """

    uid: str
    title: str
    doi: str | None
    case_kind: str
    recorded_at: str | None
    recorded_by: str | None
    source_uid: str
    source_title: str
    in_effect: bool
    case_uid: str | None
    lifted_at: datetime | None = None
    told_by: tuple[str, ...] = ()
    published_on: date | None = None
    pmid: str | None = None

    @property
    def address(self) -> str:
        """Where a notice that a catalogue tells of can be read; "" where that is not known."""
        if self.doi:
            return f"https://doi.org/{quote(self.doi, safe='/')}"
        return f"https://pubmed.ncbi.nlm.nih.gov/{self.pmid}/" if self.pmid else ""


_SOURCES: Final = Compiled(
    lambda given: (
        Node.objects.filter(
            workspace_id=given.id("workspace"), kind="source", uid__in=given.texts("uids")
        )
        .order_by("uid")
        .values_list("pk", "key")
    )
)
_CONCERNING: Final = Compiled(
    lambda given: Node.objects.filter(
        workspace_id=given.id("workspace"),
        kind="source",
        pk__in=SearchWord.objects.filter(
            workspace_id=given.id("workspace"), word__in=given.texts("words")
        ).values("node_id"),
    ).order_by("-recorded_at", "uid")[: MOST_SOURCES * 4]
)

_CONCERNED: Final = Compiled(
    lambda given: Node.objects.filter(
        workspace_id=given.id("workspace"), kind="source", anywhere__in=given.texts("anywhere")
    ).order_by("uid")[: MOST_SOURCES * 2]
)
_FILED: Final = Compiled(
    lambda given: (
        CaseTarget.objects.filter(
            Q(node_id__in=given.ids("sources"))
            | Q(node__parent_id__in=given.ids("sources"), node__kind="source_version"),
            case__workspace_id=given.id("workspace"),
        )
        .exclude(case__state__in=_CLOSED)
        .exclude(case__kind=REINSTATEMENT)
        .order_by("case__created_at", "case__uid")
        .values_list(
            "node_id", "node__parent_id", "case__uid", "case__reinstatements__approved_at"
        )[: MOST_SOURCES * 10]
    )
)


def notices_about_sources(viewer: Viewer, most: int = MOST_NOTICES) -> tuple[TouchingNotice, ...]:
    """The latest notices whose source is known here and visible to the viewer."""
    rows = list(_notices(viewer).order_by("-recorded_at", "uid")[: most * 4])
    return _joined(viewer, rows, most)


def notices_on(
    viewer: Viewer, source_uids: Iterable[str | None], most: int = MOST_NOTICES
) -> tuple[TouchingNotice, ...]:
    """The latest notices that concern these sources, as far as the viewer may see both."""
    uids = sorted({uid for uid in source_uids if uid})[:MOST_SOURCES]
    if not uids:
        return ()
    sources: dict[int, str] = dict(_SOURCES.rows(workspace=viewer.workspace_id, uids=uids))
    rows = _CONCERNING.instances(
        workspace=viewer.workspace_id,
        words=[concerning(key, viewer.hash_key) for key in sources.values()],
    )
    ingested = _joined(viewer, rows[: most * 4], most, among=sources.keys())
    said = {(notice.doi, notice.source_uid) for notice in ingested if notice.doi}
    listed = _listed(viewer, sources.keys(), most)
    others = (each for each in listed if (each.doi, each.source_uid) not in said)
    return (*ingested, *others)[:most]


def _listed(viewer: Viewer, source_ids: Collection[int], most: int) -> list[TouchingNotice]:
    """What catalogues say of these sources, of those that the viewer may see."""
    found = on_record(viewer.workspace_id, source_ids, most)
    if not found:
        return []
    ids = {notice.source_id for notice in found}
    nodes = {node.pk: node for node in Node.objects.filter(pk__in=ids).order_by("pk")}
    seen = visible(viewer, list(nodes.values()))
    in_effect = withdrawals_of(viewer.workspace_id, sorted(ids))
    return [
        TouchingNotice(
            uid=notice.uid,
            title=f"PMID {notice.pmid}" if notice.pmid else "",
            doi=notice.doi or None,
            case_kind=notice.case_kind,
            recorded_at=None,
            recorded_by=None,
            source_uid=nodes[notice.source_id].uid,
            source_title=_string(nodes[notice.source_id].fields.get("title"))
            or nodes[notice.source_id].label,
            in_effect=bool(in_effect.get(notice.source_id)),
            case_uid=notice.case_uid,
            lifted_at=notice.lifted_at,
            told_by=notice.providers,
            published_on=notice.noted_on,
            pmid=notice.pmid or None,
        )
        for notice in found
        if seen[notice.source_id]
    ]


def notice_of(viewer: Viewer, uid: str) -> TouchingNotice | None:
    """The notice with this uid and what it concerns; None for what is no notice of a known source."""
    rows = list(_notices(viewer).filter(uid=uid).order_by("uid")[:1])
    return next(iter(_joined(viewer, rows, 1)), None)


def _notices(viewer: Viewer, words: Collection[str] = (NOTICE,)) -> QuerySet[Node]:
    """Notices of the workspace, found by the words that ingestion keeps of them."""
    found = SearchWord.objects.filter(workspace_id=viewer.workspace_id, word__in=sorted(words))
    return Node.objects.filter(
        workspace_id=viewer.workspace_id, kind="source", pk__in=found.values("node_id")
    )


def _joined(
    viewer: Viewer, rows: Sequence[Node], most: int, among: Collection[int] | None = None
) -> tuple[TouchingNotice, ...]:
    """The notices with their sources; `among`: only sources with these ids."""
    if not rows:
        return ()
    concerned = {
        row.pk: anywhere_of(viewer.hash_key, "source", key)
        for row in rows
        if isinstance(key := row.attributes.get("concerns"), str) and key
    }
    sources = _CONCERNED.instances(
        workspace=viewer.workspace_id, anywhere=sorted(set(concerned.values()))
    )
    by_key = {source.anywhere: source for source in sources if among is None or source.pk in among}
    seen = visible(viewer, [*rows, *by_key.values()])
    pairs = [
        (row, by_key[concerned[row.pk]])
        for row in rows
        if concerned.get(row.pk) in by_key and seen[row.pk] and seen[by_key[concerned[row.pk]].pk]
    ][:most]
    return _told(viewer, pairs)


def _told(viewer: Viewer, pairs: Sequence[tuple[Node, Node]]) -> tuple[TouchingNotice, ...]:
    source_ids = [source.pk for _, source in pairs]
    in_effect = withdrawals_of(viewer.workspace_id, source_ids)
    filed = _filed(viewer, source_ids)
    return tuple(
        TouchingNotice(
            uid=notice.uid,
            title=_string(notice.fields.get("title")) or notice.label,
            doi=_string(notice.fields.get("doi")),
            case_kind=_case_kind(notice.attributes.get("notice_kind")),
            recorded_at=_string(notice.attributes.get("recorded_at")),
            recorded_by=_string(notice.attributes.get("recorded_by")),
            source_uid=source.uid,
            source_title=_string(source.fields.get("title")) or source.label,
            in_effect=bool(in_effect.get(source.pk)),
            case_uid=filed.get(source.pk, _NONE)[0],
            lifted_at=filed.get(source.pk, _NONE)[1],
        )
        for notice, source in pairs
    )


def _filed(
    viewer: Viewer, source_ids: Sequence[int]
) -> dict[int, tuple[str | None, datetime | None]]:
    """The latest case that names each source or a version of it, and when it was lifted, by the source's id."""
    if not source_ids:
        return {}
    rows = _FILED.rows(workspace=viewer.workspace_id, sources=source_ids)
    wanted = set(source_ids)
    return {
        (node_id if node_id in wanted else parent_id or 0): (case_uid, lifted_at)
        for node_id, parent_id, case_uid, lifted_at in rows
    }


def _case_kind(stated: Any) -> str:
    word = str(stated or "").strip().lower()
    known = _KIND_OF_WORD.get(word, word)
    return known if known in CASE_KINDS else "correction"


def _string(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
