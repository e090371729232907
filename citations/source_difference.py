"""What changed from one version of a source to another."""

from collections.abc import Sequence
from dataclasses import dataclass

from citations.difference_pages import DifferencePage, around, laid_out
from citations.differences import Comparison, Difference, Verdict, verdict_on
from citations.stated import stated
from citations.versions import (
    DocumentPlace,
    Held,
    Version,
    VersionText,
    comparable,
    text_of,
    versions_of,
)
from lineage.nodes.find import find
from lineage.nodes.states import node_states
from lineage.nodes.visible import visible
from lineage.types import Erased, Moved, NotFound, Viewer


@dataclass(frozen=True, slots=True)
class SourceDifference:
    """Two versions of a work compared. `old` or `new` is None where there is none to compare.

    `versions` are those that can be chosen, newest first. `around` is the passage to which
    the difference is confined; then `total` is how many changes there are in all.
    `documents` are those of the new version.
    """

    source_uid: str
    title: str | None
    versions: tuple[Version, ...]
    old: Version | None
    new: Version | None
    verdict: Verdict | None
    found: Difference | None
    page: DifferencePage | None
    total: int
    around: str | None
    cut: bool
    documents: tuple[DocumentPlace, ...] = ()


def source_difference(
    viewer: Viewer, uid: str, *, old: str = "", new: str = "", passage: str = "", page: int = 1
) -> SourceDifference:
    """What changed between two versions of a source; without uids, from the last but one to the last.

    `passage`: the uid of a chunk or part of one of them, to see only what changed there.
    Raises NotFound for a source or version that is unknown, foreign or not visible, and for
    versions of other sources or without a text that may be read; Moved and Erased as its
    page does.
    """
    source = find(viewer, uid)
    if source.kind != "source":
        raise NotFound(uid)
    erasure = node_states(viewer.workspace_id, [source])[source.pk].erasure
    if erasure is not None:
        raise Erased(source.uid, erasure.case_kind, erasure.at, erasure.case_uid)
    if not visible(viewer, [source])[source.pk]:
        raise NotFound(uid)
    held = comparable(viewer, versions_of(viewer, source))
    newer = _chosen(held, new, 0)
    older = _chosen(held, old, held.index(newer) + 1 if newer is not None else 0)
    told = tuple(each.told for each in held)
    title = stated(source.fields.get("title"))
    texts = [text_of(viewer, each) if each is not None else None for each in (older, newer)]
    if older is None or newer is None or texts[0] is None or texts[1] is None:
        return SourceDifference(
            source.uid, title, told,
            older.told if older and texts[0] else None, newer.told if newer and texts[1] else None,
            None, None, None, 0, None, cut=False,
        )  # fmt: skip
    before, after = texts[0], texts[1]
    whole = Comparison(before.text, after.text).difference()
    found, confined = _confined(viewer, whole, before, after, passage)
    return SourceDifference(
        source_uid=source.uid,
        title=title,
        versions=told,
        old=older.told,
        new=newer.told,
        verdict=verdict_on(before.text, after.text),
        found=found,
        page=laid_out(found, page),
        total=whole.changes,
        around=confined,
        cut=before.cut or after.cut,
        documents=tuple(
            DocumentPlace(document.uid, start)
            for document in newer.documents
            for pk, start in after.starts
            if pk == document.pk
        ),
    )


def _chosen(held: Sequence[Held], uid: str, otherwise: int) -> Held | None:
    """The version with this uid; without one, that at this place. None where there is none."""
    if not uid:
        return held[otherwise] if otherwise < len(held) else None
    for each in held:
        if each.version.uid == uid:
            return each
    raise NotFound(uid)


def _confined(
    viewer: Viewer, whole: Difference, before: VersionText, after: VersionText, passage: str
) -> tuple[Difference, str | None]:
    """The part of the difference at a passage, and its uid; all of it where that stands in neither."""
    try:
        node = find(viewer, passage) if passage else None
    except (NotFound, Moved):
        node = None
    if node is None:
        return whole, None
    if (place := before.place(node)) is not None:
        return around(whole, place), node.uid
    if (place := after.place(node)) is not None:
        return around(whole, place, in_new=True), node.uid
    return whole, None
