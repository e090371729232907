"""Which sources of a workspace notices are about: many at once, in both directions.

From notices that were read to the sources that there are, by the words under which ingestion
keeps their identifiers and titles; and from sources that came later to the notices on record.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from lineage.compiled import Compiled, by_their_ids
from lineage.formats.notices import parted
from lineage.formats.scholarly import normal_doi, normal_pmid
from lineage.ingest.keys import in_chunks
from lineage.ingest.search_words import bare_identifier_word, title_word
from lineage.models import Node, Notice, NoticeMatch, SearchWord
from lineage.notices import shelf
from lineage.notices.agreement import Judged, Known, judge
from lineage.notices.rows import Subject
from provexplorer import clock
from provexplorer.workspaces.models import Workspace

# Sources that one notice may be about; a title that more of them have tells none.
MOST_SOURCES: Final = 50
# Notices on record that one look through sources brings up.
_MOST_NOTICES: Final = 5_000
_MOST_VERSIONS: Final = 20_000


_HAVING: Final = Compiled(
    lambda given: (
        SearchWord.objects.filter(workspace_id=given.id("workspace"), word__in=given.texts("words"))
        .order_by("word", "node_id")
        .values_list("word", "node_id")
    )
)


_SOURCES: Final = Compiled(
    lambda given: (
        by_their_ids(
            Node.objects.filter(pk__in=given.ids("ids"), kind="source", resolved=True),
            given.id("workspace"),
        )
        .order_by("pk")
        .values_list("pk", "fields")
    )
)


class Found(NamedTuple):
    """What a look has found that was not known: how many matches and suggestions, of which notices."""

    matched: int
    suggested: int
    notice_ids: frozenset[int]


def match_notices(workspace: Workspace, subjects: Sequence[Subject]) -> Found:
    """Find the sources that these notices are about. In the caller's transaction."""
    key = workspace.hash_key
    words: dict[str, list[Subject]] = defaultdict(list)
    for subject in subjects:
        for bare in (subject.doi, subject.pmid):
            if bare:
                words[bare_identifier_word(bare, key)].append(subject)
    found = _nodes_by_word(workspace, words)
    met = {subject.notice_id for word in found for subject in words[word]}
    titles: dict[str, list[Subject]] = defaultdict(list)
    for subject in subjects:
        if subject.title_word and subject.notice_id not in met:
            titles[subject.title_word].append(subject)
    found |= _nodes_by_word(workspace, titles)
    pairs: dict[int, dict[int, Subject]] = defaultdict(dict)
    for word, node_ids in found.items():
        for subject in (*words.get(word, ()), *titles.get(word, ())):
            for node_id in node_ids:
                pairs[node_id][subject.notice_id] = subject
    return _judged(workspace, pairs)


def match_sources(workspace: Workspace, node_ids: Collection[int]) -> Found:
    """Find the notices on record that are about these sources. In the caller's transaction."""
    rows = by_their_ids(
        Node.objects.filter(pk__in=list(node_ids), kind="source", resolved=True), workspace.pk
    )
    nodes = list(rows.order_by("pk").only("pk", "fields"))
    by: dict[str, dict[str, list[int]]] = {name: defaultdict(list) for name in _LOOKED_UP}
    for node in nodes:
        known = known_of(workspace, node.fields)
        for name, value in zip(_LOOKED_UP, (known.doi, known.pmid, known.title_word), strict=True):
            if value:
                by[name][value].append(node.pk)
    pairs: dict[int, dict[int, Subject]] = defaultdict(dict)
    for name, values in by.items():
        for some in in_chunks(values):
            notices = Notice.objects.filter(workspace=workspace, **{f"{name}__in": some})
            for notice in notices.order_by("pk").defer("remarks")[:_MOST_NOTICES]:
                for node_id in values[getattr(notice, name)]:
                    pairs[node_id][notice.pk] = _subject_of(notice)
    return _judged(workspace, pairs)


_LOOKED_UP: Final = ("subject_doi", "subject_pmid", "title_word")


def known_of(workspace: Workspace, fields: Mapping[str, Any], years: Iterable[int] = ()) -> Known:
    """What a source states of itself by which notices are told to be about it."""
    uri = str(fields.get("uri") or "")
    creators = fields.get("creators")
    first = creators[0] if isinstance(creators, list) and creators else None
    return Known(
        doi=normal_doi(str(fields.get("doi") or ""))
        or (normal_doi(uri) if "doi.org/" in uri else ""),
        pmid=normal_pmid(str(fields.get("pmid") or ""))
        or (normal_pmid(uri) if "pubmed" in uri else ""),
        title_word=title_word(fields.get("title"), workspace.hash_key),
        years=tuple(sorted(years)),
        creator=str(first.get("name") or "") if isinstance(first, Mapping) else "",
    )


def _nodes_by_word(workspace: Workspace, words: Collection[str]) -> dict[str, list[int]]:
    """The nodes that have each word."""
    found: dict[str, list[int]] = defaultdict(list)
    for some in in_chunks(words):
        for word, node_id in _HAVING.rows(workspace=workspace.pk, words=some):
            if len(found[word]) <= MOST_SOURCES:
                found[word].append(node_id)
    return {word: ids for word, ids in found.items() if len(ids) <= MOST_SOURCES}


