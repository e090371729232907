"""What every reference says beside its style's own words: licence, retrieval, whether it still holds."""

from django.utils.translation import gettext as _

from citations.exports.csl import UNREMARKABLE
from citations.exports.dates import iso
from citations.exports.works import Work
from lineage.templatetags.product import word


def remarks_of(work: Work) -> list[str]:
    """Short phrases in the reader's language; what is not known is not said."""
    said = []
    if work.book.version:
        said.append(_("version %(version)s") % {"version": work.book.version})
    if work.accessed:
        said.append(_("retrieved %(date)s") % {"date": iso(work.accessed)})
    return [*_status(work), *said, *_licence(work)]


def notes_of(work: Work) -> list[str]:
    """Of these, what formats with fields for version and day of retrieval have no field for."""
    return [*_status(work), *_licence(work)]


def _status(work: Work) -> list[str]:
    if work.status.code in UNREMARKABLE:
        return []
    status, since = word(work.status.code, "source"), work.status.at
    return [f"{status} ({since:%Y-%m-%d})" if since else status]


def _licence(work: Work) -> list[str]:
    licence = work.book.license
    if licence is None:
        return []
    return [_("licence as stated: %(licence)s") % {"licence": licence.spdx or licence.as_stated}]
