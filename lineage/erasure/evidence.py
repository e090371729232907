"""What others' case files hold of an erased content: files that repeat it or cannot be read, and links.

Of a case that names something erased, text files that do not repeat it stay; what is no text (a
PDF, a picture, an office document) may hold all of it, and goes as payloads go that nobody can
read. Cases of erasure keep such files: they are the evidence of why it was erased; text files
that repeat it go there as well. Links go where what describes the content goes.
"""

import email
import email.policy
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Final

from django.db import transaction

from lineage.cases.ancestry import sliced
from lineage.cases.files import destroy_bytes, kept_file
from lineage.cases.history import record
from lineage.content.keys import prepare_next_keys, take_next_keys
from lineage.erasure.owned_texts import rewrite_apart
from lineage.erasure.windows import Windows
from lineage.models import Case, CaseEvent, CaseFile, CaseTarget, DataKey, ErasedNode, Erasure
from lineage.models.turns import take_turn
from lineage.types import JsonValue

_TEXTS: Final = frozenset({"text/plain", "text/markdown", "text/csv", "application/json"})
_MAIL: Final = "message/rfc822"
_ERASURE: Final = "erasure"


@dataclass(frozen=True, slots=True)
class Holding:
    """A case with what is to go of it: files, how many of them nobody can read, and whether links do."""

    case: Case
    files: tuple[CaseFile, ...]
    unread: int
    links: bool


def clear_evidence(
    erasure: Erasure,
    windows: Windows,
    erased: Collection[int],
    unread: Callable[[int], None] = lambda _: None,
) -> int:
    """Destroy what case files hold of it; how many files and links. Each case is told of its own.

    `unread` is told, in the transaction, how many more files went because nobody could read them.
    """
    cleared = 0
    for held in _holding(erasure, windows, erased):
        owner_id = held.case.owner_id
        if held.files and owner_id is not None:
            prepare_next_keys([owner_id])
        with transaction.atomic():
            take_turn(erasure.workspace_id)
            cleared += _clear(erasure, held)
            unread(held.unread)
        _change_key(owner_id)
    return cleared


def left_of_evidence(
    erasure: Erasure, windows: Windows, erased: Collection[int]
) -> tuple[int, int]:
    """How many cases name something of it, and in how many of them something is left."""
    return len(_cases(erasure, erased)), sum(1 for _ in _holding(erasure, windows, erased))


def _holding(erasure: Erasure, windows: Windows, erased: Collection[int]) -> Iterator[Holding]:
    for case in _cases(erasure, erased):
        held = {
            row: _holds(erasure, case, row, windows)
            for row in CaseFile.objects.filter(case=case).order_by("pk")
        }
        files = tuple(row for row, why in held.items() if why is not _Holds.NOTHING)
        unread = sum(why is _Holds.UNREAD for why in held.values())
        links = erasure.describing and case.kind != _ERASURE and _told(case) != case.evidence
        if files or links or _is_changing(case.owner_id):
            yield Holding(case, files, unread, links)


def _cases(erasure: Erasure, erased: Collection[int]) -> list[Case]:
    """The cases that name something erased, this one among them."""
    found: set[int] = set()
    for some in sliced(erased):
        rows = CaseTarget.objects.filter(node_id__in=some, case__workspace_id=erasure.workspace_id)
        found |= set(rows.order_by("case_id").values_list("case_id", flat=True))
    return [
        case for some in sliced(found) for case in Case.objects.filter(pk__in=some).order_by("pk")
    ]


class _Holds(Enum):
    """Why a file goes, if it does."""

    NOTHING = "nothing"
    TEXT = "text"
    UNREAD = "unread"  # who cannot read it cannot tell


def _holds(erasure: Erasure, case: Case, row: CaseFile, windows: Windows) -> _Holds:
    kept = kept_file(erasure.workspace, case, row)
    if kept is None:
        return _Holds.NOTHING  # nothing opens it
    name, data = kept
    if windows.spans(name):
        return _Holds.TEXT
    text = text_of(row.media_type, data)
    if text is None:
        return _Holds.NOTHING if case.kind == _ERASURE else _Holds.UNREAD
    return _Holds.TEXT if windows.spans(text) else _Holds.NOTHING


def keeps_unread(erasure: Erasure) -> bool:
    """Whether cases of erasure that name something erased keep files that nobody here can read."""
    buried = ErasedNode.objects.filter(erasure=erasure, node__isnull=False)
    named = CaseTarget.objects.filter(
        node_id__in=buried.values("node_id"),
        case__workspace_id=erasure.workspace_id,
        case__kind=_ERASURE,
    )
    files = CaseFile.objects.filter(case_id__in=named.values("case_id"))
    return files.exclude(media_type__in=_TEXTS).exists()


def text_of(media_type: str, data: bytes) -> str | None:
    """All that a file says; None where it is no text, or mail with something that is none."""
    if media_type in _TEXTS:
        return data.decode("utf-8", "replace")
    if media_type != _MAIL:
        return None
    read = email.message_from_bytes(data, policy=email.policy.default)
    said = [str(value) for value in read.values()]
    for part in read.walk():
        if part.is_multipart():
            continue
        if part.get_content_maintype() != "text":
            return None
        payload = part.get_payload(decode=True)
        said.append(payload.decode("utf-8", "replace") if isinstance(payload, bytes) else "")
    return "\n".join(said)


def _clear(erasure: Erasure, held: Holding) -> int:
    """In the transaction, with the workspace's turn: rows, bytes, links, and the history's word of it."""
    case = held.case
    for row in held.files:
        destroy_bytes(erasure.workspace, case, row)
        record(case, CaseEvent.What.FILE, numbers={"file": row.pk, "removed": 1, "erased": 1})
    if case.owner_id is not None and _is_changing(case.owner_id):
        # Whoever has begun to change the key: all that stays is to be under the next one.
        rewrite_apart(erasure.workspace, case.owner_id, str)
    links = 0
    if held.links:
        told = _told(case)
        links = len(case.evidence) - len(told) or 1
        Case.objects.filter(pk=case.pk).update(evidence=told)
    return len(held.files) + links


def _told(case: Case) -> list[JsonValue]:
    """What stays of the evidence: that a notice told of it, without its address."""
    return [
        {name: value for name, value in one.items() if name != "address"}
        for one in case.evidence
        if isinstance(one, dict) and "notice" in one
    ]


def _is_changing(owner_id: int | None) -> bool:
    """Whether it was interrupted between two keys."""
    if owner_id is None:
        return False
    return DataKey.objects.filter(owner_id=owner_id).exclude(following=b"").exists()


def _change_key(owner_id: int | None) -> None:
    if owner_id is not None:
        take_next_keys([owner_id])
