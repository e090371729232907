"""A generated stream of records such as a RAG system sends, the same for the same seed.

Each delivery brings new articles with their chunks, an index snapshot over them, and
questions that were answered from it. 500 records a delivery, every text of its own.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final

Record = dict[str, Any]

BATCH: Final = 500
ARTICLES: Final = 10
CHUNKS_AN_ARTICLE: Final = 18
CANDIDATES: Final = 10
ITEMS: Final = 5
# Records of one question: retrieval, context, answer, 3 claims, 4 citations.
_A_QUESTION: Final = 10
QUESTIONS: Final = (BATCH - ARTICLES * (3 + CHUNKS_AN_ARTICLE) - 1) // _A_QUESTION

_BEGIN: Final = datetime(2026, 1, 5, 8, tzinfo=UTC)
_LICENSES: Final = ("CC-BY-4.0", "CC-BY-SA-4.0", "CC0-1.0", "LicenseRef-publisher")
_SYLLABLES: Final = [
    "ba",
    "ce",
    "di",
    "fo",
    "gu",
    "ha",
    "je",
    "ki",
    "lo",
    "mu",
    "na",
    "pe",
    "ri",
    "so",
    "tu",
    "va",
    "we",
    "xi",
    "yo",
    "zu",
    "bra",
    "cle",
    "dri",
    "flo",
    "gru",
    "pla",
    "ste",
    "tri",
]


@dataclass(slots=True)
class Stream:
    """`name` sets apart two streams of one seed: their keys differ, their shape does not."""

    name: str
    seed: int = 7
    _random: random.Random = field(init=False)
    _words: list[str] = field(init=False)

    def __post_init__(self) -> None:
        self._random = random.Random(f"{self.seed}")
        self._words = ["".join(self._random.choices(_SYLLABLES, k=n % 3 + 1)) for n in range(2000)]

    def deliveries(self, count: int) -> Iterator[list[Record]]:
        """That many batches of exactly 500 records, in the order in which they depend on each other."""
        for number in range(count):
            yield self._delivery(number)

    def _delivery(self, number: int) -> list[Record]:
        at = _BEGIN + timedelta(hours=number)
        corpus: list[Record] = []
        chunks: list[tuple[str, str]] = []  # key, text
        for article in range(ARTICLES):
            corpus += self._article(f"{self.name}-{number}-{article}", at, chunks)
        snapshot = f"{self.name}-{number}"
        records = [*corpus, self._snapshot(snapshot, at, [key for key, _ in chunks])]
        for question in range(QUESTIONS):
            records += self._question(f"{snapshot}-q{question}", snapshot, at, chunks)
        # What is left over to 500 are agents, as a directory service sends them.
        for extra in range(BATCH - len(records)):
            key = f"{snapshot}-agent-{extra}"
            records.append(_record("agent", key, at, name=self._title(2), agent_kind="person"))
        return records

    def _article(self, key: str, at: datetime, chunks: list[tuple[str, str]]) -> list[Record]:
        passages = [self._sentences(4) for _ in range(CHUNKS_AN_ARTICLE)]
        text = "\n\n".join(passages)
        records = [
            _record(
                "source", f"src-{key}", at, title=self._title(8), source_kind="article",
                uri=f"https://articles.example/{key}", language="en",
                creators=[{"name": self._title(2), "role": "creator"} for _ in range(2)],
                publisher={"name": "Example Press"},
            ),
            _record(
                "source_version", f"ver-{key}", at, source=f"src-{key}", version="1",
                license=self._random.choice(_LICENSES), published_at="2025-11-03",
                media_type="text/plain", text=text,
            ),
            _record(
                "document", f"doc-{key}", at, source_version=f"ver-{key}", text=text, language="en"
            ),
        ]  # fmt: skip
        start = 0
        for index, passage in enumerate(passages):
            records.append(
                _record(
                    "chunk", f"doc-{key}#{index}", at, document=f"doc-{key}", text=passage,
                    interval={"start": start, "end": start + len(passage)}, index=index,
                    heading_path=[f"Section {index // 6 + 1}"],
                )
            )  # fmt: skip
            chunks.append((f"doc-{key}#{index}", passage))
            start += len(passage) + 2
        return records

    def _snapshot(self, key: str, at: datetime, chunks: list[str]) -> Record:
        return _record(
            "index_snapshot", f"idx-{key}", at, collection=self.name, chunks=chunks,
            retriever_kind="dense", built_at=at.isoformat(),
        )  # fmt: skip

    def _question(
        self, key: str, snapshot: str, at: datetime, chunks: list[tuple[str, str]]
    ) -> list[Record]:
        found = self._random.sample(chunks, CANDIDATES)
        kept = found[:ITEMS]
        statements = [self._sentence() for _ in range(3)]
        markers = [f"[{n + 1}]" for n in range(4)]
        placed = [markers[:2], markers[2:3], markers[3:]]
        text, places = "", []
        for statement, some in zip(statements, placed, strict=True):
            places.append((len(text), len(text) + len(statement)))
            text += f"{statement} {''.join(some)} "
        moment = at + timedelta(minutes=30)
        records = [
            _record(
                "retrieval", f"ret-{key}", moment, index_snapshot=f"idx-{snapshot}",
                query=self._sentence(), top_k=CANDIDATES, user="u-17",
                candidates=[
                    {"chunk": chunk, "rank": rank + 1, "score": round(0.95 - rank / 40, 3),
                     "score_kind": "similarity", "kept": rank < ITEMS,
                     **({} if rank < ITEMS else {"drop_reason": "below_cut"})}
                    for rank, (chunk, _) in enumerate(found)
                ],
            ),
            _record(
                "context", f"ctx-{key}", moment, retrieval=f"ret-{key}",
                items=[{"chunk": chunk, "position": n + 1} for n, (chunk, _) in enumerate(kept)],
            ),
            _record(
                "answer", f"ans-{key}", moment, context=f"ctx-{key}", question=self._sentence(),
                text=text.strip(), model="generator-1", provider="example",
            ),
        ]  # fmt: skip
        for n, (start, end) in enumerate(places):
            records.append(
                _record(
                    "claim", f"clm-{key}-{n}", moment, answer=f"ans-{key}",
                    interval={"start": start, "end": end},
                )
            )  # fmt: skip
        claims = (0, 0, 1, 2)
        for n, claim in enumerate(claims):
            chunk, passage = kept[n]
            records.append(
                _record(
                    "citation", f"cit-{key}-{n}", moment, claim=f"clm-{key}-{claim}",
                    marker=markers[n], chunk=chunk, quote=passage.split(". ")[0],
                )
            )  # fmt: skip
        return records

    def _title(self, words: int) -> str:
        return " ".join(self._random.choices(self._words, k=words)).capitalize()

    def _sentence(self) -> str:
        return self._title(self._random.randint(9, 22)) + "."

    def _sentences(self, count: int) -> str:
        return " ".join(self._sentence() for _ in range(count))


def _record(kind: str, key: str, at: datetime, **fields: Any) -> Record:
    return {"kind": kind, "key": key, "occurred_at": at.isoformat(), **fields}
