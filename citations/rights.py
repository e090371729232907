"""Licences in words: what a licence is called and what it asks of who uses the text.

Only what the source states is shown. A statement that means no SPDX identifier ("CC BY"
without a version, a LicenseRef of the workspace) stands exactly as stated and gets no
name and no obligations that nobody wrote.
"""

import re
from dataclasses import dataclass, replace
from typing import Final, Literal

from lineage.formats.license_expressions import Joined, Term, Tree, terms_of
from lineage.formats.license_list import license_listed
from lineage.formats.licenses import read_license
from lineage.rights.asks import Ask, asks_of

__all__ = ["Ask", "Licence", "LicencePart", "licence_of"]

_CC_VERSIONS: Final = {"1.0": "Generic", "2.0": "Generic", "2.5": "Generic", "3.0": "Unported", "4.0": "International"}  # fmt: skip
_CC: Final = re.compile(
    r"CC-(?P<terms>BY(?:-NC)?(?:-SA|-ND)?)-(?P<version>\d\.\d)(?:-(?P<port>[A-Z]{2,3}))?"
)
_CC_NAMES: Final = {
    "BY": "Attribution",
    "NC": "NonCommercial",
    "SA": "ShareAlike",
    "ND": "NoDerivatives",
}
# Pages that say more to a reader than the one of the SPDX list.
_PAGES: Final[dict[str, str]] = {
    "CC0-1.0": "https://creativecommons.org/publicdomain/zero/1.0/",
    "CC-PDM-1.0": "https://creativecommons.org/publicdomain/mark/1.0/",
    "PDDL-1.0": "https://opendatacommons.org/licenses/pddl/1-0/",
    "ODC-By-1.0": "https://opendatacommons.org/licenses/by/1-0/",
    "ODbL-1.0": "https://opendatacommons.org/licenses/odbl/1-0/",
    "Apache-2.0": "https://www.apache.org/licenses/LICENSE-2.0",
    "MIT": "https://opensource.org/license/mit/",
    "MIT-0": "https://github.com/aws/mit-0",
    "BSD-2-Clause": "https://opensource.org/license/BSD-2-Clause",
    "BSD-3-Clause": "https://opensource.org/license/BSD-3-Clause",
    "GPL-2.0-only": "https://www.gnu.org/licenses/old-licenses/gpl-2.0-standalone.html",
    "GPL-2.0-or-later": "https://www.gnu.org/licenses/old-licenses/gpl-2.0-standalone.html",
    "GPL-3.0-only": "https://www.gnu.org/licenses/gpl-3.0-standalone.html",
    "GPL-3.0-or-later": "https://www.gnu.org/licenses/gpl-3.0-standalone.html",
    "OGL-UK-3.0": "https://www.nationalarchives.gov.uk/doc/open-government-licence/version/3/",
    "NLOD-2.0": "https://data.norge.no/nlod/en/2.0",
    "etalab-2.0": "https://www.etalab.gouv.fr/licence-ouverte-open-licence/",
}
# No rights are claimed.
_WAIVED: Final = frozenset({"CC0-1.0", "CC-PDDC", "CC-PDM-1.0", "PDDL-1.0", "Unlicense"})
# Own references that stand for a legal state rather than a licence text.
_PUBLIC_DOMAIN: Final = re.compile(r"public[ -]?domain", re.IGNORECASE)
# "Not yet in the public domain" says the contrary.
_NOT_PUBLIC_DOMAIN: Final = re.compile(
    r"(?:\b(?:not|never|non)|n['’]t|\bno longer)(?:[ -]+\w+){0,3}?[ -]+public[ -]?domain",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class LicencePart:
    """One of the licences that hold together, or of which one may be chosen.

    `asks` None: nobody here knows what it asks (an own reference, a licence nobody has read).
    `chooses`: it is a choice itself; what it asks depends on what is chosen.
    """

    text: str
    name: str | None
    asks: tuple[Ask, ...] | None
    url: str | None
    chooses: bool = False

    @property
    def assessed(self) -> bool:
        """Whether what it asks is known."""
        return self.asks is not None


@dataclass(frozen=True, slots=True)
class Licence:
    """A licence as the source states it, and what is known of it.

    `as_stated` is shown where nothing better is known ("as stated: CC BY"). `spdx` is the
    SPDX expression in its normal form, None where the statement means no identifier of the SPDX
    list; `name` the full name of a single licence; `asks` are codes that the page puts into
    words: what it asks in any case (of a choice, what every one asks). They are only complete
    where it is `assessed`: empty and not assessed is unknown. `public_domain` says that no
    rights are claimed. `expression` is what the record stated, "" where only words were given.
    `operator` is AND or OR where `parts` are several licences, "" for a single one.
    """

    as_stated: str
    spdx: str | None
    name: str | None
    asks: tuple[Ask, ...]
    url: str | None
    public_domain: bool = False
    expression: str = ""
    assessed: bool = False
    operator: Literal["", "AND", "OR"] = ""
    parts: tuple[LicencePart, ...] = ()

    @property
    def stated_otherwise(self) -> bool:
        """Whether the source writes it in another way than the SPDX list."""
        return self.spdx is not None and self.as_stated != self.spdx


def licence_of(
    license_: str | None, license_uri: str | None = None, rights: str | None = None
) -> Licence | None:
    """What is known of a stated licence; None where the source states neither licence nor rights.

    A `LicenseRef-…` is no public identifier: its words come from `rights` where the source
    gives them, else from the reference itself without its prefix.
    """
    stated, words = (license_ or "").strip(), (rights or "").strip()
    read = read_license(license_, license_uri)
    if read.expression is None:
        said = "" if read.how == "unstated" else stated
        if not said and not words and not license_uri:
            return None
        shown = said or words or str(license_uri)
        return _in_words(shown, license_uri, stated)
    tree = read.expression.tree
    if isinstance(tree, Term) and tree.own:
        shown = words or tree.id.rpartition("LicenseRef-")[2].replace("-", " ")
        return _in_words(shown, license_uri, stated)
    found = _known(tree, stated or read.normal, license_uri)
    return replace(found, expression=stated)


def _in_words(shown: str, license_uri: str | None, stated: str) -> Licence:
    free = bool(_PUBLIC_DOMAIN.search(shown)) and not _NOT_PUBLIC_DOMAIN.search(shown)
    return Licence(shown, None, None, (), license_uri or None, free, stated)


def _known(tree: Tree, stated: str, license_uri: str | None) -> Licence:
    asks = asks_of(tree)
    own = any(term.own for term in terms_of(tree))
    several = tree if isinstance(tree, Joined) else None
    return Licence(
        as_stated=stated,
        spdx=None if own else str(tree),
        name=_name(tree),
        asks=asks or (),
        url=license_uri or _page(tree),
        public_domain=isinstance(tree, Term) and tree.id in _WAIVED,
        assessed=asks is not None,
        operator=several.operator if several else "",
        parts=tuple(_part(part) for part in several.parts) if several else (),
    )


def _part(tree: Tree) -> LicencePart:
    chooses = isinstance(tree, Joined) and tree.operator == "OR"
    return LicencePart(str(tree), _name(tree), asks_of(tree), _page(tree), chooses)


def _name(tree: Tree) -> str | None:
    """The full name of a single licence, as the list has it; those of Creative Commons as these write them."""
    if isinstance(tree, Joined) or tree.exception or tree.or_later:
        return None
    if (match := _CC.fullmatch(tree.id)) and not match["port"] and match["version"] in _CC_VERSIONS:
        said = "-".join(_CC_NAMES[each] for each in match["terms"].split("-"))
        return f"Creative Commons {said} {match['version']} {_CC_VERSIONS[match['version']]}"
    listed = license_listed(tree.id)
    return listed.name if listed is not None else None


def _page(tree: Tree) -> str | None:
    """Where to read the licence; None for several, and for an own reference."""
    if isinstance(tree, Joined) or tree.own:
        return None
    if match := _CC.fullmatch(tree.id):
        port = f"{match['port'].lower()}/" if match["port"] else ""
        return f"https://creativecommons.org/licenses/{match['terms'].lower()}/{match['version']}/{port}"
    return _PAGES.get(tree.id, f"https://spdx.org/licenses/{tree.id}.html")
