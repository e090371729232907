"""`manage.py rewrite_tables`: nothing of what was erased is left in PostgreSQL's tables, however large."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from lineage.erasure.files import rewrite_all
from lineage.erasure.rewriting import FilesInUse


class Command(BaseCommand):
    help = (
        "Write the tables of PostgreSQL anew in which the bytes of erased rows may be left, because "
        "they were too large to do it at once. Nobody reads a table meanwhile, and each needs "
        "its size once more on the disk. Certificates say afterwards that nothing was left."
    )

    def handle(self, *_: Any, **__: Any) -> None:
        try:
            count = rewrite_all()
        except FilesInUse as error:
            message = "others are reading what was there before; run it again when they are done"
            raise CommandError(message) from error
        self.stdout.write(f"{count} tables written anew")
