"""Django's SQLite backend, but for how a writer waits for the one before it.

SQLite tries again after naps that grow to 100 ms, in which nobody writes although the last
writer is done: of four writers of 50 ms each a fifth of the time passed so. A transaction that
writes (`transaction_mode` IMMEDIATE) is begun after naps of a few milliseconds instead, for as
long as SQLite would try (`timeout`).
"""

import random
import sqlite3
import time
from typing import Final

from django.db import OperationalError
from django.db.backends.sqlite3 import base

_NAP: Final = (0.001, 0.005)  # seconds, at random: those that met once should not meet again
# Django's own, where none is given.
_SECONDS: Final = 5.0


class DatabaseWrapper(base.DatabaseWrapper):
    """The connection to one file."""

    def _start_transaction_under_autocommit(self) -> None:
        """Begin a transaction. Raises OperationalError if others write all the time that it waits."""
        options = self.settings_dict["OPTIONS"]
        begin = f"BEGIN {options.get('transaction_mode', '')}"
        seconds = float(options.get("timeout", _SECONDS))
        end = time.monotonic() + seconds
        self.connection.execute("PRAGMA busy_timeout = 0")
        try:
            while True:
                try:
                    self.cursor().execute(begin)
                except OperationalError as error:
                    if not _busy(error) or time.monotonic() >= end:
                        raise
                else:
                    return
                time.sleep(random.uniform(*_NAP))  # noqa: S311 - timing
        finally:
            self.connection.execute(f"PRAGMA busy_timeout = {round(seconds * 1_000)}")


def _busy(error: OperationalError) -> bool:
    """Whether another writes; the last byte of SQLite's code says so, the others why."""
    cause = error.__cause__
    if not isinstance(cause, sqlite3.Error):
        return False
    return cause.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
