"""The relational store of an installation, read from outside: a shell within it would cost seconds."""

import sqlite3
from contextlib import closing
from typing import Any

import psycopg

from tests.servers.product import Product


def rows(product: Product, statement: str, *values: str | int) -> list[tuple[Any, ...]]:
    """What a SELECT gives, its values as `?`."""
    url = product.environment.get("DATABASE_URL")
    if url is None:
        file = f"file:{product.folder / 'provexplorer.sqlite3'}?mode=ro"
        with closing(sqlite3.connect(file, uri=True, timeout=30)) as connection:
            return connection.execute(statement, values).fetchall()
    with closing(psycopg.connect(url)) as server, server.cursor() as cursor:
        cursor.execute(statement.replace("?", "%s").encode(), values)
        return cursor.fetchall()
