"""A storm that must not be: a minute without the graph, five hundred tasks that wait for it in a real worker.

What others do is to let each task try again by itself, so that a graph that has just come back
meets all of them at once.
"""

import time
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit, urlunsplit

import pytest
from celery import Celery

from provexplorer.embedded.ports import LOOPBACK
from tests.faults.insider import Insider
from tests.faults.parts import own_worker_asleep
from tests.faults.rows import rows
from tests.faults.test_one_worker import approved_by_twenty_clicks, records
from tests.faults.workers import QUEUE, broker_url, environment_of, left_in_queue, worker
from tests.servers.passage import Passage
from tests.servers.product import Product, eventually
from tests.servers.refusing import Refusing
from tests.thorough import long_only

pytestmark = [pytest.mark.engine_free, long_only]

_SLUG: Final = "storm"
_TASKS: Final = 500
_AWAY_SECONDS: Final = 60
_PROCESSES: Final = 2
# One look is tried four times at once; a process looks again after one to five seconds, three on average.
_TRIES: Final = 4
_BUDGET: Final = _PROCESSES * _TRIES * (_AWAY_SECONDS // 2)


def test_looks_for_the_graph_do_not_grow_with_the_tasks_and_none_is_lost(
    victim: Product, insider: Insider, tmp_path: Path
) -> None:
    address = urlsplit(environment_of(victim)["NEO4J_URI"])
    assert address.port is not None
    way = Passage(address.port)
    through = urlunsplit(address._replace(netloc=f"{LOOPBACK}:{way.port}"))
    with own_worker_asleep(victim):
        victim.api_key = victim.new_key(slug=_SLUG)
        stored = victim.request("POST", "/api/v1/records", body={"records": records()})
        assert stored.json()["stored"] == len(records())
        uid = approved_by_twenty_clicks(victim)
        ((case_id,),) = rows(victim, "SELECT id FROM lineage_case WHERE uid = ?", uid)
        with worker(
            victim,
            tmp_path,
            NEO4J_URI=through,
            PROVEXPLORER_WORKERS=str(_PROCESSES),
            FAULTS_DONE="1",
        ) as ours:
            with way.shut(), Refusing(way.port) as refusing:
                began = time.monotonic()
                _ask(victim, case_id)
                time.sleep(max(0.0, began + _AWAY_SECONDS - time.monotonic()))
                calls = refusing.calls
                print(f"{calls} connections in {_AWAY_SECONDS} s, at most {_BUDGET}")
                assert _PROCESSES < calls <= _BUDGET
                assert ours.process.poll() is None
                assert not [word for word in ours.said if word.startswith("done")]
            # Each tries again within a minute, by itself.
            assert eventually(lambda: _done(ours.said) == _TASKS, seconds=180), _done(ours.said)
            assert ours.process.poll() is None
            assert left_in_queue(victim) == 0
    way.close()
    case = f"/api/v1/cases/{uid}"
    assert eventually(lambda: victim.request("GET", case).json()["verified"], seconds=90)
    insider.holds(_SLUG, records(), [[uid, "retraction", [["source", "s"]]]])


def _ask(product: Product, case_id: int) -> None:
    with Celery("storm-sender", broker=broker_url(product), set_as_current=False) as app:
        for _ in range(_TASKS):
            app.send_task("lineage.project_case", kwargs={"case_id": case_id}, queue=QUEUE)


def _done(said: dict[str, int]) -> int:
    """Of how many tasks it was said that they are done, each counted once."""
    return sum(word.startswith("done") for word in said)
