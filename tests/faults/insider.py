"""A process within an installation that answers one question after the other.

To start one costs seconds, a question little: so what must hold can be asked for after every fault.
`Insider(product).ask("report", "slug")` runs a function of tests.flows.inside there.
"""

import json
import selectors
import subprocess
import sys
import traceback
from typing import IO, Any, Final

from tests.faults.workers import environment_of
from tests.servers.product import CHECKOUT, Product

_SECONDS: Final = 300.0


class Insider:
    """Started with the first question, and anew where the installation was."""

    def __init__(self, product: Product) -> None:
        self._product = product
        self._process: subprocess.Popen[str] | None = None
        self._begun_with: int | None = None

    def ask(self, function: str, *arguments: Any, **named: Any) -> Any:
        """What the function returned; raises AssertionError with what it raised."""
        process = self._running()
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps([function, arguments, named]) + "\n")
        process.stdin.flush()
        returned, raised = json.loads(_line(process.stdout))
        assert not raised, raised
        return returned

    def holds(self, slug: str, records: list[dict[str, Any]], filed: list[Any]) -> None:
        """Assert what must hold whatever failed (invariants.py).

        `filed`: each case's uid, kind, and targets by (kind, key).
        """
        file = self._product.folder / "records-sent.json"
        file.write_text(json.dumps(records), encoding="utf-8")
        assert self.ask("hold", slug, str(file), filed) == "all of them"

    def has_once(self, slug: str, made: set[tuple[str, str]], *, seconds: float) -> dict[str, Any]:
        """Assert that all of these (kind, key) are in both stores, once, when nothing waits any more.

        What was kept and not acknowledged is applied as well by then. Returns what there is.
        """
        there: dict[str, Any] = self.ask("settled", slug, seconds=seconds)
        assert (set(there.pop("payloads")), there.pop("left")) == ({"applied"}, 0)
        assert there["graph_nodes"] == there["stored_nodes"]
        assert there["graph_edges"] == there["stored_edges"]
        counts = {(kind, key): many for kind, key, many in there.pop("keys")}
        assert {each: counts.get(each) for each in made} == dict.fromkeys(made, 1)
        return there

    def close(self) -> None:
        """End it; safe where none was started."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def _running(self) -> subprocess.Popen[str]:
        assert self._product.process is not None
        if self._process is None or self._begun_with != self._product.process.pid:
            self.close()
            self._begun_with = self._product.process.pid
            self._process = subprocess.Popen(
                [sys.executable, "-m", __name__],
                env=environment_of(self._product), cwd=CHECKOUT, text=True,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            )  # fmt: skip
        return self._process


def _line(source: IO[str]) -> str:
    """The next line, an answer; the process dying or silent is an error."""
    with selectors.DefaultSelector() as waiting:
        waiting.register(source, selectors.EVENT_READ)
        assert waiting.select(_SECONDS), "no answer from within"
    line = source.readline()
    assert line, "it has ended"
    return line


def serve() -> None:
    """Answer until nobody asks any more."""
    import django

    django.setup()
    from django.db import connections

    from tests.flows import inside

    # Only answers go there; whatever else is printed is told as errors are.
    answers, sys.stdout = sys.stdout, sys.stderr
    for question in sys.stdin:
        function, arguments, named = json.loads(question)
        returned: Any = None
        raised = ""
        try:
            returned = getattr(inside, function)(*arguments, **named)
        except Exception:  # noqa: BLE001 - told to whoever asks
            raised = traceback.format_exc()
        connections.close_all()
        answers.write(json.dumps([returned, raised]) + "\n")
        answers.flush()


if __name__ == "__main__":
    serve()
