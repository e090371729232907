"""Records with faults that other products had, and at every limit of ingestion, with what becomes of them.

Addresses of the reports stand beside the cases.
"""

from typing import Any, Final

from tests.contract.library import item

MIB: Final = 1 << 20
NAN: Final = float("nan")
# Warnings that a record earns; by its label, with pointers relative to it.
Warnings = list[tuple[str, str]]


def nested(levels: int) -> dict[str, Any]:
    """A source of this many levels, itself included."""
    inner: Any = 1
    for _ in range(levels - 1):
        inner = {"n": inner}
    return item("source", f"deep-{levels}", title="T", creators=[{"name": "A"}], attributes=inner)


def work(name: str, text: str) -> list[tuple[dict[str, Any], Warnings]]:
    """A source with its version and its text, without a fault."""
    return [
        (item("source", name, title=name, creators=[{"name": "A"}]), []),
        (item("source_version", name, source=name, license="CC0-1.0"), []),
        (item("document", name, source_version=name, text=text), []),
    ]


def chunk(document: str, key: str, text: str | None, **interval: Any) -> dict[str, Any]:
    return item("chunk", key, document=document, interval=interval) | (
        {"text": text} if text is not None else {}
    )


UNVERIFIABLE: Final[Warnings] = [("interval_unverifiable", "/interval")]
AMBIGUOUS: Final[Warnings] = [("interval_ambiguous", "/interval")]
OUTSIDE: Final = "citation_outside_context"

