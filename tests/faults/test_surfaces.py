"""From the approval on no page, endpoint, file or fragment gives what a case takes out of sight.

Every address of the product that shows an object is asked before and after, by whoever had a copy
of it: what a browser or a proxy keeps is not good any more.
"""

from collections.abc import Iterator
from typing import Final

import pytest

from lineage.models import Node
from provexplorer.workspaces.models import Role, Workspace
from tests.cases.world import answer, approved, record, run_to_end, send
from tests.faults.invariants import Filed, assert_invariants
from tests.flows.test_foreign_uids import addresses_read
from tests.pages.world import member

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.one_pair,
    pytest.mark.usefixtures("graph"),
]

SENTINEL: Final = "Zanzibar sinks at four."
TEXT: Final = f"Alpha is one. {SENTINEL} Gamma is three."
# Beside an object: what is searched and listed.
OTHERS: Final = ("/search?q=Zanzibar", "/api/v1/search?q=Zanzibar", "/answers/", "/sources/", "/")


@pytest.fixture
def loaded(workspace: Workspace) -> Workspace:
    """Of one work, and of another that says nothing of it; the answer does not repeat what it cites."""
    send(workspace, RECORDS)
    return workspace


RECORDS: Final = [
        record("source", "s", title="Work"),
        record("source_version", "s@1", source="s", text=TEXT),
        record("document", "d", source_version="s@1", text=TEXT),
        record("part", "p", document="d", part_kind="section", interval={"start": 0, "end": len(TEXT)}),
        record("chunk", "c", document="d", interval={"start": 14, "end": 14 + len(SENTINEL)}),
        record("fact", "f", subject_of="c", subject="Zanzibar", predicate="sinks at", object="four"),
        *answer("a", retrieved=["c"], included=["c"], cites=["c"], sentence="So it is."),
    ]  # fmt: skip


def addresses(workspace: Workspace) -> Iterator[str]:
    uids: dict[str, list[str]] = {}
    for uid in Node.objects.filter(workspace=workspace).values_list("uid", flat=True):
        uids.setdefault(uid[:3], [uid])
    yield from addresses_read(uids)
    for address in OTHERS:
        yield f"{address}{'&' if '?' in address else '?'}ws={workspace.slug}"


def test_no_surface_gives_what_was_taken_out_of_sight(loaded: Workspace) -> None:
    reader = member(loaded, Role.ADMIN)
    every = list(addresses(loaded))
    kept: dict[str, dict[str, str]] = {}
    giving = []
    for address in every:
        response = reader.get(address)
        headers = {}
        if etag := response.headers.get("ETag"):
            headers["If-None-Match"] = etag
        if modified := response.headers.get("Last-Modified"):
            headers["If-Modified-Since"] = modified
        kept[address] = headers
        if SENTINEL.encode() in response.getvalue():
            giving.append(address)
    # Otherwise nothing could be missed below.
    assert len(giving) > 10, giving
    case = approved(loaded, "revocation", ("source", "s"))
    still = {}
    for address in giving:
        for headers in ({}, kept[address], {"HX-Request": "true", "HX-Target": "card"}):
            response = reader.get(address, headers=headers)
            if response.status_code == 304 or SENTINEL.encode() in response.getvalue():
                still[address] = response.status_code
    assert still == {}
    run_to_end(case)
    assert_invariants(loaded, RECORDS, [Filed(case.uid, "revocation", (("source", "s"),))])
