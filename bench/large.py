"""Records at the bounds that pages must bear: a long answer, a long passage, a work of many versions."""

from collections.abc import Iterator
from typing import Any, Final

Record = dict[str, Any]

CLAIMS: Final = 200
CITATIONS: Final = 500
CHUNKS: Final = 250
WORKS: Final = 50
PASSAGE_LENGTH: Final = 100_000
VERSIONS: Final = 300

_AT: Final = "2026-03-01T10:00:00Z"
_CHUNK: Final = (
    "Sediment {n} settles where the current slackens, and the reef below it bleaches in year {n}. "
)
_CLAIMS_A_PARAGRAPH: Final = 5


def records() -> list[Record]:
    """All of them. Keys: answer `long-answer`, chunk `long-chunk`, source `many-versions`."""
    return [*_works(), *_answer(), *_passage(), *_versions()]


def _record(kind: str, key: str, **fields: Any) -> Record:
    return {"kind": kind, "key": key, "occurred_at": _AT, **fields}


def _works() -> Iterator[Record]:
    """Works of five chunks each; the answer has all of them before it."""
    each = CHUNKS // WORKS
    for work in range(WORKS):
        text, places = "", []
        for number in range(work * each, (work + 1) * each):
            said = _CHUNK.format(n=number)
            places.append((number, len(text), len(text) + len(said)))
            text += said
        yield _record(
            "source", f"work-{work}",
            title=f"Sediment and reefs, part {work}", creators=[{"name": f"Author {work}"}],
            publisher={"name": "Open Press"}, uri=f"https://example.org/reefs/{work}",
        )  # fmt: skip
        yield _record(
            "source_version", f"work-{work}@1",
            source=f"work-{work}", version="1", license="CC-BY-4.0", published_at="2025-10-17",
        )  # fmt: skip
        yield _record("document", f"work-{work}-doc", source_version=f"work-{work}@1", text=text)
        for number, start, end in places:
            yield _record(
                "chunk", f"chunk-{number}",
                document=f"work-{work}-doc", interval={"start": start, "end": end},
            )  # fmt: skip


def _answer() -> Iterator[Record]:
    """Every claim cites two or three chunks; half of what was retrieved was dropped."""
    yield _record(
        "retrieval", "long-retrieval",
        query="What becomes of reefs?",
        candidates=[
            {"chunk": f"chunk-{n}", "rank": n + 1, "score": 1 / (n + 1), "kept": True}
            for n in range(CHUNKS)
        ],
    )  # fmt: skip
    yield _record(
        "context", "long-context",
        retrieval="long-retrieval",
        items=[{"chunk": f"chunk-{n}", "position": n + 1} for n in range(CHUNKS)],
    )  # fmt: skip
    text, claims, citations = "", [], []
    for claim in range(CLAIMS):
        mine = range(claim * CITATIONS // CLAIMS, (claim + 1) * CITATIONS // CLAIMS)
        said = f"Reef {claim} bleaches where sediment settles"
        claims.append((f"long-claim-{claim}", len(text), len(text) + len(said)))
        citations += [(number, f"long-claim-{claim}") for number in mine]
        markers = "".join(f"[{number + 1}]" for number in mine)
        ends = (claim + 1) % _CLAIMS_A_PARAGRAPH == 0
        text += f"{said} {markers}.{chr(10) * 2 if ends else ' '}"
    yield _record(
        "answer", "long-answer",
        context="long-context", question="What becomes of reefs?", text=text, model="extractive-1",
    )  # fmt: skip
    for key, start, end in claims:
        yield _record("claim", key, answer="long-answer", interval={"start": start, "end": end})
    for number, claim_key in citations:
        yield _record(
            "citation", f"long-citation-{number}",
            claim=claim_key, marker=f"[{number + 1}]", chunk=f"chunk-{number % CHUNKS}",
            quote="Sediment",
        )  # fmt: skip


def _passage() -> Iterator[Record]:
    """One chunk that is its whole document, and an answer that cites its middle."""
    text = "".join(_CHUNK.format(n=n) for n in range(PASSAGE_LENGTH // 80))[:PASSAGE_LENGTH]
    middle = f"Sediment {PASSAGE_LENGTH // 180} settles"
    assert middle in text
    yield _record("source", "long-work", title="Everything about reefs")
    yield _record("source_version", "long-work@1", source="long-work", version="1")
    yield _record("document", "long-doc", source_version="long-work@1", text=text)
    yield _record(
        "chunk", "long-chunk", document="long-doc", interval={"start": 0, "end": len(text)}
    )
    yield _record("context", "short-context", items=[{"chunk": "long-chunk", "position": 1}])
    yield _record("answer", "short-answer", context="short-context", text="It settles. [1]")
    yield _record("claim", "short-claim", answer="short-answer", interval={"start": 0, "end": 11})
    yield _record(
        "citation", "short-citation",
        claim="short-claim", marker="[1]", chunk="long-chunk", quote=middle,
    )  # fmt: skip


def _versions() -> Iterator[Record]:
    yield _record("source", "many-versions", title="A page that changes daily")
    for number in range(VERSIONS):
        yield _record(
            "source_version", f"many-versions@{number}",
            source="many-versions", version=str(number), license="CC-BY-4.0",
            modified_at=f"2025-{number // 28 % 12 + 1:02}-{number % 28 + 1:02}",
            digest=f"sha256:{number:064x}",
        )  # fmt: skip
