"""`manage.py reapply_erasures`: after a restore, erase again what was erased since the backup."""

from typing import Any

from django.core.management.base import BaseCommand

from lineage.erasure.blank import blank
from lineage.erasure.restore import out_of_step, reapply


class Command(BaseCommand):
    help = (
        "Compare the main database with the keys database and apply again the erasures that one "
        "of them does not know. The site serves nothing until this has been done."
    )

    def handle(self, *_: Any, **__: Any) -> None:
        found = out_of_step()
        for uid in found.main:
            self.stdout.write(f"{uid}: unknown to the main database")
        for uid in found.keys:
            self.stdout.write(f"{uid}: unknown to the keys database")
        self.stdout.write(f"{reapply()} erasures applied again")
        for uid in (left := blank()):
            self.stdout.write(f"{uid}: blank, because its text and its key are of different times")
        if left:
            self.stdout.write(f"{len(left)} to be made anew")
