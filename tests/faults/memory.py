"""How much memory processes take by the kernel's own account, and two payloads that could take much."""

import gzip
import json
import random
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tests.formats.openinference_traces import documents, request, span, span_id
from tests.formats.openlineage_events import dataset, run_event
from tests.formats.otlp_bodies import protobuf
from tests.thorough import THOROUGH

# MiB that all processes of a part together may grow beyond what they held at rest.
MOST: Final = 150
# In a request of its own each: a batch of the exporter's default size.
_SPANS, _BATCH = (10_000, 512) if THOROUGH else (1_000, 250)
_INPUTS: Final = 5_000 if THOROUGH else 500
ANSWER: Final = f"{'10' * 16}:{span_id(3)}"


class Memory:
    """How much these processes hold: VmRSS and its peak VmHWM."""

    def __init__(self, pids: Sequence[int]) -> None:
        self._pids = pids
        for pid in self._pids:
            Path(f"/proc/{pid}/clear_refs").write_text("5")  # the peak begins anew
        self._at_rest = self._sum("VmRSS")

    def grown(self) -> float:
        """MiB by which the peak of all of them together has passed what they held at first."""
        return (self._sum("VmHWM") - self._at_rest) / 1024

    def _sum(self, name: str) -> int:
        found = 0
        for pid in self._pids:
            told = re.search(rf"{name}:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
            assert told is not None
            found += int(told[1])
        return found


def shuffled_trace() -> list[bytes]:
    """A long trace in protobuf, gzipped, its spans in no order; `ANSWER` is its answer's key."""
    passage = {"id": "a", "content": "Alpha is one."}
    steps = [
        span(number, "CHAIN", parent=1, at=number / _SPANS, input__value="x" * 200)
        for number in range(10, 10 + _SPANS - 3)
    ]
    spans = [
        span(1, "CHAIN", lasts=9, input__value="Which?"),
        span(2, "RETRIEVER", parent=1, at=1, **documents("retrieval.documents", passage)),
        span(3, "LLM", parent=1, at=8, input__value="[1] Alpha is one.", output__value="One. [1]"),
        *steps,
    ]
    spans = [one | {"traceId": "10" * 16} for one in spans]
    random.Random(11).shuffle(spans)
    batches = (spans[start : start + _BATCH] for start in range(0, _SPANS, _BATCH))
    return [gzip.compress(protobuf(request(*batch))) for batch in batches]


def job_of_many_inputs() -> bytes:
    """An event of a run that read thousands of files and wrote `made-of-many`."""
    inputs = [dataset(f"d/{n}.pdf", version={"datasetVersion": str(n)}) for n in range(_INPUTS)]
    event = run_event(job="many", inputs=inputs, outputs=[dataset("made-of-many")])
    return json.dumps(event).encode()
