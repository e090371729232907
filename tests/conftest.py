"""Fixtures on real servers: `graph`, `workspace`, `stack`, `demo_stack`, `browser`.

A server starts at the first test that asks for it, on free loopback ports with data in a
temporary folder, and stops with the session. `--graph` chooses which graph server.
"""

import gc
import json
import os
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import hypothesis
import pytest

from provexplorer.embedded.graph_server import GraphAddress
from provexplorer.workspaces.models import Workspace
from tests.servers import available
from tests.servers.graphs import KINDS, START_SECONDS, graph_in
from tests.servers.prepared import Prepared
from tests.servers.product import Product
from tests.servers.running import running
from tests.thorough import THOROUGH

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# What Django and the tests load stays: looking through it for garbage every few hundred objects
# takes a tenth of the time.
gc.set_threshold(50_000, 20, 100)

if not THOROUGH:
    # Graph servers of the everyday tests live too shortly for what compiling thoroughly costs:
    # starting one takes half of the processor time without it.
    os.environ.setdefault("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")

# The same examples at each run: a failure must not come and go. `thorough` searches for new ones.
hypothesis.settings.register_profile(
    "quick", max_examples=5, deadline=None, derandomize=True, database=None
)
hypothesis.settings.register_profile(
    "thorough", max_examples=400, deadline=None, database=None, print_blob=True
)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--graph",
        choices=KINDS,
        default="arcadedb",
        help="the graph server of the tests (default: the embedded ArcadeDB)",
    )
    parser.addoption(
        "--marks-to", type=Path, help="write the marks of the tests of each file as JSON, to there"
    )


def pytest_collection_finish(session: pytest.Session) -> None:
    """Tell which marks the tests of a file have, if asked: each set of marks once a file."""
    gc.freeze()
    told: Path | None = session.config.getoption("--marks-to")
    if told is None:
        return
    files: dict[str, set[tuple[str, ...]]] = {}
    for item in session.items:
        marks = tuple(sorted({mark.name for mark in item.iter_markers()}))
        files.setdefault(item.nodeid.partition("::")[0], set()).add(marks)
    told.write_text(json.dumps({file: sorted(sets) for file, sets in files.items()}))


def pytest_report_header(config: pytest.Config) -> str:
    from django.conf import settings

    relational = settings.DATABASES["default"]["ENGINE"].rpartition(".")[2]
    return f"servers: {config.getoption('--graph')}, {relational}"


