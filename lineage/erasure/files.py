"""The files of the databases: what was deleted leaves them as well, as far as a database can be told to.

SQLite overwrites what is deleted (secure_delete), and its log is emptied into the file.
PostgreSQL does not: a vacuum gives the place of dead rows free and leaves their bytes in it, in
tables, in what is kept beside them and in indexes alike, and samples of values stand in its
statistics. Only a table that is written anew is without them. Nobody reads it
meanwhile, so that is done within a size and a time; what is larger is told of
(lineage.erasure.rewriting, and `manage.py rewrite_tables` when there is time for it).
"""

from collections.abc import Callable
from functools import partial
from typing import Final

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

from lineage.erasure import hold
from lineage.erasure.probes import keep_answer
from lineage.erasure.rewriting import FilesInUse, Limits, Rewriting
from lineage.erasure.work import Work
from lineage.models import ErasureProbe
from provexplorer import clock

_KEYS: Final = "keys"
# The keys first: they open what may be left of the rest.
_DATABASES: Final = (_KEYS, DEFAULT_DB_ALIAS)
PROBE: Final = "by_table"
# Tables whose rows told of texts: titles, names, keys, attributes, digests that guesses could be
# compared with, wrapped keys; each with the places of the ledger that change it. Empty: always.
_TOLD: Final[tuple[tuple[str, str, tuple[str, ...]], ...]] = (
    (_KEYS, "lineage_datakey", ()),
    (DEFAULT_DB_ALIAS, "lineage_node", ()),
    (DEFAULT_DB_ALIAS, "lineage_sighting", ()),
    (DEFAULT_DB_ALIAS, "lineage_reference", ()),
    (DEFAULT_DB_ALIAS, "lineage_alias", ()),
    (DEFAULT_DB_ALIAS, "lineage_searchword", ("search",)),
    (DEFAULT_DB_ALIAS, "lineage_searchterm", ("search",)),
    (DEFAULT_DB_ALIAS, "lineage_sourcerights", ("search",)),
    (DEFAULT_DB_ALIAS, "lineage_case", ()),
    (DEFAULT_DB_ALIAS, "lineage_incident", ("notes",)),
    (DEFAULT_DB_ALIAS, "lineage_savedview", ("notes",)),
    (DEFAULT_DB_ALIAS, "lineage_notice", ("notices",)),
)  # fmt: skip
# Tables that held what no key opens any more, or hashes under the workspace's key: their place is
# given free.
_FREED: Final = tuple(
    (DEFAULT_DB_ALIAS, table)
    for table in ("lineage_blob", "lineage_searchtoken", "lineage_inboxpayload", "lineage_casefile")
)
# So long does everybody wait behind who waits for a table, and so long does nobody read it
# while it is written anew (seconds).
_LOCK_SECONDS: Final = 2.0
_SECONDS: Final = 10.0
_UNHURRIED_SECONDS: Final = 30.0


def clear_files(work: Work) -> int:
    """Have the databases' files lose what was deleted; how many files (SQLite) or tables were done.

    The answer to the probe `by_table` is kept: how many of the tables still have the bytes of
    rows that were deleted. Raises FilesInUse: somebody reads what there was before; those done stay so.
    """
    if any(connections[alias].in_atomic_block for alias in _DATABASES):
        raise FilesInUse
    before = ErasureProbe.objects.filter(erasure=work.erasure, name=PROBE).first()
    going_on = before if work.place.cursor else None
    looked, left = (going_on.looked_at, going_on.found) if going_on else (0, 0)
    steps = [step for alias in _DATABASES for step in _steps(work, alias)]
    for number, step in enumerate(steps[work.place.cursor :], work.place.cursor + 1):
        hold.keep(work.erasure)
        is_clean = step()
        if is_clean is not None:
            looked, left = looked + 1, left + (not is_clean)
        with transaction.atomic():
            keep_answer(work.erasure, PROBE, looked, left)
            work.went_on(number, looked - left)
    return looked - left


def _steps(work: Work, alias: str) -> list[Callable[[], bool | None]]:
    """What is done in one database: always the same of one erasure.

    Each tells whether nothing is left there; None where nothing could be read in what is left.
    """
    connection = connections[alias]
    if connection.vendor == "sqlite":
        return [partial(_empty_log, connection)]
    most = settings.ERASURE_REWRITE_MB * 1_000_000
    limits = Limits(lock_seconds=_LOCK_SECONDS, seconds=_SECONDS, most_bytes=most)

    def anew(table: str) -> bool:
        with Rewriting(connection, limits) as rewriting:
            return rewriting.write_anew(table)

    def freed(table: str) -> None:
        with Rewriting(connection, limits) as rewriting:
            rewriting.give_free(table)

    def samples() -> bool:
        with Rewriting(connection, limits) as rewriting:
            return rewriting.forget_samples()

    return [
        *(partial(anew, table) for table in _tables(work, alias)),
        *(partial(freed, table) for where, table in _FREED if where == alias),
        # Last: what was sampled before stands there until then.
        samples,
    ]


def rewrite_all() -> int:
    """Write every table anew that may have bytes of something erased, however long it takes; how many.

    Nobody reads a table meanwhile. Afterwards no erasure tells of tables that were left.
    Raises FilesInUse: some were in use; those before are done.
    """
    began, done, left = clock.now(), 0, 0
    for alias in _DATABASES:
        connection = connections[alias]
        if connection.vendor == "sqlite":
            _empty_log(connection)
            continue
        with Rewriting(connection, Limits(lock_seconds=_UNHURRIED_SECONDS, seconds=0)) as rewriting:
            tables = [table for where, table, _ in _TOLD if where == alias]
            answers = [*map(rewriting.write_anew, tables), rewriting.forget_samples()]
        done, left = done + sum(answers), left + answers.count(False)
    told = ErasureProbe.objects.filter(name=PROBE, found__gt=0, asked_at__lt=began)
    told.update(found=left, asked_at=clock.now())
    return done


def _empty_log(connection: BaseDatabaseWrapper) -> bool:
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        busy, _, _ = cursor.fetchone()
    if busy:
        raise FilesInUse
    return True


def _tables(work: Work, alias: str) -> list[str]:
    """The tables of a database in which this erasure has changed rows.

    A place that was tried several times may have changed some that its last attempt did not count.
    """
    rows = work.erasure.places.order_by("ordinal").values_list("name", "cleared", "attempts")
    changed = {name for name, cleared, attempts in rows if cleared or attempts > 1}
    return [
        table
        for where, table, places in _TOLD
        if where == alias and (not places or changed.intersection(places))
    ]
