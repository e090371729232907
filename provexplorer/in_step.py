"""Whether main and keys database know the same erasures, as each process last saw it.

Looked at again every few seconds, because a database may be restored under processes that go on:
by requests (provexplorer.restored) and by tasks (provexplorer.poison) alike.
"""

import time
from typing import Final, NamedTuple

from django.db import DatabaseError

from lineage.erasure.restore import out_of_step

# How long a finding is good: while they agree, and while there is a difference.
AGREED_SECONDS: Final = 5.0
DIFFER_SECONDS: Final = 1.0
# Of the tasks these make up for a difference, or end what was begun for it.
_MAKE_UP: Final = frozenset({"lineage.erase_case", "lineage.erase_due"})


class _Finding(NamedTuple):
    """What a look found, and when it began (monotonic seconds)."""

    agree: bool
    began: float

    def is_good(self, now: float) -> bool:
        return now - self.began <= (AGREED_SECONDS if self.agree else DIFFER_SECONDS)


# Before the first look nothing is known: whoever asks has to look.
_NONE: Final = _Finding(agree=False, began=float("-inf"))


class _Latest:
    """The last finding. Where they agreed, one thread looks and the others go by that."""

    def __init__(self) -> None:
        self._found = _NONE

    def agree(self) -> bool:
        """True where there is no difference.

        Raises what the databases raise; not where they agreed before: one that is away is not
        one that was restored, and whoever needs it is told by itself.
        """
        found, began = self._found, time.monotonic()
        if found.is_good(began):
            return found.agree
        if found.agree:
            self._found = _Finding(agree=True, began=began)
        try:
            agree = not out_of_step()
        except DatabaseError:
            if not found.agree:
                raise
            return True
        # A look that took longer than one begun after it tells of a time before.
        if self._found.began <= began:
            self._found = _Finding(agree, began)
        return agree

    def forget(self) -> None:
        """Look again at the next request or task."""
        self._found = _NONE


latest: Final = _Latest()


def may_run(task: str) -> bool:
    """Whether a task of this name may run now: none but erasures while there is a difference."""
    return task in _MAKE_UP or latest.agree()
