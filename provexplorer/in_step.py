"""Whether main and keys database know the same erasures, as each process last saw it.

Looked at again every few seconds, because a database may be restored under processes that go on:
by requests (provexplorer.restored) and by tasks (provexplorer.poison) alike.
"""

import threading
import time
from typing import Final

from django.db import DatabaseError

from lineage.erasure.restore import out_of_step

# How long a finding is good: while they agree, and while there is a difference.
AGREED_SECONDS: Final = 5.0
DIFFER_SECONDS: Final = 1.0
# Of the tasks these make up for a difference, or end what was begun for it.
_MAKE_UP: Final = frozenset({"lineage.erase_case", "lineage.erase_due"})


class _Latest:
    """The last finding; one thread looks, the others go by what was found before."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._agree = False
        self._looked = float("-inf")

    def agree(self) -> bool:
        """True where there is no difference.

        Raises what the databases raise; not where they agreed before: one that is away is not
        one that was restored, and whoever needs it is told by itself.
        """
        agreed = self._agree
        if time.monotonic() - self._looked <= (AGREED_SECONDS if agreed else DIFFER_SECONDS):
            return agreed
        if not self._lock.acquire(blocking=not agreed):
            return agreed
        try:
            self._look()
        except DatabaseError:
            if not agreed:
                raise
        finally:
            self._lock.release()
        return self._agree

    def _look(self) -> None:
        seconds = AGREED_SECONDS if self._agree else DIFFER_SECONDS
        if time.monotonic() - self._looked > seconds:  # nobody else has, meanwhile
            self._looked = time.monotonic()
            self._agree = not out_of_step()

    def forget(self) -> None:
        """Look again at the next request or task."""
        with self._lock:
            self._agree, self._looked = False, float("-inf")


latest: Final = _Latest()


def may_run(task: str) -> bool:
    """Whether a task of this name may run now: none but erasures while there is a difference."""
    return task in _MAKE_UP or latest.agree()
