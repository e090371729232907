"""kill -9 of each part while every format is sent: what was acknowledged is in both stores, once."""

import json
import os
import random
import signal
import time
from collections.abc import Iterable
from typing import Any, Final

import pytest

from tests.faults import parts
from tests.faults.filing import verified_case
from tests.faults.insider import Insider
from tests.faults.senders import Message, Senders, accepted, deliver
from tests.servers.passage import Passage
from tests.servers.product import Product
from tests.thorough import long_only

pytestmark = pytest.mark.one_pair

_SLUG: Final = "each-part"
_SEED: Final = 19121214
_ROUNDS: Final = 4
# For how long the graph is away.
_AWAY_SECONDS: Final = 60.0


def one_round(
    product: Product, senders: Senders, passage: Passage | None, chance: random.Random
) -> None:
    """Kill every part once, in the midst of requests."""

    def soon() -> None:
        senders.go_on(2)
        time.sleep(chance.uniform(0, 0.3))

    soon()
    for pid in parts.web_processes(product):
        os.kill(pid, signal.SIGKILL)
    soon()
    parts.kill(product, "worker")
    parts.kill(product, "web")
    soon()
    later = sum(one.later for one in senders.each)
    with parts.left_alone(product), parts.graph_away(product, passage):
        soon()
        os.kill(chance.choice(parts.web_processes(product)), signal.SIGKILL)
        # What waits, waits in the relational store: the broker may forget it.
        parts.lose_broker(product)
        soon()
        time.sleep(_AWAY_SECONDS)
        assert sum(one.later for one in senders.each) > later
    soon()


@long_only  # each day: test_killed_while_loading.py, test_killed_while_applying.py
def test_every_acknowledged_record_is_there_once_whichever_part_dies(
    victim: Product, passage: Passage | None, insider: Insider
) -> None:
    victim.api_key = victim.new_key(slug=_SLUG)
    chance = random.Random(_SEED)
    senders = Senders(victim)
    try:
        for _ in range(_ROUNDS):
            one_round(victim, senders, passage, chance)
    finally:
        senders.stop()
    # Somebody was hit in the midst of a request.
    assert sum(one.again for one in senders.each) > 0
    acknowledged = list(senders.acknowledged())

    made = {each for message in acknowledged for each in message.makes}
    there = insider.has_once(_SLUG, made, seconds=90)

    # Sent again it changes nothing: each record had been stored as a whole.
    for message in acknowledged[:: max(1, len(acknowledged) // 9)]:
        assert accepted(deliver(victim, message))
    assert insider.ask("report", _SLUG) == there

    # One of the sources does not hold: the answer on its passage is stale, and no other.
    case = verified_case(victim, "retraction", "n1")
    insider.holds(_SLUG, list(records_of(acknowledged)), [[case, "retraction", [["source", "n1"]]]])


def records_of(messages: Iterable[Message]) -> Iterable[dict[str, Any]]:
    """The records of these messages; of what was told in other formats the answers, which rest on none of them."""
    for message in messages:
        if message.path == "/api/v1/records":
            yield from json.loads(message.body)["records"]
        else:
            yield from (
                {"kind": kind, "key": key} for kind, key in message.makes if kind == "answer"
            )
