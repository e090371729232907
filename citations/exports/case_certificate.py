"""The certificate of a case as a signed file, checked offline with `provexplorer verify`."""

from citations.exports.signed_json import signed
from citations.exports.signing import signing_key
from lineage.cases.certificate import certificate_of
from lineage.cases.steps import case_of
from lineage.erasure.certificate import erasure_part
from lineage.types import JsonValue, Viewer


def whole_certificate(viewer: Viewer, uid: str) -> dict[str, JsonValue]:
    """What is certified of a case, its erasure included where it is one.

    Raises CaseNotFound, and CaseConflict before the case has ended.
    """
    found = certificate_of(viewer, uid)
    erasure = erasure_part(case_of(viewer, uid))
    return {**found, "erasure": erasure.as_json() if erasure else None}


def certificate_file(viewer: Viewer, uid: str) -> bytes:
    """The signed certificate. Raises as `whole_certificate`."""
    return signed(whole_certificate(viewer, uid), signing_key())
