"""What an import has come to: numbers, and which records were remarkable; never their words."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from lineage.types import JsonValue

# Numbers of records told for each remark.
MOST_TOLD: Final = 20


@dataclass(slots=True)
class Tally:
    """Counts while a file is read.

    `records`: those of the file. `new`, `changed`, `unchanged`: notices by what their record did.
    `not_kept`: records that tell of no notice. `matched`, `suggested`: matches found now;
    `drafted`: cases opened.
    """

    records: int = 0
    new: int = 0
    changed: int = 0
    unchanged: int = 0
    not_kept: int = 0
    matched: int = 0
    suggested: int = 0
    drafted: int = 0
    _codes: Counter[str] = field(default_factory=Counter)
    _places: dict[str, list[int]] = field(default_factory=dict)

    def remark(self, code: str, number: int | None) -> None:
        """Note something remarkable about a record; without a number it is not of this file."""
        self._codes[code] += 1
        if number is not None:
            told = self._places.setdefault(code, [])
            if len(told) < MOST_TOLD and number not in told:
                told.append(number)

    def remark_all(self, codes: Iterable[str], number: int) -> None:
        """Note several things about a record."""
        for code in codes:
            self.remark(code, number)

    def counts(self) -> dict[str, int]:
        """The numbers by name."""
        return {
            "records": self.records,
            "new": self.new,
            "changed": self.changed,
            "unchanged": self.unchanged,
            "not_kept": self.not_kept,
            "matched": self.matched,
            "suggested": self.suggested,
            "drafted": self.drafted,
        }

    def report(self) -> list[JsonValue]:
        """What was remarkable, the most frequent first: `code`, `count`, numbers of the first `records`."""
        return [
            {"code": code, "count": count, "records": self._places.get(code, [])}
            for code, count in sorted(self._codes.items(), key=lambda item: (-item[1], item[0]))
        ]
