"""Two works through one shared parser run, and four answers that lean on them differently."""

from typing import Any, Final

AT: Final = "2026-02-03T09:00:00Z"
TIDES: Final = "Tides follow the moon. Wind shapes waves. Salt stays."
MOSS: Final = "Moss has no roots. It drinks by its leaves."

# Answer → passages in its context; passage that it cites. All but `moss` retrieved both.
ANSWERS: Final[dict[str, tuple[list[str], str]]] = {
    "quotes": (["tides-1", "moss-1"], "tides-1"),  # cites the tides
    "knows": (["tides-1", "moss-1"], "moss-1"),  # has the tides in its context
    "dropped": (["moss-1"], "moss-1"),  # retrieved the tides and dropped them
    "moss": (["moss-1"], "moss-1"),  # never met the tides
}
SENTENCES: Final = {"tides-1": "Tides follow the moon.", "moss-1": "Moss has no roots."}


def item(kind: str, key: str, **fields: Any) -> dict[str, Any]:
    return {"kind": kind, "key": key, "occurred_at": AT, **fields}


def works() -> list[dict[str, Any]]:
    """Sources to passages, and the machinery behind them."""
    both = [{"kind": "source_version", "key": f"{name}@1"} for name in ("tides", "moss")]
    records = [
        item("component", "reader", component_kind="parser", name="reader", version="2"),
        item("component", "writer", component_kind="model", name="writer", version="7"),
        item("run", "read-all", run_kind="parse", component="reader", used=both),
        item("run", "write", run_kind="generate", component="writer"),
    ]
    for name, title, text in (("tides", "On tides", TIDES), ("moss", "On moss", MOSS)):
        records += [
            item(
                "source", name, title=title, source_kind="article",
                creators=[{"name": f"Author of {title}"}], publisher={"name": "Press"},
            ),
            item("source_version", f"{name}@1", source=name, version="1", license="CC-BY-4.0"),
            item("document", f"{name}.txt", source_version=f"{name}@1", text=text, run="read-all"),
            item(
                "chunk", f"{name}-1", document=f"{name}.txt",
                interval={"start": 0, "end": len(SENTENCES[f"{name}-1"])},
            ),
        ]  # fmt: skip
    return [
        *records,
        item("chunk", "tides-2", document="tides.txt", interval={"start": 23, "end": 41}),
        item(
            "index_snapshot", "shelf@1", collection="shelf", chunks=["tides-1", "tides-2", "moss-1"]
        ),
    ]


def answer(name: str, *, like: str | None = None) -> list[dict[str, Any]]:
    """An answer with its retrieval, context, claim and citation."""
    kept, cited = ANSWERS[like or name]
    pool = ["moss-1"] if (like or name) == "moss" else ["tides-1", "moss-1"]
    candidates = [
        {
            "chunk": key,
            "rank": rank,
            "score": 1 / rank,
            "score_kind": "similarity",
            "kept": key in kept,
        }
        for rank, key in enumerate(pool, 1)
    ]
    sentence = SENTENCES[cited]
    run = {"run": "write"} if (like or name) == "quotes" else {}
    return [
        item("retrieval", f"{name}-r", index_snapshot="shelf@1", query="?", candidates=candidates),
        item(
            "context", f"{name}-x", retrieval=f"{name}-r",
            items=[{"chunk": key, "position": place} for place, key in enumerate(kept, 1)],
        ),
        item("answer", name, context=f"{name}-x", question="?", text=f"{sentence} [1]", **run),
        item("claim", f"{name}-c", answer=name, interval={"start": 0, "end": len(sentence)}),
        item("citation", f"{name}-q", claim=f"{name}-c", marker="[1]", chunk=cited, quote=sentence),
    ]  # fmt: skip


def library() -> list[dict[str, Any]]:
    """Everything."""
    return works() + [record for name in ANSWERS for record in answer(name)]
