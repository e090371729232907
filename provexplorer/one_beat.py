"""A scheduler of which several may run: one asks for the tasks, the others wait for it to fall silent."""

import dbm
import logging
import os
import platform
import shelve
import time
from datetime import timedelta
from hashlib import sha256
from typing import Any, Final

from celery.beat import PersistentScheduler
from django.db import DatabaseError, connections

from lineage import liveness

logger = logging.getLogger(__name__)

LEASE: Final = timedelta(seconds=15)
_SIGN_SECONDS: Final = LEASE.total_seconds() / 3


class OneBeat(PersistentScheduler):  # type: ignore[misc]
    """Celery's own scheduler under a lease in the relational store.

    Started again on the same schedule it has its lease back at once.
    """

    _signed_at = float("-inf")
    _leads = False
    _store: shelve.Shelf[Any] | None = None

    def tick(self, *arguments: Any, **named: Any) -> float:
        """Ask for the next task that is due, if this is the one; seconds until the next look."""
        if not self._is_the_one():
            return _SIGN_SECONDS
        wait: float = super().tick(*arguments, **named)
        return min(wait, _SIGN_SECONDS)

    def setup_schedule(self) -> None:
        """Go on from what was kept; where nothing can be kept, from now."""
        try:
            super().setup_schedule()
        except dbm.error as error:
            self._keep_in_memory({}, error)
            self.merge_inplace(self.app.conf.beat_schedule)
            self.install_default_entries(self.schedule)

    def sync(self) -> None:
        """Keep when each task was asked for last; after a disk was full, no more until the next start."""
        try:
            super().sync()
        except dbm.error as error:
            self._keep_in_memory(self.schedule, error)

    def _keep_in_memory(self, entries: dict[str, Any], error: Exception) -> None:
        logger.warning("schedule not kept", extra={"error": type(error).__name__})
        self._store = shelve.Shelf({}, writeback=True)
        self._store["entries"] = entries

    def close(self) -> None:
        """Stop, and let another begin."""
        try:
            liveness.give_up(liveness.BEAT, self._holder)
        except DatabaseError as error:
            logger.warning("lease not given up", extra={"error": type(error).__name__})
        super().close()

    @property
    def _holder(self) -> str:
        place = f"{platform.node()}\n{os.path.realpath(self.schedule_filename or '')}"
        return sha256(place.encode()).hexdigest()

    def _is_the_one(self) -> bool:
        now = time.monotonic()
        if now - self._signed_at >= _SIGN_SECONDS:
            self._signed_at = now
            try:
                self._leads = liveness.lead(liveness.BEAT, self._holder, lease=LEASE)
            except DatabaseError as error:
                # Without the store nothing could be done that it asks for.
                logger.warning("no lease", extra={"error": type(error).__name__})
                self._leads = False
            finally:
                connections.close_all()
        return self._leads
