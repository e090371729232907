"""What the terminal shows while the site starts: one line that grows, then where it is."""

import contextlib
import json
import sys
import time
from pathlib import Path
from typing import Final, TextIO

_DOT_SECONDS: Final = 2.0


class Progress:
    """Says each step once; a terminal or a log alike."""

    def __init__(self, out: TextIO | None = None) -> None:
        self._out = out or sys.stdout
        self._in_line = False
        self._last_dot = 0.0

    def step(self, name: str) -> None:
        """A step begins."""
        self._write(f" · {name}" if self._in_line else f"Starting: {name}")
        self._in_line = True
        self._last_dot = time.monotonic()

    def tick(self) -> None:
        """A long step still goes on."""
        if time.monotonic() - self._last_dot > _DOT_SECONDS:
            self._write(".")
            self._last_dot = time.monotonic()

    def say(self, words: str) -> None:
        """A line of its own."""
        self._end_line()
        self._write(f"{words}\n")

    def ready(self, address: str, *, seconds: float) -> None:
        self.say(f"Provexplorer serves at {address} (ready after {seconds:.1f} s; Ctrl-C stops it)")

    def access(self, file: Path) -> None:
        """The accounts and the key of the demo, as they stand in its access file."""
        access = json.loads(file.read_text(encoding="utf-8"))
        accounts = ", ".join(f"{role}: {name}" for role, name in access["accounts"].items())
        self.say(f"Demo accounts (one button each at the sign-in page): {accounts}")
        self.say(f"Demo API key (all scopes): {access['api_key']}")
        self.say(f"The same is in {file}")

    def failed(self, words: str) -> None:
        self._end_line()
        with contextlib.suppress(OSError):
            print(words, file=sys.stderr)

    def _end_line(self) -> None:
        if self._in_line:
            self._write("\n")
            self._in_line = False

    def _write(self, words: str) -> None:
        # Whoever read it has left, or its disk is full: the site goes on.
        with contextlib.suppress(OSError):
            self._out.write(words)
            self._out.flush()
