"""Write docs/openapi.json from the code, or check that it is current."""

import json
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from provexplorer.api import PREFIX, api


def document() -> str:
    """The OpenAPI document as it is committed: sorted, indented, so that its changes can be read."""
    schema = api.get_openapi_schema(path_prefix=PREFIX)
    return json.dumps(schema, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


class Command(BaseCommand):
    """`manage.py export_openapi [--check]`."""

    help = "Write docs/openapi.json; with --check, fail where it is not current."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--check", action="store_true", help="write nothing, exit 1 if stale")

    def handle(self, *_args: Any, **options: Any) -> None:
        path = Path(settings.BASE_DIR) / "docs" / "openapi.json"
        current = document()
        if not options["check"]:
            path.write_text(current, "utf-8")
        elif not path.exists() or path.read_text("utf-8") != current:
            raise CommandError("docs/openapi.json is not current: run manage.py export_openapi")
