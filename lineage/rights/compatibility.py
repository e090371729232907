"""Whether texts under these licences may go into one adaptation, pair by pair. Pure.

Advice, and no legal advice: whether an answer is an adaptation of its sources at all is for
its publisher to judge. A quotation that the law permits needs no licence.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Final, Literal

from lineage.formats.license_expressions import Term, Tree
from lineage.rights.asks import asks_of_id

Clash = Literal["share_alike", "share_alike_non_commercial"]

# Choices of one expression that are looked at; beyond, the rest decides.
_MOST_CHOICES: Final = 32
_CC_SA: Final = re.compile(r"CC-(?P<terms>BY(?:-NC)?-SA)-(?P<version>\d\.\d)(?:-[A-Z]{2,3})?")
_CC_VERSIONS: Final = ("2.0", "2.1", "2.5", "3.0", "4.0")
_GNU: Final = re.compile(r"(?P<family>A?GPL|LGPL)-(?P<version>\d\.\d)-(?P<which>only|or-later)")
_GPL_LATER: Final[Mapping[str, tuple[str, ...]]] = {
    "GPL-1.0": ("GPL-1.0", "GPL-2.0", "GPL-3.0", "AGPL-3.0"),
    "GPL-2.0": ("GPL-2.0", "GPL-3.0", "AGPL-3.0"),
    "GPL-3.0": ("GPL-3.0", "AGPL-3.0"),
    "AGPL-1.0": ("AGPL-1.0", "AGPL-3.0"),
    "AGPL-3.0": ("AGPL-3.0",),
    # Each may be taken under the GPL of its time or a later one.
    "LGPL-2.0": ("LGPL-2.0", "LGPL-2.1", "LGPL-3.0", "GPL-2.0", "GPL-3.0", "AGPL-3.0"),
    "LGPL-2.1": ("LGPL-2.1", "LGPL-3.0", "GPL-2.0", "GPL-3.0", "AGPL-3.0"),
    "LGPL-3.0": ("LGPL-3.0", "GPL-3.0", "AGPL-3.0"),
}
_GPL_ONLY: Final[Mapping[str, tuple[str, ...]]] = {
    "GPL-3.0": ("GPL-3.0", "AGPL-3.0"),
    "LGPL-2.0": ("LGPL-2.0", "GPL-2.0", "GPL-3.0", "AGPL-3.0"),
    "LGPL-2.1": ("LGPL-2.1", "GPL-2.0", "GPL-3.0", "AGPL-3.0"),
    "LGPL-3.0": ("LGPL-3.0", "GPL-3.0", "AGPL-3.0"),
}
_ALSO_UNDER: Final[Mapping[str, tuple[str, ...]]] = {
    "MPL-2.0": ("LGPL-2.1", "LGPL-3.0", "GPL-2.0", "GPL-3.0", "AGPL-3.0"),
    # The appendix of each.
    "EUPL-1.1": ("EUPL-1.2", "GPL-2.0", "OSL-3.0", "EPL-1.0"),
    "EUPL-1.2": (
        "GPL-2.0", "GPL-3.0", "AGPL-3.0", "LGPL-2.1", "LGPL-3.0", "MPL-2.0", "OSL-3.0", "EPL-1.0",
        "CECILL-2.1", "CC-BY-SA-3.0",
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two licences whose texts may not go into one adaptation, by their places in what was asked."""

    first: int
    second: int
    clash: Clash


def conflicts_of(trees: Sequence[Tree]) -> tuple[Conflict, ...]:
    """The pairs that conflict, in their order; where a licence leaves a choice, whatever is chosen."""
    choices = [_choices(tree) for tree in trees]
    found = []
    for (first, mine), (second, other) in combinations(enumerate(choices), 2):
        clashes = [_clash(*pair) for pair in product(mine, other)]
        if all(clashes):
            found.append(Conflict(first, second, next(each for each in clashes if each)))
    return tuple(found)


def _choices(tree: Tree) -> list[tuple[Term, ...]]:
    """The licences that hold together, for each way to choose."""
    if isinstance(tree, Term):
        return [(tree,)]
    parts = [_choices(part) for part in tree.parts]
    if tree.operator == "OR":
        return [choice for part in parts for choice in part][:_MOST_CHOICES]
    together: list[tuple[Term, ...]] = [()]
    for part in parts:
        together = [(*had, *more) for had in together for more in part][:_MOST_CHOICES]
    return together


def _clash(mine: Sequence[Term], other: Sequence[Term]) -> Clash | None:
    return next((clash for pair in product(mine, other) if (clash := _between(*pair))), None)


def _between(mine: Term, other: Term) -> Clash | None:
    """What keeps two licences apart; None where nothing does, or where one is not known."""
    if mine == other:
        return None
    asked = [asks_of_id(term.id) for term in (mine, other)]
    if asked[0] is None or asked[1] is None:
        return None
    alike = ["share_alike" in asks for asks in asked if asks is not None]
    if all(alike):
        return None if _may_become(mine) & _may_become(other) else "share_alike"
    if not any(alike):
        return None
    sharing, beside = (mine, asked[1]) if alike[0] else (other, asked[0])
    if "non_commercial" not in beside:
        return None
    # A licence that shares alike lets nobody add a restriction, unless it has it itself.
    own = asks_of_id(sharing.id) or ()
    return None if "non_commercial" in own else "share_alike_non_commercial"


def _may_become(term: Term) -> frozenset[str]:
    """The licences under which an adaptation of a text may be, that asks to be shared alike."""
    if match := _CC_SA.fullmatch(term.id):
        version = match["version"]
        later = [each for each in _CC_VERSIONS if each >= version] if version > "1.0" else [version]
        beside = {"GPL-3.0"} if term.id == "CC-BY-SA-4.0" else set()
        return frozenset({f"CC-{match['terms']}-{each}" for each in later} | beside)
    if match := _GNU.fullmatch(term.id):
        base = f"{match['family']}-{match['version']}"
        if match["which"] == "or-later":
            return frozenset(_GPL_LATER.get(base, (base,)))
        return frozenset(_GPL_ONLY.get(base, (base,)))
    return frozenset({term.id, *_ALSO_UNDER.get(term.id, ())})
