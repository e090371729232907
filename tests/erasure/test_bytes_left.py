"""The whole product: after an erasure its words stand in no file of any store, log or broker."""

import base64
import random
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import psycopg
import pytest

from lineage.erasure.find_bytes import find_bytes
from lineage.identifiers import text_digest
from tests.conftest import NewProduct
from tests.erasure.world import QUOTING, SENTINEL, TEXT, TITLE_SENTINEL, world
from tests.servers.backup import back_up, restore
from tests.servers.postgres_files import bytes_in_files, words_in_files
from tests.servers.product import Product, eventually
from tests.thorough import long_only

_LONG_SENTINEL: Final = "zxqvlong"
# Of the text only a digest, which who guesses it could compare.
WORDS: Final = [SENTINEL, TITLE_SENTINEL, _LONG_SENTINEL, text_digest(TEXT)]
_DATABASES: Final = ("DATABASE_URL", "KEYS_DATABASE_URL")
# Kept beside its table, and as it is: nothing in it repeats, so that it cannot be compressed.
_LONG: Final = base64.b64encode(random.Random(19121214).randbytes(6_000)).decode()


def _records() -> list[dict[str, Any]]:
    records = world()
    records[0]["title"] = f"Tides of {TITLE_SENTINEL}"
    records[2]["attributes"] = {"long": f"{_LONG_SENTINEL} {_LONG}"}
    records[3]["attributes"] = {"said": QUOTING}
    return records


def _erase(product: Product, key: str, *, target: dict[str, str]) -> str:
    """File, try out and approve an erasure of all that there is to it; the case's uid, once verified."""
    asked = {"kind": "erasure", "targets": [target], "reason": "on request"}
    drafted = product.request("POST", "/api/v1/cases", body=asked, key=key)
    assert drafted.status == 201, drafted.body
    at = f"/api/v1/cases/{drafted.json()['uid']}"
    chosen = product.request("PUT", f"{at}/erasure", body={"describing": True}, key=key)
    assert chosen.status == 200, chosen.body
    assert product.request("POST", f"{at}/dry-run", key=key).status == 200
    assert product.request("POST", f"{at}/approve", key=key).status == 200
    # The key is gone when the approval is answered, whoever clears the rest.
    ledger = product.request("GET", f"{at}/erasure", key=key).json()
    assert next(one["state"] for one in ledger["places"] if one["place"] == "key") == "done"
    verified = eventually(
        lambda: product.request("GET", at, key=key).json()["state"] == "verified", seconds=90
    )
    assert verified, product.request("GET", f"{at}/erasure", key=key).body
    return str(drafted.json()["uid"])


def _sent(product: Product, key: str) -> list[dict[str, Any]]:
    body = {"records": _records()}
    reply = product.request("POST", "/api/v1/records", body=body, key=key)
    assert reply.status in (200, 202), reply.body
    return list(reply.json()["outcomes"]) if "outcomes" in reply.json() else []


def _left(product: Product, graph_folder: Path | None) -> list[str]:
    """Where the words are: files of the product and of the graph, rows and files of PostgreSQL."""
    folders = [product.folder, *([graph_folder] if graph_folder else [])]
    found = [f"{one.path.name}: {one.word}" for one in find_bytes(WORDS, folders).places]
    for url in _urls(product):
        found += _rows(url)
        found += [f"{where}: {word}" for word, where in words_in_files(url, WORDS)]
    return found


def _urls(product: Product) -> Iterator[str]:
    """Of the two databases, the keys last, where they are PostgreSQL's."""
    for variable in _DATABASES:
        if url := product.environment.get(variable):
            yield url


def _keys(url: str) -> dict[int, bytes]:
    """Owner → the wrapped key of its texts, as the keys database has it; of those made last."""
    with closing(psycopg.connect(url)) as connection, connection.cursor() as cursor:
        cursor.execute(
            "SELECT owner_id, wrapped FROM lineage_datakey ORDER BY created_at DESC LIMIT 100"
        )
        return {owner: bytes(wrapped) for owner, wrapped in cursor.fetchall()}


