"""Writes notices: each once, with the evidence of everybody who tells of it."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, Final, NamedTuple

from lineage import bulk_rows
from lineage.compiled import Compiled
from lineage.formats.notices import NoticeRecord
from lineage.identifiers import keyed_hash
from lineage.ingest.search_words import title_word
from lineage.models import Notice
from lineage.notices import shelf
from lineage.notices.erased import about_erased
from lineage.notices.evidence import (
    MOST_PIECES,
    TOGETHER,
    Piece,
    Told,
    digest_of,
    piece_of,
    place_of,
    place_of_record,
    told_by,
)
from lineage.notices.report import Tally
from provexplorer import clock
from provexplorer.workspaces.models import Workspace

PREFIX: Final = "ntc"
# Answers on what concerns nothing here: fewer than none, so that lists by damage end with it.
UNMET: Final = -1
# Uids of one look-up.
_AT_ONCE: Final = 2_000
_COLUMNS: Final = (
    "pk", "workspace_id", "uid", "kind", "notice_doi", "notice_pmid", "subject_doi", "subject_pmid",
    "title_word", "year", "noted_on", "providers", "evidence", "remarks", "doubtful", "state",
    "answers", "first_seen_at",
)  # fmt: skip


_KNOWN: Final = Compiled(
    lambda given: Notice.objects.filter(
        workspace_id=given.id("workspace"), uid__in=given.texts("uids")
    ).order_by("pk")
)


class Subject(NamedTuple):
    """A notice to be matched: its id, and what tells which work it is about."""

    notice_id: int
    doi: str
    pmid: str
    title_word: str
    year: int | None
    # The first creator of the work as the record at hand names it; it is not kept in clear.
    creator: str


class _Draft(NamedTuple):
    """A notice of the batch: the row that there is, or None; its evidence; what was new of it."""

    row: Notice | None
    first: NoticeRecord
    pieces: list[Piece]
    fresh: list[tuple[Piece, NoticeRecord]]


def uid_of(hash_key: bytes, record: NoticeRecord) -> str:
    """The uid of the notice that a record tells of: the same from every provider, in both directions."""
    notice = record.notice_doi or record.notice_pmid
    if not notice and record.record_id:
        # A notice without a name of its own is what its keeper calls it.
        notice = f"{record.provider}:{record.record_id}"
    subject = record.subject_doi or record.subject_pmid or title_word(record.title, hash_key)
    return (
        f"{PREFIX}_{keyed_hash(hash_key, 'notice', notice, subject or record.title, record.kind)}"
    )


def write(
    workspace: Workspace,
    owner_id: int,
    import_id: int,
    records: Sequence[NoticeRecord],
    tally: Tally,
) -> list[Subject]:
    """Write what these records say that is new; gives the notices that are to be matched (again).

    In the caller's transaction. The same records again write nothing.
    """
    key = workspace.hash_key
    uids = [uid_of(key, record) for record in records]
    known = {
        row.uid: row
        for some in bulk_rows.slices(dict.fromkeys(uids), _AT_ONCE)
        for row in _KNOWN.instances(workspace=workspace.pk, uids=some)
    }
    # What is about an erased source stays as the erasure left it, whoever tells of it again.
    closed = about_erased(workspace.pk, [row.pk for row in known.values()])
    drafts: dict[str, _Draft] = {}
    for uid, record in zip(uids, records, strict=True):
        if uid in known and known[uid].pk in closed:
            tally.unchanged += 1
            continue
        draft = drafts.get(uid)
        if draft is None:
            row = known.get(uid)
            draft = drafts[uid] = _Draft(row, record, list(row.evidence) if row else [], [])
        _add(draft, record, key, import_id, tally)
    changed = {uid: draft for uid, draft in drafts.items() if draft.fresh}
    _place_texts(workspace, owner_id, import_id, changed)
    return [
        *_insert(workspace, {uid: d for uid, d in changed.items() if d.row is None}),
        *_update([(d.row, d) for d in changed.values() if d.row is not None]),
    ]


def _add(
    draft: _Draft, record: NoticeRecord, hash_key: bytes, import_id: int, tally: Tally
) -> None:
    digest = digest_of(record)
    if draft.row is None and not draft.pieces:
        # Nobody has told of it before, as of nearly every notice of a catalogue.
        tally.new += 1
        piece = piece_of(record, digest, title_word(record.title, hash_key), import_id)
        draft.pieces.append(piece)
        draft.fresh.append((piece, record))
        return
    place = place_of_record(record)
    at = next((i for i, each in enumerate(draft.pieces) if place_of(each) == place), None)
    if at is not None and draft.pieces[at]["digest"] == digest:
        tally.unchanged += 1
        return
    if at is None and len(draft.pieces) >= MOST_PIECES:
        tally.unchanged += 1
        tally.remark("evidence_full", record.number)
        return
    tally.changed += 1
    piece = piece_of(record, digest, title_word(record.title, hash_key), import_id)
    if at is None:
        draft.pieces.append(piece)
    else:
        if "noted_on" in draft.pieces[at]:
            # A day that was told once is not taken back by silence.
            piece.setdefault("noted_on", draft.pieces[at]["noted_on"])
        draft.fresh[:] = [each for each in draft.fresh if place_of(each[0]) != place]
        draft.pieces[at] = piece
    draft.fresh.append((piece, record))


def _place_texts(
    workspace: Workspace, owner_id: int, import_id: int, drafts: Mapping[str, _Draft]
) -> None:
    """Seal the texts of what is new, and write down where they are."""
    fresh = [each for draft in drafts.values() for each in draft.fresh]
    blocks: dict[str, list[dict[str, Any]]] = {}
    for some in bulk_rows.slices(fresh, shelf.BLOCK):
        # Told by the import and its first record: an import that is read again seals the same block.
        name = f"{import_id}:{some[0][1].number}:{some[0][1].through}"
        for at, (piece, record) in enumerate(some):
            piece["block"], piece["at"] = name, at
            blocks.setdefault(name, []).append(shelf.text_of(record))
    if blocks:
        shelf.put(workspace, owner_id, blocks)


def _insert(workspace: Workspace, drafts: Mapping[str, _Draft]) -> list[Subject]:
    now = clock.now()
    rows, subjects = [], []
    ids = bulk_rows.reserve(Notice, len(drafts))
    for pk, (uid, draft) in zip(ids, drafts.items(), strict=True):
        pieces, record = draft.pieces, draft.first
        if len(pieces) > 1:
            pieces = sorted(pieces, key=place_of)
        told = told_by(pieces)
        subjects.append(_subject(pk, record.subject_doi, told, draft))
        rows.append((
            pk, workspace.pk, uid, record.kind, record.notice_doi, told.notice_pmid,
            record.subject_doi, told.subject_pmid, told.title_word, told.year, told.noted_on,
            told.providers, pieces, list(told.remarks), told.doubtful, Notice.State.UNMATCHED, UNMET,
            now,
        ))  # fmt: skip
    bulk_rows.insert(Notice, _COLUMNS, rows)
    return subjects


def _update(drafts: Sequence[tuple[Notice, _Draft]]) -> list[Subject]:
    subjects = []
    for row, draft in drafts:
        row.evidence = sorted(draft.pieces, key=place_of)
        told = told_by(row.evidence)
        together = set(row.remarks) & TOGETHER
        row.notice_pmid, row.subject_pmid = told.notice_pmid, told.subject_pmid
        row.title_word, row.year, row.providers = told.title_word, told.year, told.providers
        row.noted_on = date.fromisoformat(told.noted_on) if told.noted_on else None
        row.remarks = sorted({*told.remarks, *together})
        row.doubtful = told.doubtful or bool(together)
        subjects.append(_subject(row.pk, row.subject_doi, told, draft))
    Notice.objects.bulk_update(
        [row for row, _ in drafts],
        ["notice_pmid", "subject_pmid", "title_word", "year", "noted_on", "providers", "evidence",
         "remarks", "doubtful"],
        batch_size=200,
    )  # fmt: skip
    return subjects


def _subject(pk: int, doi: str, told: Told, draft: _Draft) -> Subject:
    creators = draft.fresh[0][1].creators
    if not creators and len(draft.fresh) > 1:
        creators = next((each.creators for _, each in draft.fresh if each.creators), "")
    first = creators.partition(";")[0].strip()
    return Subject(pk, doi, told.subject_pmid, told.title_word, told.year, first)
