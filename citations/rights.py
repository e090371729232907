"""Licences in words: what a licence is called and what it asks of who uses the text.

Only what the source states is shown. A statement that is no SPDX expression ("CC BY"
without a version, a LicenseRef of the workspace) stands exactly as stated and gets no
name and no obligations that nobody wrote. Names and identifiers: SPDX License List.
"""

import re
from dataclasses import dataclass, replace
from typing import Final, Literal

Ask = Literal["attribution", "share_alike", "no_derivatives", "non_commercial", "notice", "changes"]

_CC_ASKS: Final[dict[str, tuple[Ask, ...]]] = {
    "BY": ("attribution", "changes"),
    "BY-SA": ("attribution", "changes", "share_alike"),
    "BY-ND": ("attribution", "no_derivatives"),
    "BY-NC": ("attribution", "changes", "non_commercial"),
    "BY-NC-SA": ("attribution", "changes", "non_commercial", "share_alike"),
    "BY-NC-ND": ("attribution", "non_commercial", "no_derivatives"),
}
_CC_NAMES: Final[dict[str, str]] = {
    "BY": "Attribution",
    "BY-SA": "Attribution-ShareAlike",
    "BY-ND": "Attribution-NoDerivatives",
    "BY-NC": "Attribution-NonCommercial",
    "BY-NC-SA": "Attribution-NonCommercial-ShareAlike",
    "BY-NC-ND": "Attribution-NonCommercial-NoDerivatives",
}
_CC_VERSIONS: Final = {
    "1.0": "Generic",
    "2.0": "Generic",
    "2.5": "Generic",
    "3.0": "Unported",
    "4.0": "International",
}
_CC: Final = re.compile(r"^CC-(BY(?:-NC)?(?:-SA|-ND)?)-(\d\.\d)$")
# SPDX id → name, what it asks, canonical page.
_TABLE: Final[dict[str, tuple[str, tuple[Ask, ...], str]]] = {
    "CC0-1.0": (
        "Creative Commons Zero v1.0 Universal",
        (),
        "https://creativecommons.org/publicdomain/zero/1.0/",
    ),
    "PDDL-1.0": (
        "Open Data Commons Public Domain Dedication & License 1.0",
        (),
        "https://opendatacommons.org/licenses/pddl/1-0/",
    ),
    "ODC-By-1.0": (
        "Open Data Commons Attribution License v1.0",
        ("attribution",),
        "https://opendatacommons.org/licenses/by/1-0/",
    ),
    "ODbL-1.0": (
        "Open Data Commons Open Database License v1.0",
        ("attribution", "share_alike"),
        "https://opendatacommons.org/licenses/odbl/1-0/",
    ),
    "Apache-2.0": (
        "Apache License 2.0",
        ("notice", "changes"),
        "https://www.apache.org/licenses/LICENSE-2.0",
    ),
    "MIT": ("MIT License", ("notice",), "https://opensource.org/license/mit/"),
    "MIT-0": ("MIT No Attribution", (), "https://github.com/aws/mit-0"),
    "BSD-2-Clause": (
        'BSD 2-Clause "Simplified" License',
        ("notice",),
        "https://opensource.org/license/BSD-2-Clause",
    ),
    "BSD-3-Clause": (
        'BSD 3-Clause "New" or "Revised" License',
        ("notice",),
        "https://opensource.org/license/BSD-3-Clause",
    ),
    "GPL-2.0-only": (
        "GNU General Public License v2.0 only",
        ("notice", "changes", "share_alike"),
        "https://www.gnu.org/licenses/old-licenses/gpl-2.0-standalone.html",
    ),
    "GPL-3.0-only": (
        "GNU General Public License v3.0 only",
        ("notice", "changes", "share_alike"),
        "https://www.gnu.org/licenses/gpl-3.0-standalone.html",
    ),
    "GPL-3.0-or-later": (
        "GNU General Public License v3.0 or later",
        ("notice", "changes", "share_alike"),
        "https://www.gnu.org/licenses/gpl-3.0-standalone.html",
    ),
    "OGL-UK-3.0": (
        "Open Government Licence v3.0",
        ("attribution",),
        "https://www.nationalarchives.gov.uk/doc/open-government-licence/version/3/",
    ),
    "NLOD-2.0": (
        "Norwegian Licence for Open Government Data (NLOD) 2.0",
        ("attribution",),
        "https://data.norge.no/nlod/en/2.0",
    ),
    "etalab-2.0": (
        "Etalab Open License 2.0",
        ("attribution",),
        "https://www.etalab.gouv.fr/licence-ouverte-open-licence/",
    ),
}
# Own references that stand for a legal state rather than a licence text.
_PUBLIC_DOMAIN: Final = re.compile(r"public[ -]?domain", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Licence:
    """A licence as the source states it, and what is known of it.

    `as_stated` is shown where nothing better is known ("as stated: CC BY"). `spdx` is the
    SPDX identifier and `name` its full name, None where the statement is no identifier that
    is known here; `asks` are codes that the page puts into words (empty with a `spdx`: asks
    nothing; empty without: unknown). `public_domain` says that no rights are claimed.
    `expression` is the SPDX expression or LicenseRef of the record, "" where only words
    were given.
    """

    as_stated: str
    spdx: str | None
    name: str | None
    asks: tuple[Ask, ...]
    url: str | None
    public_domain: bool = False
    expression: str = ""


def licence_of(
    license_: str | None, license_uri: str | None = None, rights: str | None = None
) -> Licence | None:
    """What is known of a stated licence; None where the source states neither licence nor rights.

    A `LicenseRef-…` is no public identifier: its words come from `rights` where the source
    gives them, else from the reference itself without its prefix.
    """
    stated = (license_ or "").strip()
    known = _known(stated, (rights or "").strip(), license_uri)
    return replace(known, expression=stated) if known else None


def _known(stated: str, words: str, license_uri: str | None) -> Licence | None:
    if not stated:
        if not words:
            return None
        return Licence(
            words, None, None, (), license_uri or None, bool(_PUBLIC_DOMAIN.search(words))
        )
    if match := _CC.match(stated):
        terms, version = match.groups()
        if version in _CC_VERSIONS:
            name = f"Creative Commons {_CC_NAMES[terms]} {version} {_CC_VERSIONS[version]}"
            url = f"https://creativecommons.org/licenses/{terms.lower()}/{version}/"
            return Licence(stated, stated, name, _CC_ASKS[terms], license_uri or url)
    if stated in _TABLE:
        name, asks, url = _TABLE[stated]
        return Licence(
            stated, stated, name, asks, license_uri or url, stated in {"CC0-1.0", "PDDL-1.0"}
        )
    if stated.startswith("LicenseRef-"):
        shown = words or stated.removeprefix("LicenseRef-").replace("-", " ")
        return Licence(
            shown, None, None, (), license_uri or None, bool(_PUBLIC_DOMAIN.search(shown))
        )
    return Licence(stated, None, None, (), license_uri or None, bool(_PUBLIC_DOMAIN.search(stated)))