def _can_be_found_in_the_files(product: Product) -> dict[bytes, int]:
    """Make sure that a search of PostgreSQL's files finds what is there; the wrapped keys, with their owners."""
    urls = list(_urls(product))
    for url in urls:
        with psycopg.connect(url, autocommit=True) as connection:
            # As it does by itself, sooner or later: it samples values, and keeps them.
            connection.execute("ANALYZE")
    if not urls:
        return {}
    found = words_in_files(urls[0], WORDS)
    assert {
        (TITLE_SENTINEL, "lineage_node"), (TITLE_SENTINEL, "lineage_sighting"),
        (TITLE_SENTINEL, "lineage_searchterm"), (TITLE_SENTINEL, "pg_statistic"),
        (SENTINEL, "lineage_node"), (_LONG_SENTINEL, "lineage_node (toast)"),
        (text_digest(TEXT), "lineage_node"),
    } <= found  # fmt: skip
    keys = {wrapped: owner for owner, wrapped in _keys(urls[1]).items() if wrapped}
    assert all("lineage_datakey" in where for where in bytes_in_files(urls[1], keys).values())
    return keys


def _rows(url: str) -> list[str]:
    found = []
    with closing(psycopg.connect(url)) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        for (table,) in cursor.fetchall():
            for word in WORDS:
                asked = psycopg.sql.SQL("SELECT count(*) FROM {} AS t WHERE t::text LIKE %s")
                cursor.execute(asked.format(psycopg.sql.Identifier(table)), [f"%{word}%"])
                row = cursor.fetchone()
                if row and row[0]:
                    found.append(f"{table}: {row[0]}")
    return found


def test_no_byte_is_left(
    stack: Product, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> None:
    neo4j = request.config.getoption("--graph") == "neo4j"
    graph_folder = tmp_path_factory.getbasetemp() / "graph0" if neo4j else None
    assert graph_folder is None or graph_folder.is_dir()
    key = stack.new_key(slug="bytes-left")
    _sent(stack, key)
    # What is searched for is there before: in clear the title, in clear the attributes.
    assert _left(stack, graph_folder) != []
    keys = _can_be_found_in_the_files(stack)
    uid = _erase(stack, key, target={"kind": "source", "key": "s1"})
    assert eventually(lambda: _left(stack, graph_folder) == [], seconds=20), _left(
        stack, graph_folder
    )
    for url in list(_urls(stack))[1:]:
        still = _keys(url)
        gone = [wrapped for wrapped, owner in keys.items() if still.get(owner) != wrapped]
        assert gone
        assert bytes_in_files(url, gone) == {each: set() for each in gone}
    again = _sent(stack, key)
    assert {one["status"] for one in again if one["key"].startswith("s1")} == {"rejected"}
    assert _left(stack, graph_folder) == []
    part = stack.request("GET", f"/api/v1/cases/{uid}/erasure", key=key).json()
    assert {one["found"] for one in part["probes"]} == {0}


@pytest.mark.one_pair
@long_only
def test_a_restored_backup_is_erased_again_before_it_is_served(new_product: NewProduct) -> None:
    product = new_product()
    product.start()
    key = product.new_key(slug="restored")
    _sent(product, key)
    backup = product.folder.parent / "backup-of-main"
    back_up(product, backup)
    assert len(find_bytes([TITLE_SENTINEL], [backup]).places) == 1
    uid = _erase(product, key, target={"kind": "source", "key": "s1"})
    assert product.stop() == 0
    restore(product, backup)

    product.start()
    view = product.request("GET", f"/api/v1/cases/{uid}/erasure", key=key).json()
    assert view["again"] is True
    assert {one["status"] for one in _sent(product, key) if one["key"].startswith("s1")} == {
        "rejected"
    }
    assert eventually(lambda: _left(product, None) == [], seconds=60), _left(product, None)
