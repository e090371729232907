"""Identifiers of scholarly works and people as catalogues write them, in one form each.

What is no such identifier gives "". Sources: DOI Handbook (ASCII letters alone are folded),
NLM (PMIDs), ISO 7064 MOD 11-2 (ORCID), ROR schema 2.1.
"""

import re
from typing import Final
from urllib.parse import unquote

MOST_CHARACTERS: Final = 512  # of a DOI; the longest registered ones have some 200

# What nearly every cell of a catalogue holds: already in its form.
_PLAIN_DOI: Final = re.compile(r"10\.[0-9]{4,9}(?:\.[0-9]+)*/[a-z0-9._;()/:-]*[a-z0-9]", re.ASCII)
_DOI: Final = re.compile(r"10\.[0-9]{4,9}(?:\.[0-9]+)*/[^\s\x00-\x1f\x7f]+", re.ASCII)
_DOI_ADDRESS: Final = re.compile(r"(?:https?://)?(?:dx\.|www\.)?doi\.org/", re.IGNORECASE)
_DOI_SCHEME: Final = re.compile(r"(?:doi:|info:doi/)\s*", re.IGNORECASE)
_PMID: Final = re.compile(
    r"(?:pmid:?\s*|(?:https?://)?(?:www\.)?(?:pubmed\.ncbi\.nlm\.nih\.gov|ncbi\.nlm\.nih\.gov/pubmed)/)?"
    r"0*([1-9][0-9]{0,9})(?:\.0+)?/?",
    re.IGNORECASE | re.ASCII,
)
_ORCID: Final = re.compile(
    r"(?:(?:https?://)?(?:www\.)?orcid\.org/)?"
    r"([0-9]{4})-?([0-9]{4})-?([0-9]{4})-?([0-9]{3}[0-9X])/?",
    re.IGNORECASE | re.ASCII,
)
_ROR: Final = re.compile(
    r"(?:(?:https?://)?ror\.org/)?(0[a-hj-km-np-tv-z0-9]{6}[0-9]{2})/?", re.IGNORECASE
)
_CROCKFORD: Final = "0123456789abcdefghjkmnpqrstvwxyz"
_TRAILING: Final = ".,;"
_UPPER: Final = {ord(letter): letter.lower() for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}


def normal_doi(text: str) -> str:
    """The DOI in `text`, without resolver or scheme, its ASCII letters in lower case.

    A percent-encoded one is decoded once where it came as an address. Full stops, commas
    and brackets that only the sentence around it has opened are cut off.
    """
    if len(text) <= MOST_CHARACTERS and _PLAIN_DOI.fullmatch(text):
        return text
    bare = text.strip()
    if address := _DOI_ADDRESS.match(bare):
        bare = unquote(bare[address.end() :])
    elif scheme := _DOI_SCHEME.match(bare):
        bare = bare[scheme.end() :]
    bare = bare.translate(_UPPER)
    while bare and (
        bare[-1] in _TRAILING or (bare[-1] == ")" and bare.count(")") > bare.count("("))
    ):
        bare = bare[:-1]
    return bare if len(bare) <= MOST_CHARACTERS and _DOI.fullmatch(bare) else ""


def normal_pmid(text: str) -> str:
    """The PubMed id in `text` (`37476288.0` is one that a table took for a number); 0 is none."""
    found = _PMID.fullmatch(text.strip())
    return found[1] if found else ""


def normal_orcid(text: str) -> str:
    """The ORCID in `text` in groups of four, if its check character is right."""
    found = _ORCID.fullmatch(text.strip())
    if not found:
        return ""
    digits = "".join(found.groups()).upper()
    total = 0
    for digit in digits[:-1]:
        total = (total + int(digit)) * 2
    check = (12 - total % 11) % 11
    return "-".join(found.groups()).upper() if digits[-1] == "0123456789X"[check] else ""


def normal_ror(text: str) -> str:
    """The ROR id in `text` as its address, if its check digits are right."""
    found = _ROR.fullmatch(text.strip())
    if not found:
        return ""
    name = found[1].lower()
    number = 0
    for letter in name[1:7]:
        number = number * 32 + _CROCKFORD.index(letter)
    return f"https://ror.org/{name}" if int(name[7:]) == 98 - number * 100 % 97 else ""
