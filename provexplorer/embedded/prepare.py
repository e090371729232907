"""Steps before the site serves, each in a process of its own: `relational`, then `graph`.

`production` is both, without static files (they are in the image) and without demo.
All are repeatable: what is done is found done.
"""

import argparse
import time
from pathlib import Path
from typing import Final

_GRAPH_SECONDS: Final = 60.0


def relational() -> None:
    """Static files and the migrations of both relational databases."""
    from django.core.management import call_command

    call_command("collectstatic", interactive=False, verbosity=0)
    migrate_relational()


def migrate_relational() -> None:
    """Apply the migrations of both relational databases."""
    from django.core.management import call_command

    for database in ("default", "keys"):
        call_command("migrate", database=database, interactive=False, verbosity=1)


def graph(*, address: str, demo: bool) -> None:
    """Graph migrations, demo data where asked for, and a nudge to catch up."""
    migrate_graph()
    if demo:
        from django.conf import settings

        from provexplorer.embedded.demo_data import load_demo, write_access

        load_demo(Path(settings.DATA_DIR))
        write_access(Path(settings.DATA_DIR), address=address)
    catch_up()


def migrate_graph() -> None:
    """Apply the graph's migrations as soon as it answers, at most a minute from now; raises GraphAway."""
    from lineage.graph import migrate
    from lineage.types import GraphAway

    end = time.monotonic() + _GRAPH_SECONDS
    while True:
        try:
            migrate.migrate()
        except GraphAway:
            if time.monotonic() > end:
                raise
            time.sleep(0.5)
        else:
            return


def catch_up() -> None:
    """Ask the worker at once for what an interrupted run left; beat would ask within seconds."""
    from kombu.exceptions import OperationalError

    from provexplorer.celery import app

    for task in ("lineage.project_pending", "lineage.send_outbox"):
        try:
            app.send_task(task, expires=60, retry=False)
        except (OperationalError, OSError):
            return


def main() -> None:
    """Run one step."""
    parser = argparse.ArgumentParser(prog="python -m provexplorer.embedded.prepare")
    parser.add_argument("step", choices=("relational", "graph", "production"))
    parser.add_argument("--address", default="")
    parser.add_argument("--demo", action="store_true")
    arguments = parser.parse_args()
    import django

    django.setup()
    if arguments.step == "relational":
        relational()
    elif arguments.step == "production":
        migrate_relational()
        migrate_graph()
    else:
        graph(address=arguments.address, demo=arguments.demo)


if __name__ == "__main__":
    main()
