"""Settings are safe for production unless they are told that this is loopback."""

import json
from pathlib import Path
from typing import Any

import pytest

from provexplorer.settings import database, sqlite_url
from tests.project.deployment import manage

pytestmark = pytest.mark.engine_free

ASK = """
import json
from django.conf import settings
print(json.dumps({name: getattr(settings, name) for name in (
    "SECURE_SSL_REDIRECT", "SECURE_HSTS_SECONDS", "SESSION_COOKIE_SECURE", "CSRF_COOKIE_SECURE",
    "DEBUG", "ALLOWED_HOSTS", "CELERY_BROKER_URL")}))
"""


def settings_with(**changes: str) -> dict[str, Any]:
    done = manage("shell", "--no-imports", "-c", ASK, **changes)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert isinstance(found, dict)
    return found


def test_without_secret_nothing_runs() -> None:
    done = manage("check", PROVEXPLORER_SECRET_KEY="")
    assert done.returncode != 0
    assert "PROVEXPLORER_SECRET_KEY is not set" in done.stderr


def test_unknown_kind_of_database_is_refused() -> None:
    with pytest.raises(ValueError, match="not mysql:"):
        database("mysql://root@127.0.0.1/x")


def test_deploy_check_finds_nothing_in_production_and_something_on_loopback() -> None:
    deploy = ("check", "--deploy", "--fail-level", "WARNING")
    done = manage(*deploy)
    assert done.returncode == 0, done.stderr
    assert manage(*deploy, PROVEXPLORER_LOOPBACK="1").returncode == 1


def test_production_is_https_only_and_answers_its_names() -> None:
    assert settings_with() == {
        "SECURE_SSL_REDIRECT": True,
        "SECURE_HSTS_SECONDS": 31_536_000,
        "SESSION_COOKIE_SECURE": True,
        "CSRF_COOKIE_SECURE": True,
        "DEBUG": False,
        "ALLOWED_HOSTS": ["127.0.0.1", "localhost", "[::1]", "provenance.example.org"],
        "CELERY_BROKER_URL": "redis://127.0.0.1:1/0",
    }


def test_url_of_postgresql_is_unquoted_and_its_options_reach_the_driver() -> None:
    found = database("postgresql://some%40one:p%2Fw@db.example.org:5433/prov?sslmode=require")
    assert (found["USER"], found["PASSWORD"], found["HOST"]) == (
        "some@one",
        "p/w",
        "db.example.org",
    )
    assert (found["PORT"], found["NAME"]) == ("5433", "prov")
    assert found["OPTIONS"] == {"connect_timeout": 5, "sslmode": "require"}


def test_path_of_sqlite_is_absolute_with_four_slashes() -> None:
    assert database("sqlite:////var/lib/x.sqlite3")["NAME"] == "/var/lib/x.sqlite3"
    assert database(sqlite_url(Path("/my data/50%?#/x")))["NAME"] == "/my data/50%?#/x"
    assert database("sqlite:///:memory:")["NAME"] == ":memory:"


def test_sqlite_overwrites_what_is_deleted_and_queues_writers(tmp_path: Path) -> None:
    options = database(f"sqlite:///{tmp_path}/x.sqlite3")["OPTIONS"]
    assert (options["transaction_mode"], options["timeout"]) == ("IMMEDIATE", 20)
    assert "secure_delete=ON" in options["init_command"]
    assert "journal_mode=WAL" in options["init_command"]
