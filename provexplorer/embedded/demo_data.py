"""The demo workspace: its records loaded once, its accounts, its key, and the file that names them."""

import json
import logging
from pathlib import Path
from typing import Final

from lineage.formats.records import parse_record
from lineage.graph.projection import project
from lineage.ingest.apply import apply_records
from lineage.models import Node
from provexplorer.embedded.secret_files import write_private
from provexplorer.workspaces.accounts import create_demo
from provexplorer.workspaces.keys import create_key, viewer_of_key
from provexplorer.workspaces.models import Role, Workspace
from provexplorer.workspaces.roles import SCOPES

logger = logging.getLogger(__name__)

ACCESS_FILE: Final = "demo-access.json"
_LOADED_FILE: Final = "demo-loaded"


class DemoRecordRejected(Exception):
    """A record of the demo was refused: the demo and the ingest do not fit together."""


def load_demo(folder: Path) -> None:
    """Load the demo's records into its workspace, unless an earlier start did.

    An interrupted load is taken up from the beginning: what is stored stays unchanged.
    Raises DemoRecordRejected.
    """
    workspace = create_demo()
    marker = folder / _LOADED_FILE
    if marker.exists() and Node.objects.filter(workspace=workspace).exists():
        return
    # Imported here: only a first start pays for reading the articles.
    from demo.importer import records

    for batch in records():
        _load(workspace, batch)
    project(workspace.pk)
    write_private(marker, f"{workspace.slug}\n")


def _load(workspace: Workspace, batch: list[dict[str, object]]) -> None:
    parsed = [parse_record(index, record) for index, record in enumerate(batch)]
    applied = apply_records(workspace, parsed)
    for outcome in applied.outcomes:
        if outcome.status == "rejected":
            detail = outcome.problem.detail if outcome.problem else ""
            message = f"{outcome.kind} {outcome.key}: {detail}"
            raise DemoRecordRejected(message)
    logger.info("demo records stored", extra={"records": len(batch)})


def write_access(folder: Path, *, address: str) -> None:
    """Write who may enter the demo and how; the key of the last start is kept while it holds."""
    file = folder / ACCESS_FILE
    key = _key_of(file)
    if viewer_of_key(f"Bearer {key}") is None:
        _, key = create_key(workspace=create_demo(), scopes=SCOPES, label="Demo")
    access = {
        "base_url": address,
        "api_key": key,
        "accounts": {role: role for role in Role.values},
    }
    write_private(file, json.dumps(access, indent=2) + "\n")


def _key_of(file: Path) -> str:
    try:
        return str(json.loads(file.read_text(encoding="utf-8"))["api_key"])
    except (FileNotFoundError, json.JSONDecodeError, KeyError):
        return ""
