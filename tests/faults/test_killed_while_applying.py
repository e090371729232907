"""kill -9 between the commit of a payload and its end: the sweeper applies what was kept, once."""

import json
from typing import Any, Final

import pytest

from tests.faults.filing import verified_case
from tests.faults.insider import Insider
from tests.servers.product import Product, eventually

pytestmark = pytest.mark.one_pair

# Whoever applies a payload and is lost is followed after two minutes, and who meets a store that is
# away tries again after half a minute: as long as that a worker may take that others have killed
# or shut off just before.
SECONDS: Final = 200

# Two processes receive a payload each; one dies before it is applied, one before that is noted.
_RECEIVED_AND_KILLED = """
import json, os, signal
from datetime import timedelta
from django.db import connections
from lineage.inbox import appliers, attempt, keeping
from lineage.inbox.receive import receive
from provexplorer.workspaces.accounts import create_workspace
from provexplorer.workspaces.keys import create_key
from tests.faults.test_killed_while_applying import records

keeping.LEASE = timedelta(0)  # who is dead does not come back: nobody need wait for it
workspace = create_workspace(slug="killed", name="Killed")
_, key = create_key(workspace=workspace, scopes=["read", "operate", "edit"])

def applied_by(when):
    def apply(workspace, payload):
        if when == "after":
            appliers.APPLIERS["native"](workspace, payload)
        os.kill(os.getpid(), signal.SIGKILL)
    return apply

connections.close_all()
ended = []
for when in ("before", "after"):
    child = os.fork()
    if child == 0:
        attempt.APPLIERS = {"native": applied_by(when)}
        receive(
            workspace,
            format="native",
            body=json.dumps({"records": records(when)}).encode(),
            media_type="application/json",
        )
        os._exit(0)
    ended.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
print(json.dumps([key, ended]))
"""


def records(name: str) -> list[dict[str, Any]]:
    """A work, and an answer that cites it."""
    return [
        {"kind": "source", "key": name, "title": name},
        {"kind": "source_version", "key": name, "source": name, "text": "One."},
        {"kind": "document", "key": name, "source_version": name, "text": "One."},
        {"kind": "chunk", "key": name, "document": name, "interval": {"start": 0, "end": 4}},
        {"kind": "context", "key": name, "items": [{"chunk": name, "position": 1}]},
        {"kind": "answer", "key": name, "context": name, "text": "One. [1]"},
        {"kind": "claim", "key": name, "answer": name, "interval": {"start": 0, "end": 4}},
        {"kind": "citation", "key": name, "claim": name, "marker": "[1]", "position": 1},
    ]


def test_what_was_kept_is_applied_once_whenever_its_process_dies(
    victim: Product, insider: Insider
) -> None:
    done = victim.manage("shell", "-v", "0", "-c", _RECEIVED_AND_KILLED)
    assert done.returncode == 0, done.stderr.decode()[-3000:]
    victim.api_key, ended = json.loads(done.stdout.decode().strip().splitlines()[-1])
    assert ended == [-9, -9]

    def holders(kind: str, key: str) -> list[dict[str, Any]]:
        found = victim.request("GET", f"/api/v1/resolve?kind={kind}&key={key}").json()["items"]
        assert isinstance(found, list)
        return found

    def waiting() -> object:
        return victim.request("GET", "/readyz").json()["waiting"]

    nothing = {"payloads": 0, "nodes": 0}
    assert eventually(lambda: bool(holders("document", "before")), seconds=SECONDS), waiting()
    assert eventually(lambda: waiting() == nothing, seconds=SECONDS), waiting()
    for key in ("before", "after"):
        (source,) = holders("source", key)
        (document,) = holders("document", key)
        upstream = victim.request("GET", f"/api/v1/nodes/{document['uid']}/upstream").json()
        assert source["uid"] in {node["uid"] for node in upstream["nodes"]}
    case = verified_case(victim, "retraction", "before")
    filed = [[case, "retraction", [["source", "before"]]]]
    insider.holds("killed", records("before") + records("after"), filed)
