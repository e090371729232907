"""Template tags for cases that the product has drafted by itself: why, and by what evidence."""

import re
from dataclasses import dataclass
from typing import Any, Final

from django import template
from django.utils.translation import gettext

from lineage.formats.notice_kinds import NOTICE_KINDS
from lineage.formats.notices import PROVIDERS
from lineage.identifiers import kind_of_uid

register = template.Library()

_NOTICE: Final = re.compile(r"ntc_[a-z2-7]{26}")


@dataclass(frozen=True, slots=True)
class Told:
    """A piece of evidence in parts; what it does not hold is empty.

    A published notice (`notice_uid`, `kind`, its day, who tells of it, where it can be read) or
    what was stated of rights: licences, old and new, and the version that states it.
    """

    notice_uid: str = ""
    kind: str = ""
    noted_on: str = ""
    told_by: tuple[str, ...] = ()
    address: str = ""
    old: str = ""
    new: str = ""
    version_uid: str = ""


@register.filter
def why(case: Any) -> str:
    """The reason of a case. Of one that a feed drafted it is a sentence of ours, told in the reader's language."""
    reason = str(case.reason or "")
    return gettext(reason) if reason and case.origin == "feed" else reason


@register.filter
def told(piece: Any) -> Told | None:
    """The parts of a piece of evidence as the product writes it; None of any other, which a client may have sent."""
    if not isinstance(piece, dict):
        return None
    notice, kind, by = piece.get("notice"), piece.get("kind"), piece.get("told_by")
    if _is(_NOTICE, notice) and kind in NOTICE_KINDS and isinstance(by, list):
        if not all(each in PROVIDERS for each in by):
            return None
        return Told(
            notice_uid=str(notice),
            kind=str(kind),
            noted_on=_text(piece.get("noted_on")),
            told_by=tuple(by),
            address=_text(piece.get("address")),
        )
    version = _text(piece.get("version"))
    of = kind_of_uid(version)
    if of is None or of.name != "source_version" or not {"old", "ended"} & piece.keys():
        return None
    return Told(old=_text(piece.get("old")), new=_text(piece.get("new")), version_uid=version)


def _is(form: re.Pattern[str], value: object) -> bool:
    return isinstance(value, str) and form.fullmatch(value) is not None


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
