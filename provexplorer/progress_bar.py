"""A progress bar on a terminal; nothing where nobody looks."""

import time
from types import TracebackType
from typing import Any, Final, Self

_WIDTH: Final = 30
_REDRAW_SECONDS: Final = 0.1


class ProgressBar:
    """`name [#####     ] 51 %`; without a total it counts MiB. Drawn only on a terminal."""

    def __init__(self, name: str, *, total: int | None, out: Any) -> None:
        self._name, self._total, self._out = name, total, out
        self._done = 0
        self._drawn_at = float("-inf")
        self._visible = bool(out.isatty())

    def __enter__(self) -> Self:
        self._draw()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._visible:
            self._draw(last=True)
            self._write("\n")

    def advance(self, amount: int) -> None:
        """That many bytes more are done."""
        self._done += amount
        if time.monotonic() - self._drawn_at > _REDRAW_SECONDS:
            self._draw()

    def words(self) -> str:
        """The bar as it stands."""
        if not self._total:
            return f"{self._name}: {self._done / 2**20:.1f} MiB"
        part = min(self._done / self._total, 1.0)
        bar = "#" * round(part * _WIDTH)
        return f"{self._name} [{bar:<{_WIDTH}}] {part:4.0%}"

    def _draw(self, *, last: bool = False) -> None:
        if self._visible:
            self._write(f"\r{self.words()}" + ("" if last else "\x1b[K"))
            self._drawn_at = time.monotonic()

    def _write(self, text: str) -> None:
        # Django's OutputWrapper adds an end of line of its own; its stream does not.
        stream = getattr(self._out, "_out", self._out)
        stream.write(text)
        stream.flush()
