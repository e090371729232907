"""`manage.py find_bytes FILE PATH…`: whether words are left in the bytes of files and folders."""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from lineage.erasure.find_bytes import find_bytes


class Command(BaseCommand):
    help = (
        "Search files and folders (databases, graph store, broker, logs, exports) for the words "
        "in FILE, one a line (- for standard input, so that they stand in no shell history). "
        "Exit status 1 and the places where any is found; the words are never printed."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("words", metavar="FILE")
        parser.add_argument("paths", metavar="PATH", nargs="+", type=Path)

    def handle(self, *_: Any, words: str, paths: list[Path], **__: Any) -> None:
        text = sys.stdin.read() if words == "-" else Path(words).read_text("utf-8")
        wanted = [line for line in text.splitlines() if line.strip()]
        if not wanted:
            message = "no words to search for"
            raise CommandError(message)
        found = find_bytes(wanted, paths)
        for place in found.places:
            self.stdout.write(f"{place.path}: word {place.word + 1}, in {place.encoding}")
        self.stdout.write(f"{found.files} files, {found.size} bytes, {len(found.places)} places")
        if found.places:
            sys.exit(1)
