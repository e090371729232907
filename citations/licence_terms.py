"""The licences of a work that catalogues list: each for one of its forms, from a day on."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from citations.rights import Licence, licence_of
from citations.stated import stated

MOST_TERMS: Final = 50


@dataclass(frozen=True, slots=True)
class LicenceTerm:
    """A licence for a form of the work: `vor`, `am`, `tdm`, another word, or `unspecified`.

    `starts`: the day from which it holds, as printed; `ahead`: that day has not come yet.
    """

    licence: Licence
    url: str
    applies_to: str
    starts: str | None
    ahead: bool


def terms_of(attributes: Mapping[str, Any], today: date) -> tuple[LicenceTerm, ...]:
    """The licences that a version's record lists in its attribute `licenses`, in its order."""
    listed = attributes.get("licenses")
    found = []
    for each in (listed if isinstance(listed, list) else [])[:MOST_TERMS]:
        url = stated(each.get("url")) if isinstance(each, Mapping) else None
        if url is None:
            continue
        licence = licence_of(stated(each.get("license")), url)
        starts = stated(each.get("from"))
        if licence is not None:
            found.append(
                LicenceTerm(
                    licence=licence,
                    url=url,
                    applies_to=stated(each.get("applies_to")) or "unspecified",
                    starts=starts,
                    ahead=bool(starts) and str(starts) > today.isoformat(),
                )
            )
    return tuple(found)
