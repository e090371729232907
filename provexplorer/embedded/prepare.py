"""What is done before the site serves, repeatable: what is done is found done.

`embedded`: static files, migrations of the databases and (as soon as it answers) the
graph, demo data where asked for, a nudge to catch up. `production`: migrations alone.
A graph that is new beside records that are not, or of another time, is written anew from them.
"""

import argparse
import time
from pathlib import Path
from typing import Final

_GRAPH_SECONDS: Final = 60.0


def prepare(*, address: str, demo: bool) -> None:
    """Everything an embedded site needs; `address` is where it will serve."""
    from django.core.management import call_command

    call_command("collectstatic", interactive=False, verbosity=0)
    migrate_relational()
    prepare_graph()
    erase_again()
    if demo:
        from django.conf import settings

        from provexplorer.embedded.demo_data import load_demo, write_access

        load_demo(Path(settings.DATA_DIR))
        write_access(Path(settings.DATA_DIR), address=address)
    catch_up()


def migrate_relational() -> None:
    """Apply the migrations of both relational databases."""
    from django.core.management import call_command

    for database in ("default", "keys"):
        call_command("migrate", database=database, interactive=False, verbosity=1)


def prepare_graph() -> None:
    """Apply the graph's migrations as soon as it answers; write one anew that is not the last one.

    Empty beside a relational store that is not: another server, or a lost one. Marked otherwise
    than the relational store says: one of the two was restored (lineage.graph.mark).
    Raises GraphAway if it does not answer within a minute.
    """
    from lineage.graph import mark
    from lineage.graph.migrate import migrate
    from lineage.graph.reads.applied_migrations import applied_migrations
    from lineage.graph.repair import keep_right
    from lineage.types import GraphAway

    end = time.monotonic() + _GRAPH_SECONDS
    while True:
        try:
            if not applied_migrations():
                mark.distrust()
            migrate()
            break
        except GraphAway:
            if time.monotonic() > end:
                raise
            time.sleep(0.5)
    keep_right(seconds=float("inf"))


def erase_again() -> None:
    """After a restore: erase again what one of the databases does not know to be erased."""
    from lineage.erasure.restore import reapply

    if count := reapply():
        print(f"{count} erasures applied again")


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
    """Prepare one kind of site."""
    parser = argparse.ArgumentParser(prog="python -m provexplorer.embedded.prepare")
    parser.add_argument("site", choices=("embedded", "production"))
    parser.add_argument("--address", default="")
    parser.add_argument("--demo", action="store_true")
    arguments = parser.parse_args()
    import django

    django.setup()
    if arguments.site == "embedded":
        prepare(address=arguments.address, demo=arguments.demo)
    else:
        migrate_relational()
        prepare_graph()


if __name__ == "__main__":
    main()
