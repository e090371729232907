"""`manage.py rebuild_search`: make what search looks up anew from the relational store."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from lineage.ingest.search_due import rebuild
from provexplorer.workspaces.models import Workspace


class Command(BaseCommand):
    help = "Write what search looks up in every workspace (or one) anew from the relational store."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--workspace", metavar="SLUG", help="only this workspace")

    def handle(self, *_: Any, workspace: str | None, **__: Any) -> None:
        chosen = Workspace.objects.order_by("slug")
        if workspace is not None:
            chosen = chosen.filter(slug=workspace)
            if not chosen.exists():
                message = f"no workspace {workspace!r}"
                raise CommandError(message)
        for one in chosen.iterator():
            self.stdout.write(f"{one.slug}: {rebuild(one)} nodes")
