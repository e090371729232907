"""Notices about sources that were erased: nothing of them is shown, and nothing of them is kept.

That there was a notice, its kind and day, and its case stay.
"""

from collections.abc import Collection
from typing import Final

from lineage.content.store import Keyed
from lineage.content.tombstones import has_erased
from lineage.ingest.keys import in_chunks
from lineage.models import Notice, NoticeMatch
from lineage.notices import shelf
from lineage.notices.pieces import places_of

# By what a work and its notice are named, in the row and in each piece of its evidence.
_NAMES: Final = ("notice_doi", "notice_pmid", "subject_doi", "subject_pmid", "title_word")


def about_erased(workspace_id: int, notice_ids: Collection[int]) -> set[int]:
    """Those of the notices that concern, or may concern, a source whose erasure holds."""
    if not notice_ids or not has_erased(workspace_id):
        return set()
    return {
        notice_id
        for some in in_chunks(sorted(notice_ids))
        for notice_id in NoticeMatch.objects.filter(
            notice_id__in=some,
            source__erasures__isnull=False,
            source__erasures__erasure__lifted_at__isnull=True,
        )
        .exclude(state=NoticeMatch.State.REJECTED)
        .order_by("notice_id")
        .values_list("notice_id", flat=True)
    }


def about_sources(source_ids: Collection[int]) -> list[int]:
    """The notices that concern, or may concern, one of these nodes; ids, ascending."""
    found: set[int] = set()
    for some in in_chunks(sorted(source_ids)):
        matches = NoticeMatch.objects.filter(source_id__in=some)
        found |= set(
            matches.exclude(state=NoticeMatch.State.REJECTED)
            .order_by("notice_id")
            .values_list("notice_id", flat=True)
        )
    return sorted(found)


def with_texts(notice_ids: Collection[int]) -> list[Notice]:
    """Those of the notices that have a text yet."""
    return [
        row
        for some in in_chunks(sorted(notice_ids))
        for row in Notice.objects.filter(pk__in=some).order_by("pk")
        if places_of(row)
    ]


def forget_texts(
    workspace: Keyed, workspace_id: int, notice_ids: Collection[int], *, describing: bool
) -> int:
    """Erase what these notices say; how many of them said something. In the caller's transaction.

    `describing`: the DOI of the work and of the notice and the year go as well.
    """
    held = with_texts(notice_ids)
    shelf.forget(workspace, workspace_id, {place for row in held for place in places_of(row)})
    # Of a text that is gone no digest is left either, and no place to look for it.
    gone = {"block", "at", *(_NAMES if describing else ())}
    for some in in_chunks(sorted(notice_ids)):
        rows = list(Notice.objects.filter(pk__in=some).order_by("pk"))
        for row in rows:
            row.evidence = [
                {name: value for name, value in piece.items() if name not in gone} | {"digest": ""}
                for piece in row.evidence
            ]
            if describing:
                row.year = None
                for name in _NAMES:
                    setattr(row, name, "")
        Notice.objects.bulk_update(rows, ["evidence", "year", *_NAMES], batch_size=100)
    return len(held)
