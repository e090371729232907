"""Streams a large CSV from a web server of its own and watches what that holds; JSON to a file.

python -m bench.export_measure OUT --rows 200000
"""

import argparse
import http
import http.client
import json
import os
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

import django

if TYPE_CHECKING:
    from types import TracebackType

_PIECE: Final = 1 << 16
_EACH: Final = 0.1
# Enough that every process and thread of the server has answered before it is measured.
_WARM_UP: Final = 24
_PATH: Final = "/api/v1/impact.csv?sort=strongest"


def main() -> None:
    """Write the rows, stream the lists, write what it took."""
    parser = argparse.ArgumentParser(prog="python -m bench.export_measure")
    parser.add_argument("out", type=Path)
    parser.add_argument("--rows", type=int, required=True)
    given = parser.parse_args()
    django.setup()
    from bench.export_rows import write
    from bench.web import Client, served
    from provexplorer.embedded.prepare import migrate_relational
    from provexplorer.workspaces.keys import create_key
    from provexplorer.workspaces.models import Workspace

    migrate_relational()
    workspace = Workspace.objects.create(slug="bench", name="bench")
    uids = write(workspace, given.rows)
    _, key = create_key(workspace=workspace, scopes=("read",))
    headers = {"Authorization": f"Bearer {key}"}
    log = Path(os.environ["PROVEXPLORER_DATA_DIR"]) / "web.log"
    with served(os.environ, log) as port:
        for _ in range(_WARM_UP):
            _, status, body = Client(port, headers).ask(f"{_PATH}&node={uids[0]}&unit=nobody")
            if status != http.HTTPStatus.OK:
                sys.exit(f"{status} {body[:300]!r}")
        asked = {"one component": uids[:1], "two components": uids}
        said: dict[str, Any] = {"idle": _web(), "streams": {}}
        for name, nodes in asked.items():
            path = _PATH + "".join(f"&node={uid}" for uid in nodes)
            try:
                said["streams"][name] = _streamed(port, path, headers, given.rows)
            except http.client.HTTPException as cut:
                sys.exit(f"{path}: {cut!r}\n{log.read_text(encoding='utf-8')[-2000:]}")
    said["load"] = os.getloadavg()[0]
    given.out.write_text(json.dumps(said), encoding="utf-8")


def _streamed(port: int, path: str, headers: dict[str, str], rows: int) -> dict[str, Any]:
    """Read the whole list as it comes and forget it; every row must be there."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
    began = time.perf_counter()
    with _Watch() as watch:
        connection.request("GET", path, headers=headers)
        response = connection.getresponse()
        size = lines = 0
        after_a_tenth = 0.0
        while piece := response.read(_PIECE):
            size += len(piece)
            lines += piece.count(b"\n")
            if not after_a_tenth and lines > rows // 10:
                after_a_tenth = watch.most
    connection.close()
    if (response.status, lines) != (http.HTTPStatus.OK, rows + 1):
        sys.exit(f"{path}: {response.status}, {lines:,} lines")
    return {
        "rows": rows, "bytes": size, "seconds": time.perf_counter() - began,
        "after_a_tenth": after_a_tenth, "most": watch.most,
    }  # fmt: skip


def _web() -> float:
    """MB that the processes of the web server hold."""
    from bench.memory import below, command_of, held

    mine = [pid for pid in below([os.getpid()]) if "gunicorn" in command_of(pid)]
    return held(mine).pss


class _Watch:
    """Looks several times a second how much the web server holds beyond what it held at first."""

    def __init__(self) -> None:
        self.most = 0.0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look)

    def __enter__(self) -> Self:
        self._idle = _web()
        self._thread.start()
        return self

    def _look(self) -> None:
        while not self._over.wait(_EACH):
            self.most = max(self.most, _web() - self._idle)

    def __exit__(
        self,
        kind: "type[BaseException] | None",
        error: "BaseException | None",
        trace: "TracebackType | None",
    ) -> None:
        self._over.set()
        self._thread.join()


if __name__ == "__main__":
    main()
