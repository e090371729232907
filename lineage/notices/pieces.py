"""What each provider says of a notice, with its texts."""

from dataclasses import dataclass
from datetime import date

from lineage.formats.notices import parted, text_of
from lineage.models import Notice, NoticeImport
from lineage.notices import shelf
from lineage.notices.evidence import day_of
from lineage.types import Viewer


@dataclass(frozen=True, slots=True)
class EvidenceView:
    """What one provider says, and in which record of which import."""

    provider: str
    through: str
    word: str
    record_id: str
    noted_on: date | None
    title: str
    shown: str
    creators: tuple[str, ...]
    publisher: str
    journal: str
    reasons: tuple[str, ...]
    links: tuple[str, ...]
    note: str
    remarks: tuple[str, ...]
    import_uid: str | None
    number: int


def evidence_of(viewer: Viewer, notice: Notice) -> tuple[EvidenceView, ...]:
    """What each provider says of a notice, in the order of the providers."""
    texts = shelf.texts_at(viewer, viewer.workspace_id, set(places_of(notice)))
    imports = dict(
        NoticeImport.objects.filter(
            workspace_id=viewer.workspace_id,
            pk__in=[piece["import"] for piece in notice.evidence],
        ).values_list("pk", "uid")
    )
    found = []
    for piece in notice.evidence:
        text = texts.get((piece.get("block", ""), piece.get("at", -1)), {})
        found.append(
            EvidenceView(
                provider=piece["provider"],
                through=piece["through"],
                word=text_of(text.get("word")),
                record_id=piece.get("record_id", ""),
                noted_on=day_of(piece.get("noted_on")),
                title=text_of(text.get("title")),
                shown=text_of(text.get("shown")),
                creators=parted(str(text.get("creators") or "")),
                publisher=text_of(text.get("publisher")),
                journal=text_of(text.get("journal")),
                reasons=tuple(
                    each.lstrip("+").strip() for each in parted(str(text.get("reasons") or ""))
                ),
                links=parted(str(text.get("links") or "")),
                note=text_of(text.get("note")),
                remarks=tuple(piece.get("remarks", ())),
                import_uid=imports.get(piece["import"]),
                number=piece["number"],
            )
        )
    return tuple(found)


def places_of(row: Notice) -> list[shelf.Place]:
    """Where the texts of a notice are, those with the title of the work first."""
    pieces = sorted(row.evidence, key=lambda piece: "title_word" not in piece)
    return [(piece["block"], piece["at"]) for piece in pieces if "block" in piece]
