"""What a stated licence means: an SPDX expression, a spelling that can only mean one, or words.

"CC BY 4.0", the address of a licence's page and the full name of a licence are read as the
identifier that they name; "CC BY" without a version names none.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from lineage.formats.license_expressions import Expression, NoExpression, read_expression
from lineage.formats.license_list import ids_by_name, license_listed

How = Literal["expression", "spelling", "unknown", "unstated"]

_UNSTATED: Final = frozenset({"", "NONE", "NOASSERTION"})
_PORT: Final = r"(?:[ -](?P<port>[A-Za-z]{2,3}))?"
_CC: Final = re.compile(
    r"(?:CC|Creative[ -]Commons)[ -]+"
    r"(?P<terms>BY(?:[ -]NC)?(?:[ -](?:SA|ND))?|BY[ -](?:SA|ND)[ -]NC)"
    r"[ -]+v?(?P<version>\d\.\d)"
    + _PORT
    + r"(?: (?:International|Unported|Generic))?(?: License)?",
    re.IGNORECASE,
)
_CC_NAME: Final = re.compile(
    r"(?:CC|Creative[ -]Commons)[ -]+(?P<terms>Attribution(?:[ -](?:Non-?Commercial|Share-?Alike|No-?Deriv(?:ative)?s|Noderivatives?))*)"
    r"[ ,]+v?(?P<version>\d\.\d)(?: (?P<port>[A-Za-z]{2,3}))?(?: (?:International|Unported|Generic))?(?: (?:Public )?Licen[sc]e)?",
    re.IGNORECASE,
)
_CC0: Final = re.compile(r"CC[ -]?(?:0|Zero)(?:[ -]+v?1\.0)?(?: Universal)?", re.IGNORECASE)
_CC_PAGE: Final = re.compile(
    r"/licenses/(?P<terms>by(?:-nc)?(?:-(?:sa|nd))?|by-(?:sa|nd)-nc)/(?P<version>\d\.\d)(?:/(?P<port>[a-z]{2,3}))?(?:/|$)"
)
_ADDRESS: Final = re.compile(
    r"https?://(?:www\.)?(?P<host>[^/?#]+)(?P<path>/[^?#]*)?", re.IGNORECASE
)
# host and path in small letters, without the suffix of a form → identifier.
_PAGES: Final[dict[str, str]] = {
    "creativecommons.org/publicdomain/zero/1.0": "CC0-1.0",
    "creativecommons.org/publicdomain/mark/1.0": "CC-PDM-1.0",
    "apache.org/licenses/license-2.0": "Apache-2.0",
    "gnu.org/licenses/old-licenses/gpl-2.0": "GPL-2.0-only",
    "gnu.org/licenses/gpl-2.0": "GPL-2.0-only",
    "gnu.org/licenses/gpl-3.0": "GPL-3.0-only",
    "gnu.org/licenses/agpl-3.0": "AGPL-3.0-only",
    "gnu.org/licenses/lgpl-2.1": "LGPL-2.1-only",
    "gnu.org/licenses/lgpl-3.0": "LGPL-3.0-only",
    "gnu.org/licenses/fdl-1.3": "GFDL-1.3-only",
    "mozilla.org/mpl/2.0": "MPL-2.0",
    "mozilla.org/en-us/mpl/2.0": "MPL-2.0",
    "opendatacommons.org/licenses/by/1-0": "ODC-By-1.0",
    "opendatacommons.org/licenses/by/1.0": "ODC-By-1.0",
    "opendatacommons.org/licenses/odbl/1-0": "ODbL-1.0",
    "opendatacommons.org/licenses/odbl/1.0": "ODbL-1.0",
    "opendatacommons.org/licenses/pddl/1-0": "PDDL-1.0",
    "opendatacommons.org/licenses/pddl/1.0": "PDDL-1.0",
    "nationalarchives.gov.uk/doc/open-government-licence/version/1": "OGL-UK-1.0",
    "nationalarchives.gov.uk/doc/open-government-licence/version/2": "OGL-UK-2.0",
    "nationalarchives.gov.uk/doc/open-government-licence/version/3": "OGL-UK-3.0",
    "govdata.de/dl-de/by-2-0": "DL-DE-BY-2.0",
    "govdata.de/dl-de/zero-2-0": "DL-DE-ZERO-2.0",
    "data.norge.no/nlod/en/2.0": "NLOD-2.0",
    "etalab.gouv.fr/licence-ouverte-open-licence": "etalab-2.0",
    "unlicense.org": "Unlicense",
}
_LISTING: Final = re.compile(
    r"(?:spdx\.org/licenses|opensource\.org/licenses?|choosealicense\.com/licenses)/([^/]+)"
)
_FORM: Final = re.compile(
    r"(?:[.-](?:html?|txt|json|php|rdf|standalone)|\.en|/(?:deed|legalcode)(?:\.[a-z_-]+)?|/)+$"
)
_LONGEST: Final = 2_000


@dataclass(frozen=True, slots=True)
class StatedLicense:
    """A stated licence as it was read.

    `how`: it is an expression, a `spelling` of one, `unknown` words, or `unstated` (nothing, NONE,
    NOASSERTION). `expression` is there for the first two. `unknown` are identifiers that are not
    on the SPDX list and alone keep the words from being an expression.
    """

    how: How
    expression: Expression | None = None
    unknown: tuple[str, ...] = ()

    @property
    def normal(self) -> str:
        """The normal form; "" where there is no expression."""
        return str(self.expression) if self.expression is not None else ""


@lru_cache(maxsize=2_000)
def read_license(stated: str | None, address: str | None = None) -> StatedLicense:
    """What the words, or where they mean nothing the address of the licence, stand for."""
    text = (stated or "").strip()
    if text.upper() in _UNSTATED:
        found = _by_address(address or "")
        return StatedLicense("spelling", found) if found else StatedLicense("unstated")
    if len(text) > _LONGEST:
        return StatedLicense("unknown")
    try:
        return StatedLicense("expression", read_expression(text))
    except NoExpression as problem:
        found = _spelt(text) or _by_address(text) or _by_address(address or "")
        if found is not None:
            return StatedLicense("spelling", found)
        return StatedLicense("unknown", None, problem.unknown)


def _spelt(text: str) -> Expression | None:
    words = " ".join(text.split()).rstrip(".")
    if match := _CC.fullmatch(words) or _CC_NAME.fullmatch(words):
        return _creative_commons(match["terms"], match["version"], match["port"])
    if _CC0.fullmatch(words):
        return _listed("CC0-1.0")
    return _listed(ids_by_name().get(words.lower()))


def _by_address(text: str) -> Expression | None:
    match = _ADDRESS.fullmatch(text.strip().split("?")[0].split("#")[0])
    if match is None:
        return None
    place = _FORM.sub("", f"{match['host']}{match['path'] or ''}".lower())
    if place.startswith("creativecommons.org/licenses/"):
        page = _CC_PAGE.search(place.removeprefix("creativecommons.org"))
        return _creative_commons(page["terms"], page["version"], page["port"]) if page else None
    if listing := _LISTING.fullmatch(place):
        return _listed(listing[1])
    return _listed(_PAGES.get(place))


def _creative_commons(terms: str, version: str, port: str | None) -> Expression | None:
    said = re.sub(r"[^a-z]", "", terms.lower())
    parts = [
        "BY",
        *(["NC"] if "nc" in said or "noncommercial" in said else []),
        *(["SA"] if "sa" in said.removeprefix("by") or "sharealike" in said else []),
        *(["ND"] if "nd" in said.removeprefix("by") or "noderiv" in said else []),
    ]
    ported = f"-{port.upper()}" if port else ""
    return _listed(f"CC-{'-'.join(parts)}-{version}{ported}")


def _listed(id_: str | None) -> Expression | None:
    if not id_ or license_listed(id_) is None:
        return None
    return read_expression(id_)
