"""Measures how quickly quotations are placed, against plain `str.find` of the same quotations.

`python -m bench.anchoring`: 10,000 sentences of the demo's articles, looked for in their
article as they are; a tenth of them with other white space, with a word missing, and where
they are not at all. No server is needed. Processor time is what counts, so that other work
on the machine hurts little. A table goes to the terminal.
"""

import argparse
import random
import re
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Final, NamedTuple

from bench.report import machine
from lineage.content.locate import locate
from lineage.vocabulary import Anchor

_ARTICLES: Final = Path(__file__).parents[1] / "demo" / "data" / "articles"
_SENTENCE: Final = re.compile(r"[^.\n]{40,400}\.")


class Quote(NamedTuple):
    """A sentence and the article that it is looked for in."""

    text: str
    words: str


def as_it_is(words: str) -> str:
    """Found exactly."""
    return words


def typeset(words: str) -> str:
    """Two spaces and a line break: found as normalised."""
    first, _, rest = words.partition(" ")
    middle = len(rest) // 2
    return f"{first}  {rest[:middle]}{rest[middle:].replace(' ', chr(10), 1)}"


def shortened(words: str) -> str:
    """A word in the middle is missing: found nearly."""
    parts = words.split(" ")
    return " ".join(parts[: len(parts) // 2] + parts[len(parts) // 2 + 1 :])


def absent(words: str) -> str:
    """The same letters backwards: found nowhere."""
    return words[::-1]


_WAYS: Final[dict[str, tuple[Callable[[str], str], Anchor]]] = {
    "exact": (as_it_is, Anchor.EXACT),
    "normalised": (typeset, Anchor.NORMALISED),
    "nearly": (shortened, Anchor.RELOCATED),
    "absent": (absent, Anchor.UNVERIFIABLE),
}


def quotes(count: int, seed: int = 7) -> list[Quote]:
    """Sentences that stand once in their article, the same at each run; fewer texts repeat."""
    found = [
        Quote(text, words)
        for path in sorted(_ARTICLES.glob("*.txt"))
        for text in [path.read_text(encoding="utf-8")]
        for words in map(str.strip, _SENTENCE.findall(text))
        if text.count(words) == 1
    ]
    return random.Random(seed).choices(found, k=count)


def measure(count: int) -> dict[str, tuple[float, float, float]]:
    """Of each way: quotations a second, `str.find`s a second, and the share with the grade expected."""
    measured = {}
    sample = quotes(count)
    for name, (changed, expected) in _WAYS.items():
        # What is not found exactly costs a hundred times as much: a tenth tells enough.
        some = sample if expected is Anchor.EXACT else sample[: max(1, count // 10)]
        wanted = [Quote(text, changed(words)) for text, words in some]
        started = time.process_time()
        grades = [locate(text, words).anchor for text, words in wanted]
        placed = time.process_time()
        for text, words in wanted:
            text.find(words)
        ended = time.process_time()
        share = sum(grade is expected for grade in grades) / len(wanted)
        measured[name] = (
            len(wanted) / (placed - started),
            len(wanted) / (ended - placed),
            share,
        )
    return measured


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.anchoring", description=__doc__)
    parser.add_argument("--quotes", type=int, default=10_000)
    given = parser.parse_args()
    print(machine())
    length = median(len(text) for text, _ in quotes(given.quotes))
    print(f"{given.quotes} quotations in texts of {length:,.0f} code points (median)\n")
    print("| quotation | a second | str.find a second | ratio | as expected |")
    print("|---|---|---|---|---|")
    for name, (placed, plain, share) in measure(given.quotes).items():
        print(
            f"| {name} | {placed:,.0f} | {plain:,.0f} | 1 : {plain / placed:,.1f} | {share:.1%} |"
        )


if __name__ == "__main__":
    main()