# Fixtures that start a graph server, or an installation that has one.
_OF_A_GRAPH = frozenset({"graph_server", "new_product"})


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give every database test both databases: text is in one, its keys are in the other.

    Whatever asks for no graph server does not depend on which it is: `one_pair`. What touches
    no server, and a browser's view of pages, is `embedded_only`.
    """
    both = ["default", "keys"]
    for item in items:
        if not _OF_A_GRAPH & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.one_pair)
        marks = {mark.name for mark in item.iter_markers()}
        if "engine_free" in marks and "django_db" in marks:
            message = f"{item.nodeid} is engine_free, and has a database made for it"
            raise pytest.UsageError(message)
        if "engine_free" in marks or ("needs_chromium" in marks and "both_pairs" not in marks):
            item.add_marker(pytest.mark.embedded_only)
        marker = item.get_closest_marker("django_db")
        if marker is not None:
            cast("dict[str, Any]", marker.kwargs).setdefault("databases", both)
        elif {"db", "transactional_db"} & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.django_db(databases=both))


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: Any) -> None:
    """Let what empties the tables between tests empty those of the audit log, too.

    The test of the log puts the guard back that is taken away here.
    """
    from django.db import connection

    from provexplorer.workspaces.audit import guards

    with django_db_blocker.unblock():
        guards.lift(connection, ("DELETE", "TRUNCATE"))


@pytest.fixture(scope="session")
def graph_server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[GraphAddress]:
    """A graph server of the chosen kind, ready; nothing in it yet."""
    folder: Path = tmp_path_factory.mktemp("graph")
    server = graph_in(folder, request.config.getoption("--graph"))
    with running(server, log=folder / "server.log", seconds=START_SECONDS):
        yield server.address


@pytest.fixture(scope="session")
def _migrated_graph(graph_server: GraphAddress) -> GraphAddress:
    """The graph server with its constraints; done once, as migrations are in production."""
    from lineage.graph import migrate

    with _pointing_at(graph_server):
        migrate.migrate()
    return graph_server


@pytest.fixture
def graph(_migrated_graph: GraphAddress) -> Iterator[GraphAddress]:
    """The graph of this test: settings point at a real, migrated server.

    It is shared by the session; a test keeps to its own workspace (fixture `workspace`).
    """
    with _pointing_at(_migrated_graph):
        yield _migrated_graph


class _pointing_at:  # noqa: N801 - used as a function
    """Settings that name this graph server, put back afterwards."""

    def __init__(self, address: GraphAddress) -> None:
        from django.test import override_settings

        self._settings = override_settings(**address.environment())

    def __enter__(self) -> None:
        self._settings.enable()

    def __exit__(self, *_: object) -> None:
        self._settings.disable()


@pytest.fixture
def workspace(db: None) -> Workspace:
    """A fresh workspace with a key of its own, so that uids never collide between tests."""
    slug = f"test-{secrets.token_hex(6)}"
    return Workspace.objects.create(slug=slug, name=slug)


NewProduct = Callable[..., Product]


@pytest.fixture(scope="session")
def new_product(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[NewProduct]:
    """Makes installations on the servers of this run, not yet started; stops what still runs.

    `new_product(demo=True)`; on the embedded servers each has a graph of its own, on Neo4j
    they share one (their workspaces never meet), in PostgreSQL each has its databases.
    """
    made: list[Product] = []
    prepared = Prepared.of_this_run(tmp_path_factory.mktemp("prepared"))

    def make(*, demo: bool = False) -> Product:
        folder = tmp_path_factory.mktemp("product")
        environment = prepared.databases_for(folder)
        if request.config.getoption("--graph") == "neo4j":
            environment |= request.getfixturevalue("graph_server").environment()
        product = Product(folder, environment, demo=demo)
        made.append(product)
        return product

    yield make
    running = [each for each in made if each.process is not None and each.process.poll() is None]
    for product in running:  # all at once: each takes seconds
        product.ask_to_stop()
    for product in running:
        product.stop()


@pytest.fixture(scope="session")
def stack(request: pytest.FixtureRequest, new_product: NewProduct) -> Product:
    """The running product; make a workspace and a key of your own with `stack.new_key(slug=…)`.

    It is the demo's where a test of this run asks for that one: one start and one set of
    servers less. Else it has no data.
    """
    if any("demo_stack" in getattr(item, "fixturenames", ()) for item in request.session.items):
        shared: Product = request.getfixturevalue("demo_stack")
        return shared
    product = new_product()
    product.start()
    return product


@pytest.fixture(scope="session")
def demo_stack(new_product: NewProduct) -> Product:
    """The running product with the demo's data, accounts and key (`demo_stack.api_key`)."""
    product = new_product(demo=True)
    product.start()
    return product


@pytest.fixture(scope="session")
def browser() -> Iterator["Browser"]:
    """A headless Chromium; mark the test `needs_chromium`."""
    from playwright.sync_api import sync_playwright

    executable = available.chromium()
    if executable is None:
        pytest.fail("no Chromium: deselect with -m 'not needs_chromium'")
    with sync_playwright() as playwright:
        # Rights and graphics that a container lacks; nothing is fetched behind the test's back.
        launched = playwright.chromium.launch(
            executable_path=executable,
            args=[
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--no-first-run",
            ],
        )
        yield launched
        launched.close()
