"""One notice of what several providers say of it; pure.

What is known of a notice follows from all its pieces of evidence, whatever the order in which
they came.
"""

import hashlib
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, Final, NamedTuple

from lineage.formats.notices import FLAG_CONTRADICTS, OWN_NOTICE, PROVIDERS, NoticeRecord

# What no two pieces of evidence may say differently.
IDENTIFIERS_DISAGREE: Final = "identifiers_disagree"
# What the notices of a workspace say together (lineage.notices.doubts).
CYCLE: Final = "cycle"
KINDS_DISAGREE: Final = "kinds_disagree"
# Of such notices no case is drafted by itself: which is the work, or what is said of it, is open.
DOUBTS: Final = frozenset(
    {OWN_NOTICE, FLAG_CONTRADICTS, IDENTIFIERS_DISAGREE, CYCLE, KINDS_DISAGREE}
)
# Of these only the notices as a whole can tell.
TOGETHER: Final = frozenset({CYCLE, KINDS_DISAGREE})
# Pieces of evidence kept of one notice.
MOST_PIECES: Final = 16

# The publisher of the notice knows its day best; others know when they heard of it.
_RANK: Final[Mapping[str, int]] = {name: rank for rank, name in enumerate(PROVIDERS)}
_BITS: Final[Mapping[str, int]] = {name: 1 << rank for rank, name in enumerate(PROVIDERS)}

Piece = dict[str, Any]


class Told(NamedTuple):
    """What all the evidence of a notice says; `remarks` and `doubtful` without those of TOGETHER."""

    notice_pmid: str
    subject_pmid: str
    title_word: str
    year: int | None
    noted_on: str | None
    providers: int
    remarks: tuple[str, ...]
    doubtful: bool


def piece_of(record: NoticeRecord, digest: str, title_word: str, import_id: int) -> Piece:
    """What is kept of one record beside its texts; what is not stated is left out."""
    piece: Piece = {
        "provider": record.provider,
        "through": record.through,
        "digest": digest,
        "import": import_id,
        "number": record.number,
    }
    for name, value in (
        ("record_id", record.record_id),
        ("noted_on", record.noted_on.isoformat() if record.noted_on else ""),
        ("notice_pmid", record.notice_pmid),
        ("subject_pmid", record.subject_pmid),
        ("title_word", title_word),
        ("year", record.year),
        ("remarks", list(record.remarks)),
    ):
        if value:
            piece[name] = value
    if not record.settled:
        piece["unsettled"] = True
    return piece


def place_of(piece: Mapping[str, Any]) -> tuple[int, str, str]:
    """Where a piece stands among those of its notice: one for each provider, direction and record."""
    return _RANK[piece["provider"]], piece["through"], piece.get("record_id", "")


def place_of_record(record: NoticeRecord) -> tuple[int, str, str]:
    """Where the piece of a record would stand."""
    return _RANK[record.provider], record.through, record.record_id


def told_by(pieces: Sequence[Piece]) -> Told:
    """What these pieces, in their order, say together."""
    if len(pieces) == 1:
        return _told_by_one(pieces[0])
    remarks = {remark for piece in pieces for remark in piece.get("remarks", ())}
    for name in ("notice_pmid", "subject_pmid"):
        if len({piece[name] for piece in pieces if name in piece}) > 1:
            remarks.add(IDENTIFIERS_DISAGREE)
    best = min(_RANK[piece["provider"]] for piece in pieces)
    days = [
        piece["noted_on"]
        for rank in sorted({_RANK[piece["provider"]] for piece in pieces})
        for piece in pieces
        if _RANK[piece["provider"]] == rank and "noted_on" in piece
    ]
    first = [
        piece["noted_on"]
        for piece in pieces
        if _RANK[piece["provider"]] == best and "noted_on" in piece
    ]
    providers = 0
    for piece in pieces:
        providers |= _BITS[piece["provider"]]
    return Told(
        notice_pmid=_first(pieces, "notice_pmid") or "",
        subject_pmid=_first(pieces, "subject_pmid") or "",
        title_word=_first(pieces, "title_word") or "",
        year=_first(pieces, "year"),
        noted_on=min(first) if first else (days[0] if days else None),
        providers=providers,
        remarks=tuple(sorted(remarks)),
        doubtful=_is_doubtful(remarks, pieces),
    )


def _told_by_one(piece: Piece) -> Told:
    """The same of one piece, as nearly every notice has."""
    get = piece.get
    remarks = get("remarks")
    return Told(
        get("notice_pmid", ""),
        get("subject_pmid", ""),
        get("title_word", ""),
        get("year"),
        get("noted_on"),
        _BITS[piece["provider"]],
        tuple(sorted(remarks)) if remarks else (),
        _is_doubtful(set(remarks), [piece]) if remarks else False,
    )


def _is_doubtful(remarks: set[str], pieces: Sequence[Piece]) -> bool:
    """Where somebody tells the work from the notice, that both are one record is no doubt."""
    return bool(DOUBTS & remarks - {OWN_NOTICE}) or (
        OWN_NOTICE in remarks and all("unsettled" in piece for piece in pieces)
    )


def providers_of(bits: int) -> tuple[str, ...]:
    """The providers behind a notice's bits."""
    return tuple(name for name in PROVIDERS if bits & _BITS[name])


def bit_of(provider: str) -> int:
    """The bit of a provider; 0 for a word that is none."""
    return _BITS.get(provider, 0)


def digest_of(record: NoticeRecord) -> str:
    """By which the same record is known again, wherever it stands in a file."""
    said = "\x1f".join(map(str, record[1:]))
    return hashlib.blake2b(said.encode("utf-8", "surrogatepass"), digest_size=10).hexdigest()


def day_of(iso: str | None) -> date | None:
    """A day as evidence holds it."""
    return date.fromisoformat(iso) if iso else None


def _first(pieces: Sequence[Piece], name: str) -> Any:
    return next((piece[name] for piece in pieces if name in piece), None)
