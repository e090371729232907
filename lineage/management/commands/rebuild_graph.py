"""`manage.py rebuild_graph`: make the graph anew from the relational store."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from lineage.graph import mark
from lineage.graph.migrate import migrate
from lineage.graph.rebuild import rebuild
from lineage.types import GraphAway
from provexplorer.workspaces.models import Workspace


class Command(BaseCommand):
    help = "Write the graph of every workspace (or one) anew from the relational store."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--workspace", metavar="SLUG", help="only this workspace")

    def handle(self, *_: Any, workspace: str | None, **__: Any) -> None:
        chosen = Workspace.objects.order_by("slug")
        if workspace is not None:
            chosen = chosen.filter(slug=workspace)
            if not chosen.exists():
                message = f"no workspace {workspace!r}"
                raise CommandError(message)
        try:
            migrate()
            begun = None
            if workspace is None:
                mark.distrust()  # a rebuild that is cut short is gone on with
                begun = mark.begin()
            for one in chosen.iterator():
                self.stdout.write(f"{one.slug}: {rebuild(one.pk)} nodes")
            if begun is not None:
                mark.settle(begun)
        except GraphAway as error:
            raise CommandError(str(error)) from error
