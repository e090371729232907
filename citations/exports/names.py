"""Names of creators as reference managers want them, taken apart only where the source says how.

Only a comma tells which part of a name is the family's: "Bozdech Zbynek" may be either, and
"World Health Organization" has none. A name without one stands as stated.
"""

from typing import Final

from citations.bibliography import Creator

# A name of CSL: `literal`, or `family` with `given`, particles and suffix.
CslName = dict[str, str]

_SUFFIXES: Final = frozenset({"jr", "sr", "ii", "iii", "iv", "filho", "neto", "júnior"})
_OF_COMPANIES: Final = frozenset(
    {"inc", "ltd", "llc", "llp", "gmbh", "ag", "sa", "s.a", "plc", "co", "corp", "bv", "ltda", "kg"}
)
# Parts and words of a name that is taken apart; longer ones are rather those of bodies.
_MOST_WORDS: Final = 4


def csl_name(creator: Creator) -> CslName | None:
    """The name in CSL; None where none is stated."""
    name = " ".join((creator.name or "").split())
    if not name:
        return None
    return _person(name) or {"literal": name}


def _person(name: str) -> CslName | None:
    """A name of the form "van Beethoven, Ludwig" or "King, Martin Luther, Jr."; None for any other."""
    family, *rest = [part.strip() for part in name.split(",")]
    if not rest or len(rest) > 2 or not family or not rest[0]:
        return None
    if len(rest) == 2 and not _is(rest[1], _SUFFIXES):
        return None
    before, family = _particles_first(family)
    given, after = _particles_last(rest[0])
    if not family or not given or _is(given, _SUFFIXES | _OF_COMPANIES):
        return None
    if not all(_fits(part) for part in (family, given)):
        return None
    told = {
        "family": family,
        "given": given,
        "non-dropping-particle": before,
        "dropping-particle": after,
        "suffix": rest[1] if len(rest) == 2 else "",
    }
    return {part: words for part, words in told.items() if words}


def _is(words: str, those: frozenset[str]) -> bool:
    return words.casefold().rstrip(".") in those


def _fits(part: str) -> bool:
    """Whether these are words of a person's name: few, each with a capital, without digits."""
    words = part.split()
    return len(words) <= _MOST_WORDS and all(
        not word.islower() and not any(character.isdigit() for character in word) for word in words
    )


def _particles_first(family: str) -> tuple[str, str]:
    """What stands before the first capital ("van der" of "van der Berg"), and the rest."""
    words = family.split()
    at = next((at for at, word in enumerate(words) if not word.islower()), 0)
    return " ".join(words[:at]), " ".join(words[at:])


def _particles_last(given: str) -> tuple[str, str]:
    """All but what stands behind the last capital, and that ("van" of "Ludwig van")."""
    words = given.split()
    at = len(words)
    while at > 1 and words[at - 1].islower():
        at -= 1
    return " ".join(words[:at]), " ".join(words[at:])


def inverted(name: CslName) -> str:
    """As BibTeX and RIS write names ("van Beethoven, Ludwig"); else as stated."""
    if "literal" in name:
        return name["literal"]
    family = " ".join(filter(None, (name.get("non-dropping-particle"), name["family"])))
    given = " ".join(filter(None, (name["given"], name.get("dropping-particle"))))
    return ", ".join(filter(None, (family, name.get("suffix"), given)))