STORED: Final[list[tuple[dict[str, Any], Warnings]]] = [
    # tilgovi/dom-anchor-text-position#6: UTF-16 units taken for code points
    *work("d01", "🤔🤔🤔🤔:thinking about provenance"),
    (chunk("d01", "d01-1", ":thinking", start=4, end=13, unit="codepoint"), []),
    (
        chunk("d01", "d01-2", ":thinking", start=8, end=17, unit="utf16"),
        [("interval_converted", "/interval")],
    ),
    (chunk("d01", "d01-3", ":thinking", start=8, end=17), [("interval_relocated", "/interval")]),
    # langchain-ai/langchain#21475, #17642: offsets by the first occurrence, and -1
    *work("d02", "chunk chunk"),
    (chunk("d02", "d02-c0", "chunk", start=0, end=5), AMBIGUOUS),
    (chunk("d02", "d02-c1", "chun", start=0, end=4), []),
    (chunk("d02", "d02-c2", "chunk", start=0, end=5), AMBIGUOUS),
    (chunk("d02", "d02-c3", "chunk", start=-1, end=4), UNVERIFIABLE),
    # onyx-dot-app/onyx#14334: one document under two markers
    *work("d03", "Fees fell in May. They rose in June."),
    (chunk("d03", "docA#2", None, start=0, end=17), []),
    (chunk("d03", "docA#7", None, start=18, end=36), []),
    (
        item("context", "d03", items=[
            {"chunk": "docA#2", "position": 4}, {"chunk": "docA#7", "position": 8},
        ]),
        [],
    ),
    (item("answer", "d03", context="d03", text="Fees fell [4]. They rose later [8]."), []),
    (item("claim", "d03-4", answer="d03", text="Fees fell"), []),
    (item("claim", "d03-8", answer="d03", text="They rose later"), []),
    (item("citation", "d03-4", claim="d03-4", marker="[4]", chunk="docA#2"), []),
    (item("citation", "d03-8", claim="d03-8", marker="[8]", chunk="docA#7"), []),
    # IgorGanapolsky/ThumbGate#3098: markers of nothing that the model was given
    *work("d04", "Revenue was flat. Cash rose."),
    (chunk("d04", "k1", None, start=0, end=17), []),
    (chunk("d04", "k2", None, start=18, end=28), []),
    (item("retrieval", "d04", candidates=[{"chunk": "k1", "kept": True}, {"chunk": "k2"}]), []),
    (item("context", "d04", retrieval="d04", items=[{"chunk": "k1", "position": 1}]), []),
    (
        item("answer", "d04", context="d04",
             text="Revenue grew 8% [999]. Costs fell [2]. Cash rose [k2]."),
        [],
    ),
    (item("claim", "d04-999", answer="d04", text="Revenue grew 8%"), []),
    (item("claim", "d04-2", answer="d04", text="Costs fell"), []),
    (item("claim", "d04-k2", answer="d04", text="Cash rose"), []),
    (
        item("citation", "d04-999", claim="d04-999", marker="[999]", position=999),
        [(OUTSIDE, "/position")],
    ),
    (item("citation", "d04-2", claim="d04-2", marker="[2]", position=2), [(OUTSIDE, "/position")]),
    (
        item("citation", "d04-k2", claim="d04-k2", marker="[k2]", chunk="k2"),
        [(OUTSIDE, "/chunk")],
    ),
    # Arize-ai/phoenix#2054: scores that are no numbers
    (
        item("retrieval", "d15", candidates=[
            {"chunk": "k1", "score": NAN}, {"chunk": "k2", "score": float("inf")},
            {"chunk": "docA#2", "score": None}, {"chunk": "docA#7", "score": 0.0},
        ]),
        [("score_not_finite", "/candidates/0/score"), ("score_not_finite", "/candidates/1/score")],
    ),
    # infiniflow/ragflow#1491, #611: a passage that is markup
    *work("d16", "<script>alert(1)</script><img src=x onerror=alert(2)> revenue <b>rose</b> &amp; fell"),
    (chunk("d16", "d16", None, start=0, end=84), []),
    # Intervals of no text
    (chunk("d03", "negative", None, start=-2, end=3), UNVERIFIABLE),
    (chunk("d03", "inverted", None, start=9, end=3), UNVERIFIABLE),
    (chunk("d03", "beyond", None, start=2, end=37), UNVERIFIABLE),
    (chunk("d03", "tokens", None, start=0, end=3, unit="token"), UNVERIFIABLE),
    # The longest key, the deepest record
    (item("source", "k" * 2_000, title="T", creators=[{"name": "A"}]), []),
    (nested(32), []),
    # Control and bidirectional characters, and what no store can keep
    (item("source", "signs", title="a\u202eb\u0007c\u200b", creators=[{"name": "A"}]), []),
    (
        item("source", "nul", title="a\u0000b\ud800c", creators=[{"name": "A"}]),
        [("character_replaced", "/title")],
    ),
    (item("source", "a/b%2Fc 🤔?#", title="T", creators=[{"name": "A"}]), []),
]  # fmt: skip
REFUSED: Final[list[tuple[Any, str, int, str]]] = [
    (item("riddle", "x"), "unknown-kind", 422, "/kind"),
    ({"kind": ["source"], "key": "x", "title": "T"}, "unknown-kind", 422, "/kind"),
    ({"kind": "source", "title": "T"}, "key-missing", 422, "/key"),
    (item("source", "k" * 2_001, title="T"), "key-too-long", 422, "/key"),
    (item("source", "a\u0000b", title="T"), "characters-not-storable", 422, "/key"),
    (nested(33), "too-deep", 422, ""),
    (item("source", "large", title="x" * 8 * MIB), "record-too-large", 413, ""),
    ("source", "not-an-object", 422, ""),
    (
        item("chunk", "typed", document="d03", interval={"start": "0", "end": 3}),
        "wrong-type", 422, "/interval/start",
    ),
    (item("chunk", "floating", document="d03", interval={"start": NAN, "end": 3}),
     "wrong-type", 422, "/interval/start"),
    (item("retrieval", "nothing", candidates=[{"rank": 1}]), "field-missing", 422,
     "/candidates/0"),
]  # fmt: skip


def codes(outcome: dict[str, Any]) -> Warnings:
    """Codes and pointers of the warnings, the pointers relative to the record."""
    place = f"/records/{outcome['index']}"
    assert all(warned["pointer"].startswith(place) for warned in outcome["warnings"])
    return sorted(
        (warned["code"], warned["pointer"].removeprefix(place)) for warned in outcome["warnings"]
    )
