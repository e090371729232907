"""What licences ask of who uses the text, in codes; and the families that lists tell them apart by. Pure.

The table is our own reading of the licences' terms, for orientation and no legal advice. A
licence that is not in it asks something unknown, never nothing.
"""

import re
from collections.abc import Iterable
from typing import Final, Literal

from lineage.formats.license_expressions import Term, Tree, terms_of
from lineage.formats.licenses import StatedLicense

Ask = Literal[
    "attribution", "share_alike", "no_derivatives", "non_commercial", "notice", "changes",
    "source_code", "network_use", "no_endorsement",
]  # fmt: skip
Family = Literal[
    "open", "attribution", "copyleft", "non_commercial", "no_derivatives", "own", "unclear", "none"
]

# From the freest to what nobody has stated.
FAMILIES: Final[tuple[Family, ...]] = (
    "open", "attribution", "copyleft", "non_commercial", "no_derivatives", "own", "unclear", "none",
)  # fmt: skip
# The order in which they are told.
ORDER: Final[tuple[Ask, ...]] = (
    "attribution", "notice", "changes", "non_commercial", "no_derivatives", "share_alike",
    "source_code", "network_use", "no_endorsement",
)  # fmt: skip

_CC: Final = re.compile(r"CC-BY(?P<nc>-NC)?(?:-(?P<last>SA|ND))?-\d\.\d(?:-[A-Z]{2,3})?")
_GNU: Final = re.compile(
    r"(?P<family>A?GPL|LGPL|GFDL)-\d\.\d(?:-(?:no-)?invariants)?-(?:only|or-later)"
)
_NOTICE: Final[tuple[Ask, ...]] = ("notice",)
_NO_ENDORSEMENT: Final[tuple[Ask, ...]] = ("notice", "no_endorsement")
_NOTICE_AND_CHANGES: Final[tuple[Ask, ...]] = ("notice", "changes")
_OPEN_DATA: Final[tuple[Ask, ...]] = ("attribution",)
_COPYLEFT: Final[tuple[Ask, ...]] = ("notice", "changes", "share_alike", "source_code")
_TABLE: Final[dict[str, tuple[Ask, ...]]] = {
    **dict.fromkeys(
        (
            "0BSD", "CC-PDDC", "CC-PDM-1.0", "CC0-1.0", "DL-DE-ZERO-2.0", "MIT-0", "PDDL-1.0", "Unlicense",
            "WTFPL", "blessing",
        ),
        (),
    ),
    **dict.fromkeys(
        ("ODC-By-1.0", "OGL-Canada-2.0", "OGL-UK-1.0", "OGL-UK-2.0", "OGL-UK-3.0", "NLOD-1.0", "NLOD-2.0", "etalab-2.0"),
        _OPEN_DATA,
    ),
    "DL-DE-BY-2.0": ("attribution", "changes"),
    "NCGL-UK-2.0": ("attribution", "non_commercial"),
    "ODbL-1.0": ("attribution", "share_alike"),
    "CC-SA-1.0": ("notice", "share_alike"),
    "CDLA-Sharing-1.0": ("notice", "changes", "share_alike"),
    **dict.fromkeys(
        (
            "BSD-1-Clause", "BSD-2-Clause", "BSD-2-Clause-Views", "BSL-1.0", "CDLA-Permissive-1.0",
            "CDLA-Permissive-2.0", "ISC", "MIT", "OGC-1.0", "PostgreSQL", "Unicode-3.0", "Unicode-DFS-2016",
            "Unicode-TOU",
        ),
        _NOTICE,
    ),
    **dict.fromkeys(
        ("BSD-3-Clause", "BSD-3-Clause-Clear", "HPND", "ICU", "NCSA", "X11", "curl"), _NO_ENDORSEMENT
    ),
    "BSD-4-Clause": ("attribution", "notice", "no_endorsement"),
    **dict.fromkeys(
        (
            "AFL-3.0", "Apache-1.1", "Apache-2.0", "Artistic-2.0", "LPPL-1.3c", "PSF-2.0", "Python-2.0",
            "W3C", "W3C-20150513", "Zlib",
        ),
        _NOTICE_AND_CHANGES,
    ),
    **dict.fromkeys(
        ("CDDL-1.0", "CDDL-1.1", "CECILL-2.1", "EPL-1.0", "EPL-2.0", "MPL-1.1", "MPL-2.0", "MS-RL"), _COPYLEFT
    ),
    **dict.fromkeys(("EUPL-1.1", "EUPL-1.2", "OSL-3.0"), (*_COPYLEFT, "network_use")),
    "OFL-1.1": ("notice", "share_alike"),
}  # fmt: skip


def asks_of_id(id_: str) -> tuple[Ask, ...] | None:
    """What the licence with this identifier of the SPDX list asks; None where nobody has read it."""
    if match := _CC.fullmatch(id_):
        asks: set[Ask] = {"attribution"}
        if match["last"] != "ND":
            asks.add("changes")
        if match["nc"]:
            asks.add("non_commercial")
        if match["last"]:
            asks.add("share_alike" if match["last"] == "SA" else "no_derivatives")
        return in_order(asks)
    if match := _GNU.fullmatch(id_):
        if match["family"] == "GFDL":
            return ("attribution", "notice", "changes", "share_alike")
        return (*_COPYLEFT, "network_use") if match["family"] == "AGPL" else _COPYLEFT
    return _TABLE.get(id_)


def asks_of(tree: Tree) -> tuple[Ask, ...] | None:
    """What an expression asks in any case: of all its licences, of a choice what each one asks.

    None where nobody has read one of the licences of which the answer depends. What an
    exception permits beyond is not taken off.
    """
    if isinstance(tree, Term):
        return asks_of_id(tree.id)
    parts = [asks_of(part) for part in tree.parts]
    known = [set(part) for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    return in_order(set.union(*known) if tree.operator == "AND" else set.intersection(*known))


def in_order(asks: Iterable[Ask]) -> tuple[Ask, ...]:
    """Each once, in the order in which they are told."""
    wanted = set(asks)
    return tuple(ask for ask in ORDER if ask in wanted)


def family_of(stated: StatedLicense, *, words: bool = False) -> Family:
    """The family of a stated licence. `words`: there are words about rights beside it.

    `own`: a LicenseRef is among it; `unclear`: words that mean no identifier, or one that nobody
    has read; `none`: nothing is stated.
    """
    if stated.expression is None:
        return "unclear" if stated.how == "unknown" or words else "none"
    tree = stated.expression.tree
    if any(term.own for term in terms_of(tree)):
        return "own"
    asks = asks_of(tree)
    if asks is None:
        return "unclear"
    if "no_derivatives" in asks:
        return "no_derivatives"
    if "non_commercial" in asks:
        return "non_commercial"
    if "share_alike" in asks:
        return "copyleft"
    return "attribution" if asks else "open"
