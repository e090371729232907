"""docker-compose.yml as a Compose engine would read it (none is needed to run this)."""

import os
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

CHECKOUT = Path(__file__).resolve().parents[2]
SECRETS = {
    "PROVEXPLORER_SECRET_KEY", "PROVEXPLORER_MASTER_KEY", "PROVEXPLORER_ALLOWED_HOSTS",
    "POSTGRES_PASSWORD", "NEO4J_PASSWORD", "REDIS_PASSWORD",
}  # fmt: skip
VARIABLE = re.compile(r"(?<!\$)\$\{(\w+)(?::([-?])([^}]*))?\}")

pytestmark = pytest.mark.engine_free


class VariableMissing(Exception):
    """A required variable is not in the environment."""


def interpolate(text: str, environment: dict[str, str]) -> str:
    """Compose's rules for `${NAME}`, `${NAME:-default}`, `${NAME:?message}` and `$$`."""

    def value(match: re.Match[str]) -> str:
        name, rule, rest = match.groups()
        if environment.get(name):
            return environment[name]
        if rule == "?":
            raise VariableMissing(name)
        return rest or ""

    return VARIABLE.sub(value, text).replace("$$", "$")


def compose(environment: dict[str, str]) -> dict[str, Any]:
    text = (CHECKOUT / "docker-compose.yml").read_text(encoding="utf-8")
    document = yaml.safe_load(interpolate(text, environment))
    assert isinstance(document, dict)
    return document


@pytest.fixture
def services() -> dict[str, Any]:
    found = compose({name: f"value-of-{name.lower()}" for name in SECRETS})["services"]
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize("name", sorted(SECRETS))
def test_without_a_secret_nothing_starts(name: str) -> None:
    with pytest.raises(VariableMissing, match=name):
        compose(dict.fromkeys(SECRETS - {name}, "given"))


def test_no_secret_has_a_default_and_none_is_written_down() -> None:
    text = (CHECKOUT / "docker-compose.yml").read_text(encoding="utf-8")
    rules = {(name, rule) for name, rule, _ in VARIABLE.findall(text) if name in SECRETS}
    assert rules == {(name, "?") for name in SECRETS}


def test_services_are_the_stores_and_the_site(services: dict[str, Any]) -> None:
    assert sorted(services) == ["beat", "neo4j", "postgres", "prepare", "redis", "web", "worker"]
    images = {name: services[name]["image"] for name in ("neo4j", "postgres", "redis")}
    assert images == {
        "neo4j": "neo4j:5.26-community",
        "postgres": "postgres:16-alpine",
        "redis": "redis:7-alpine",
    }


def test_whatever_stays_up_is_checked_for_health(services: dict[str, Any]) -> None:
    unchecked = [name for name, service in services.items() if "healthcheck" not in service]
    assert unchecked == ["prepare"]


@pytest.mark.parametrize("name", ["web", "worker", "beat"])
def test_site_waits_for_migrations_and_healthy_stores(services: dict[str, Any], name: str) -> None:
    waits = {other: rule["condition"] for other, rule in services[name]["depends_on"].items()}
    assert waits == {
        "postgres": "service_healthy",
        "neo4j": "service_healthy",
        "redis": "service_healthy",
        "prepare": "service_completed_successfully",
    }


def test_only_the_web_is_published_and_only_on_loopback(services: dict[str, Any]) -> None:
    published = {name: service["ports"] for name, service in services.items() if "ports" in service}
    assert published == {"web": ["127.0.0.1:8000:8000"]}


@pytest.mark.parametrize("name", ["prepare", "web", "worker", "beat"])
def test_site_runs_without_rights_on_a_read_only_root(services: dict[str, Any], name: str) -> None:
    service = services[name]
    assert (service["read_only"], service["cap_drop"], service["security_opt"]) == (
        True,
        ["ALL"],
        ["no-new-privileges:true"],
    )


def test_stores_keep_their_data_in_named_volumes(services: dict[str, Any]) -> None:
    kept = {name: services[name]["volumes"][0] for name in ("neo4j", "postgres", "redis")}
    assert kept == {
        "neo4j": "neo4j:/data",
        "postgres": "postgres:/var/lib/postgresql/data",
        "redis": "redis:/data",
    }


def test_settings_accept_what_the_site_is_given(services: dict[str, Any]) -> None:
    from provexplorer.settings import database

    environment = services["web"]["environment"]
    assert "PROVEXPLORER_LOOPBACK" not in environment
    keys = database(environment["KEYS_DATABASE_URL"])
    assert (keys["HOST"], keys["NAME"], keys["PASSWORD"]) == (
        "postgres",
        "keys",
        "value-of-postgres_password",
    )


def test_example_names_every_variable_of_the_file_and_no_value_of_a_secret() -> None:
    text = (CHECKOUT / "docker-compose.yml").read_text(encoding="utf-8")
    example = (CHECKOUT / ".env.example").read_text(encoding="utf-8")
    given = dict(line.split("=", 1) for line in example.splitlines() if re.match(r"\w+=", line))
    used = {name for name, _, _ in VARIABLE.findall(text)}
    assert used - set(given) == {"PROVEXPLORER_TRUSTED_ORIGINS"}
    assert {name for name in SECRETS if given[name]} == set()


def test_image_copies_only_what_exists() -> None:
    dockerfile = (CHECKOUT / "Dockerfile").read_text(encoding="utf-8")
    sources = re.findall(r"^COPY (\S+) ", dockerfile, re.MULTILINE)
    assert [source for source in sources if not (CHECKOUT / source).exists()] == []
    allowed = (CHECKOUT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert [source for source in sources if f"!{source}" not in allowed] == []


def test_image_does_not_run_as_root_and_checks_hashes() -> None:
    dockerfile = (CHECKOUT / "Dockerfile").read_text(encoding="utf-8")
    assert re.search(r"^USER (?!root)\w+$", dockerfile, re.MULTILINE)
    assert "--require-hashes -r requirements-site.txt" in dockerfile


def test_ci_script_can_be_run() -> None:
    assert os.access(CHECKOUT / ".ci" / "run", os.X_OK)
