"""Where words stand in the files of a PostgreSQL database: by relation, whatever a query would read."""

from collections.abc import Collection, Sequence
from pathlib import Path

import psycopg

from lineage.erasure.find_bytes import find_bytes

# The log, which is used again, and where the other databases are.
_ELSEWHERE = ("pg_wal", "base")


def words_in_files(url: str, words: Sequence[str]) -> set[tuple[str, str]]:
    """(word, relation or file) for every file of the database at `url`, of the cluster and its log of errors.

    All that is in memory is written to the files before. Asks as a superuser.
    """
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CHECKPOINT")
        data, own = database_folder(connection)
        paths = [each for each in data.iterdir() if each.name not in _ELSEWHERE]
        paths += [own, *(data / "base").glob("pgsql_tmp*"), data.parent / "log"]
        found = find_bytes(words, [path for path in paths if path.exists()])
        return {(words[one.word], _name(connection, own, one.path)) for one in found.places}


def bytes_in_files(url: str, wanted: Collection[bytes]) -> dict[bytes, set[str]]:
    """The relations of the database at `url` in whose files each of these stands."""
    found: dict[bytes, set[str]] = {each: set() for each in wanted}
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CHECKPOINT")
        _, own = database_folder(connection)
        for path in sorted(own.iterdir()):
            content = path.read_bytes()
            for each in wanted:
                if each in content:
                    found[each].add(_name(connection, own, path))
    return found


def database_folder(connection: "psycopg.Connection[tuple[str, ...]]") -> tuple[Path, Path]:
    """The folder of the cluster's data, and in it that of this database."""
    asked = connection.execute(
        "SELECT current_setting('data_directory'), oid::text FROM pg_database"
        " WHERE datname = current_database()"
    )
    row = asked.fetchone()
    assert row is not None
    return Path(row[0]), Path(row[0]) / "base" / row[1]


def _name(connection: "psycopg.Connection[tuple[str, ...]]", own: Path, path: Path) -> str:
    """The relation whose file it is; of what is kept beside a table, `TABLE (toast)`."""
    number = path.name.partition(".")[0].partition("_")[0]
    if path.parent != own or not number.isdigit():
        return path.name
    row = connection.execute(
        "SELECT coalesce(of.relname || ' (toast)', own.relname) FROM pg_class own"
        " LEFT JOIN pg_class of ON of.reltoastrelid = own.oid"
        " WHERE own.oid = pg_filenode_relation(0, %s)",
        [number],
    ).fetchone()
    return row[0] if row else path.name