def _judged(workspace: Workspace, pairs: Mapping[int, Mapping[int, Subject]]) -> Found:
    """Judge each (source, notice) that something speaks for, and write what is new of it."""
    made: dict[tuple[int, int], Judged] = {}
    for some in in_chunks(sorted(pairs)):
        rows = _SOURCES.rows(ids=some, workspace=workspace.pk)
        plain = {pk: known_of(workspace, fields) for pk, fields in rows}
        asked = {
            pk
            for pk, known in plain.items()
            if any(not _same_name(subject, known) for subject in pairs[pk].values())
        }
        years = _years_of(workspace, asked)
        creators = _creators_of(workspace, pairs, plain)
        for pk, known in plain.items():
            for notice_id, subject in pairs[pk].items():
                judged = judge(
                    Known(
                        subject.doi,
                        subject.pmid,
                        subject.title_word,
                        (subject.year,) if subject.year else (),
                        subject.creator or creators.get(notice_id, ""),
                    ),
                    known._replace(years=tuple(sorted(years.get(pk, ())))),
                )
                if judged is not None:
                    made[notice_id, pk] = judged
    return _write(made)


def _same_name(subject: Subject, known: Known) -> bool:
    return bool(
        (subject.doi and subject.doi == known.doi) or (subject.pmid and subject.pmid == known.pmid)
    )


def _years_of(workspace: Workspace, source_ids: Collection[int]) -> dict[int, set[int]]:
    """The years in which versions of these sources were published."""
    found: dict[int, set[int]] = defaultdict(set)
    for some in in_chunks(sorted(source_ids)):
        rows = by_their_ids(
            Node.objects.filter(parent_id__in=some, kind="source_version"), workspace.pk
        )
        dates = rows.order_by("pk").values_list("parent_id", "fields__published_at")
        for source_id, published in dates[:_MOST_VERSIONS]:
            if source_id is not None and isinstance(published, str) and published[:4].isdecimal():
                found[source_id].add(int(published[:4]))
    return found


def _creators_of(
    workspace: Workspace, pairs: Mapping[int, Mapping[int, Subject]], known: Mapping[int, Known]
) -> dict[int, str]:
    """The first creators that notices on record name, of those of which only the title is the same."""
    wanted = {
        notice_id
        for pk, own in known.items()
        for notice_id, subject in pairs[pk].items()
        if not subject.creator and not _same_name(subject, own)
    }
    places: dict[int, shelf.Place] = {}
    for some in in_chunks(sorted(wanted)):
        rows = Notice.objects.filter(workspace=workspace, pk__in=some).order_by("pk")
        for pk, pieces in rows.values_list("pk", "evidence"):
            for piece in pieces:
                if "title_word" in piece and "block" in piece:
                    places.setdefault(pk, (piece["block"], piece["at"]))
    texts = shelf.texts_at(workspace, workspace.pk, set(places.values()))
    return {
        pk: "".join(parted(str(texts[place]["creators"]))[:1])
        for pk, place in places.items()
        if place in texts and texts[place].get("creators")
    }


def _subject_of(notice: Notice) -> Subject:
    return Subject(
        notice.pk, notice.subject_doi, notice.subject_pmid, notice.title_word, notice.year, ""
    )


def _write(made: Mapping[tuple[int, int], Judged]) -> Found:
    """Write matches that are new, and those that are surer now; what a person has said stays."""
    if not made:
        return Found(0, 0, frozenset())
    now = clock.now()
    known = {
        (row.notice_id, row.source_id): row
        for some in in_chunks(sorted({notice_id for notice_id, _ in made}))
        for row in NoticeMatch.objects.filter(notice_id__in=some).order_by("pk")
    }
    fresh, surer = [], []
    for (notice_id, source_id), judged in made.items():
        row = known.get((notice_id, source_id))
        if row is None:
            fresh.append(
                NoticeMatch(
                    notice_id=notice_id, source_id=source_id, by=judged.by, state=judged.verdict,
                    signs=list(judged.signs), made_at=now,
                )
            )  # fmt: skip
        elif row.state == NoticeMatch.State.SUGGESTED and judged.verdict == "matched":
            row.by, row.state, row.signs = judged.by, judged.verdict, list(judged.signs)
            surer.append(row)
    NoticeMatch.objects.bulk_create(fresh, ignore_conflicts=True, batch_size=500)
    NoticeMatch.objects.bulk_update(surer, ["by", "state", "signs"], batch_size=200)
    every = [*fresh, *surer]
    sure = {row.notice_id for row in every if row.state == NoticeMatch.State.MATCHED}
    open_ = {row.notice_id for row in every} - sure
    for some in in_chunks(sorted(sure)):
        Notice.objects.filter(pk__in=some).update(state=Notice.State.MATCHED)
    for some in in_chunks(sorted(open_)):
        Notice.objects.filter(pk__in=some, state=Notice.State.UNMATCHED).update(
            state=Notice.State.SUGGESTED
        )
    return Found(
        sum(row.state == NoticeMatch.State.MATCHED for row in every),
        sum(row.state == NoticeMatch.State.SUGGESTED for row in every),
        frozenset(row.notice_id for row in every),
    )
