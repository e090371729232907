"""The certificate of a case as a signed file, checked offline with `provexplorer verify`."""

from citations.exports.signed_json import signed
from citations.exports.signing import signing_key
from lineage.cases.certificate import certificate_of
from lineage.types import Viewer


def certificate_file(viewer: Viewer, uid: str) -> bytes:
    """The signed certificate. Raises CaseNotFound, and CaseConflict before the case has ended."""
    return signed(certificate_of(viewer, uid), signing_key())
