"""A case filed with an installation, as an editor's program files it, and carried to its end."""

from tests.servers.product import Product, eventually

# For a case whose worker was killed just before.
_SECONDS = 120


def verified_case(product: Product, kind: str, source: str) -> str:
    """The uid of a case of this kind on a source, once it is verified."""
    uid = filed_case(product, kind, source)
    path = f"/api/v1/cases/{uid}/approve"
    assert eventually(lambda: product.request("POST", path, body={}).status == 200)
    case = f"/api/v1/cases/{uid}"
    assert eventually(lambda: product.request("GET", case).json()["verified"], seconds=_SECONDS)
    return uid


def filed_case(product: Product, kind: str, source: str) -> str:
    """The same, tried out and not yet approved."""
    draft = {"kind": kind, "targets": [{"kind": "source", "key": source}], "reason": "r"}
    uid = str(product.request("POST", "/api/v1/cases", body=draft).json()["uid"])
    assert product.request("POST", f"/api/v1/cases/{uid}/dry-run", body={}).status == 200
    return uid
