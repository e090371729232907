"""Qualified names of PROV-JSON: the prefixes in scope, and the IRIs that names stand for."""

from collections.abc import Mapping
from typing import Final

from lineage.formats.prov_statements import MOST_STATEMENTS, PROV, XSD
from lineage.formats.refusals import BodyRefused
from lineage.formats.storable import is_storable, member
from lineage.types import JsonValue

# Declared without being written: the submission's examples take these for granted.
GRANTED: Final = {"prov": PROV, "xsd": XSD, "xsi": "http://www.w3.org/2001/XMLSchema-instance#"}


def refuse(detail: str, pointer: str) -> BodyRefused:
    """The refusal of a document that is no PROV-JSON."""
    return BodyRefused("body-unreadable", detail, pointer)


def as_object(value: JsonValue, what: str, pointer: str) -> dict[str, JsonValue]:
    """An object; raises BodyRefused."""
    if not isinstance(value, dict):
        raise refuse(f"{what} is to be an object.", pointer)
    return value


class Budget:
    """Counts statements: a document has a bounded number of them."""

    def __init__(self) -> None:
        self.left = MOST_STATEMENTS

    def take(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise BodyRefused("body-too-large", f"At most {MOST_STATEMENTS:,} statements at once.")


class Names:
    """The prefixes in scope; resolves qualified names to IRIs."""

    def __init__(self, declared: JsonValue, inherited: Mapping[str, str], pointer: str) -> None:
        self.declared: dict[str, str] = {}
        for prefix, iri in as_object(declared, "prefix", pointer).items():
            if not isinstance(iri, str):
                raise refuse(
                    f"The prefix {prefix[:80]!r} is to name an IRI.", member(pointer, prefix)
                )
            self.declared[prefix] = iri
        self.known = {**inherited, **self.declared}

    def iri(self, name: JsonValue, pointer: str) -> str:
        """The IRI of a qualified name; raises BodyRefused where its prefix is not declared."""
        if not isinstance(name, str) or not name:
            raise refuse("This is to be a qualified name.", pointer)
        prefix, colon, local = name.partition(":")
        if not colon:
            prefix, local = "default", name
        if prefix in self.known:
            iri = self.known[prefix] + local
        elif any(name.startswith(known) for known in self.known.values()):
            iri = name
        elif colon:
            raise refuse(f"{name[:80]!r}: the prefix {prefix[:40]!r} is not declared.", pointer)
        else:
            raise refuse(f"{name[:80]!r} has no prefix, and no default is declared.", pointer)
        if not is_storable(iri):
            raise refuse("An identifier with NUL or a lone surrogate cannot be kept.", pointer)
        return iri
