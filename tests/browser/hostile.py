"""Text that runs where a page takes it for markup, and records that have it in every field.

The fields are those that the formats declare: a new one cannot be forgotten.
"""

from typing import Any, Final

from lineage.formats.holds import Field, Holds, Shape
from lineage.formats.shape import COMMON, SHAPES
from lineage.vocabulary import APPLY_ORDER

# Each sets the flag that the test looks at. They end what a page may have opened: an attribute of
# either quote, a comment, a script, a style, a title, a text area, a template, CDATA.
_RUN: Final = "window.ran=1"
CORPUS: Final = (
    f"<script>{_RUN}</script>",
    f"<img src=x onerror={_RUN}>",
    f"<svg/onload={_RUN}>",
    f'"><img src=x onerror={_RUN}>',
    f"'><svg onload={_RUN}>",
    f"--><svg onload={_RUN}>",
    f"</script><script>{_RUN}</script>",
    f"</style></title></textarea></template></noscript><details open ontoggle={_RUN}>",
    f"]]><iframe srcdoc='<script>parent.{_RUN}</script>'></iframe>",
    f'" autofocus onfocus={_RUN} x="',
    f"' onmouseover={_RUN} x='",
    f"` onmouseover={_RUN} x=`",
    f"<a href=javascript:{_RUN}>a</a><form action=javascript:{_RUN}><button>b</button></form>",
    f"<math><mtext></form><form><mglyph><style></math><img src onerror={_RUN}>",
    f"<body onload={_RUN}><base href=//invalid.example/><meta http-equiv=refresh content=0;url=//invalid.example>",
    f"<input autofocus onfocus={_RUN}><link rel=stylesheet href=//invalid.example/x.css>",
    f"{{{{{_RUN}}}}}${{{_RUN}}}{{% include 'x' %}}<%= 1 %>",
    f"&lt;script&gt;{_RUN}&lt;/script&gt;&#60;img src=x onerror={_RUN}&#62;\x00<x>\u2028<y>\ufeff\u202e",
)  # fmt: skip
ALL: Final = " ".join(CORPUS)
# Where an address is meant.
ADDRESS: Final = f"javascript:{_RUN}//{CORPUS[3]}"
# What forms and notes take: no character that a database refuses.
TOLD: Final = ALL.replace("\0", "")
# What people name things that are no records: short, and of what a database takes.
NAMED: Final = f"{CORPUS[1]}{CORPUS[9]}{CORPUS[6]}\u202e"
# Not texts: a digest has a form of its own. Who may read and where a key belongs have a record of their own.
_LEFT_OUT: Final = frozenset({"acl", "namespace", "digest", "interval", "kind", "key"})
_AT: Final = "2026-03-01T10:00:00Z"


def key_of(kind: str) -> str:
    """The key of the record of this kind."""
    return f"{kind} {CORPUS[1]}{CORPUS[9]}{CORPUS[6]}"


def everywhere() -> list[dict[str, Any]]:
    """A record of each kind with hostile text in every field that takes text, each named before it."""
    records = []
    for kind in APPLY_ORDER:
        shape = SHAPES[kind]
        fields = {**COMMON, **shape.fields}
        record = _members(kind, kind, Shape(fields, shape.any_of, shape.at_most_one))
        records.append({**record, "kind": kind, "key": key_of(kind), "occurred_at": _AT})
    # An answer that a reader finds, with a marker that opens a card.
    for record in records:
        if record["kind"] == "answer":
            record["text"] += "\n\nIt rose. [1]"
        if record["kind"] == "citation":
            record["marker"] = "[1]"
    return [*records, *_besides(next(each for each in records if each["kind"] == "citation"))]


def _besides(citation: dict[str, Any]) -> list[dict[str, Any]]:
    """Another citation of the same claim, whose marker is hostile; a work of a hostile namespace and group."""
    work = {"kind": "source", "namespace": f"namespace {ALL[:900]}", "occurred_at": _AT}
    return [
        {**citation, "key": "another", "marker": f"marker {NAMED}"},
        {**work, "key": NAMED, "title": f"another {NAMED}"},
        {
            **work, "kind": "source_version", "key": f"{NAMED}@1",
            "source": {"key": NAMED, "namespace": work["namespace"]}, "acl": [f"acl {NAMED}"],
        },
    ]  # fmt: skip


def _members(kind: str, path: str, shape: Shape) -> dict[str, Any]:
    others = {name for names in shape.at_most_one for name in names[1:]}
    filled = {
        name: _value(kind, f"{path}.{name}", field)
        for name, field in shape.fields.items()
        if name not in _LEFT_OUT | others
    }
    return {name: value for name, value in filled.items() if value is not None}


def _value(kind: str, path: str, field: Field) -> Any:
    text = ADDRESS if path.endswith("uri") else f"{path} {ALL}"
    reference = _reference(kind, field)
    members = field.members
    values: dict[Holds, Any] = {
        Holds.STRING: text,
        Holds.STRINGS: [text],
        Holds.CHOICE: field.choices[0] if field.choices else None,
        Holds.INTEGER: 1,
        Holds.NUMBER: 0.5,
        Holds.BOOLEAN: True,
        Holds.OBJECT: {text[:200]: text},
        Holds.JSON: {text[:200]: [text]},
        Holds.INSTANT: _AT,
        Holds.DATE: "2026-03-01",
        Holds.TEXT: text,
        Holds.TEXTS: [text],
        Holds.QUOTING: {text[:200]: text},
        Holds.TERM: text,
        Holds.REF: reference,
        Holds.REFS: [reference] if reference else None,
        Holds.REF_OR_REFS: reference,
        Holds.GROUP: _members(kind, path, members) if members else None,
        Holds.GROUPS: [_members(kind, path, members)] if members else None,
    }
    return values.get(field.holds)


def _reference(kind: str, field: Field) -> dict[str, str] | None:
    """One of what is applied before this kind; nothing refers to itself or onwards."""
    before = APPLY_ORDER[: APPLY_ORDER.index(kind)]
    named = next((each for each in field.kinds if each in before), None)
    return {"kind": named, "key": key_of(named)} if named is not None else None
