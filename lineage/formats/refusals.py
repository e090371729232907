"""Why a record, or a whole body, can be refused: one row per problem type.

Each slug is a page at /problems/SLUG (docs/problems/SLUG.md).
"""

from typing import Final, NamedTuple

from lineage.types import Problem


class Row(NamedTuple):
    """Title and HTTP status of a problem type (RFC 9457)."""

    title: str
    status: int


# One record is refused, the others of the request are stored.
RECORD: Final[dict[str, Row]] = {
    "not-an-object": Row("The record is not a JSON object", 422),
    "unknown-kind": Row("The record has no known kind", 422),
    "key-missing": Row("The record has no key", 422),
    "key-too-long": Row("The key has more than 2,000 characters", 422),
    "field-missing": Row("A required field is missing", 422),
    "fields-exclusive": Row("Two fields exclude each other", 422),
    "wrong-type": Row("A field has the wrong type", 422),
    "value-not-allowed": Row("A field has a value that is not allowed", 422),
    "number-out-of-range": Row("A number needs more than 64 bits", 422),
    "time-unreadable": Row("A time is not written as RFC 3339 has it", 422),
    "reference-malformed": Row("A reference names neither a key nor a uid, or both", 422),
    "reference-kind-missing": Row("A reference must say which kind it means", 422),
    "reference-kind-wrong": Row("A reference names a kind that cannot stand here", 422),
    "characters-not-storable": Row("A key has characters that cannot be stored", 422),
    "name-repeated": Row("A JSON object has the same name twice", 422),
    "too-deep": Row("The JSON is nested deeper than 32 levels", 422),
    "record-too-large": Row("The record is larger than 8 MiB", 413),
    "record-unreadable": Row("The line is not JSON", 422),
    "erased": Row("It was erased", 410),
    "rights-missing": Row("Its source states too little to be indexed here", 422),
    "prov-constraint": Row("PROV's constraints forbid what is stated", 422),
}

# The body as a whole is unusable, nothing of it is stored.
BODY: Final[dict[str, Row]] = {
    "body-unreadable": Row("The body cannot be read", 400),
    "body-too-large": Row("The body is too large", 413),
    "media-type-unsupported": Row("The body's type or encoding is not supported", 415),
}


def record_problem(slug: str, detail: str, pointer: str = "") -> Problem:
    """The problem of one record; `pointer` relative to the record."""
    row = RECORD[slug]
    return Problem(slug=slug, title=row.title, status=row.status, detail=detail, pointer=pointer)


class RecordRefused(Exception):
    """Raised inside the readers when a record cannot be stored."""

    def __init__(self, slug: str, detail: str, pointer: str = "") -> None:
        super().__init__(slug)
        self.problem = record_problem(slug, detail, pointer)


class BodyRefused(Exception):
    """The body as a whole is unusable: too large, not JSON, of an unknown type."""

    def __init__(self, slug: str, detail: str, pointer: str = "") -> None:
        super().__init__(slug)
        row = BODY[slug]
        self.problem = Problem(
            slug=slug, title=row.title, status=row.status, detail=detail, pointer=pointer
        )
