"""What the terminal is told, where it can be told anything."""

from contextlib import suppress
from pathlib import Path

import pytest

from provexplorer.embedded.progress import Progress

pytestmark = pytest.mark.engine_free


def test_words_for_which_there_is_no_room_stop_nothing() -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("no /dev/full here")
    out = full.open("w", encoding="utf-8")
    try:
        progress = Progress(out)
        progress.step("graph")
        progress.say("web had ended and was started again")
    finally:
        with suppress(OSError):
            out.close()
