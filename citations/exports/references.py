"""Sources as a file for reference managers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from citations.exports import bibtex, csl, ris
from citations.exports.works import Work


@dataclass(frozen=True, slots=True)
class ReferenceFile:
    """The bytes of a file, with its media type and the ending of its name."""

    content: bytes
    media_type: str
    ending: str


@dataclass(frozen=True, slots=True)
class _Form:
    name: str
    media_type: str
    write: Callable[[Sequence[Work]], bytes]


_FORMS: Final = {
    "json": _Form("CSL-JSON", csl.MEDIA_TYPE, csl.csl_json),
    "bib": _Form("BibTeX", bibtex.MEDIA_TYPE, bibtex.bibtex),
    "ris": _Form("RIS", ris.MEDIA_TYPE, ris.ris),
}
# Ending of the file → what the format is called.
FILES: Final[Mapping[str, str]] = {ending: form.name for ending, form in _FORMS.items()}


def reference_file(ending: str, works: Sequence[Work]) -> ReferenceFile:
    """The works in the format with this ending, one of FILES."""
    form = _FORMS[ending]
    return ReferenceFile(form.write(works), form.media_type, ending)
