"""Records of one small world, for tests of what the API answers."""

from typing import Any, Final

AT: Final = "2026-03-01T10:00:00Z"
TEXT: Final = "Alpha is one. Beta is two. Gamma is three."
ABSENT: Final = "a" * 26


def record(kind: str, key: str, **fields: Any) -> dict[str, Any]:
    return {"kind": kind, "key": key, "occurred_at": AT, **fields}


def source(text: str = TEXT) -> list[dict[str, Any]]:
    """A source with one version, one document and two passages."""
    return [
        record(
            "source", "s", title="Handbook", doi="10.1234/HB", source_kind="article",
            creators=[{"name": "Ada", "orcid": "0000-0002-1825-0097"}], publisher={"name": "House"},
        ),
        record("source_version", "s@1", source="s", version="1", license="CC-BY-4.0"),
        record("document", "d", source_version="s@1", text=text, language="en"),
        record("chunk", "c1", document="d", interval={"start": 0, "end": 13}, heading_path=["One"]),
        record("chunk", "c2", document="d", interval={"start": 14, "end": 26}),
    ]  # fmt: skip


def answer(name: str = "a", cited: str = "c1", **fields: Any) -> list[dict[str, Any]]:
    """An answer with both passages in its context, one claim and one citation."""
    return [
        record(
            "retrieval", f"{name}-ret", query="What is alpha?",
            candidates=[
                {"chunk": "c1", "rank": 1, "score": 0.9, "score_kind": "similarity", "kept": True},
                {"chunk": "c2", "rank": 2, "score": 0.1, "score_kind": "similarity", "kept": True},
            ],
        ),
        record(
            "context", f"{name}-ctx", retrieval=f"{name}-ret",
            items=[{"chunk": "c1", "position": 1}, {"chunk": "c2", "position": 2}],
        ),
        record(
            "answer", name, context=f"{name}-ctx", question="What is alpha?",
            text="Alpha is one. [1]", model="m", **fields,
        ),
        record("claim", f"{name}-k", answer=name, interval={"start": 0, "end": 13}),
        record("citation", f"{name}-q", claim=f"{name}-k", marker="[1]", chunk=cited, quote="Alpha is one."),
    ]  # fmt: skip
