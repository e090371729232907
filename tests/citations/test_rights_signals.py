"""What origins say of rights: any shape is read, the nearest channel decides, nothing is concluded from silence."""

from typing import Any

import pytest

from citations.acquisitions import AcquisitionRow
from citations.rights_signals import Signal, signals_told

pytestmark = pytest.mark.engine_free

AT = "2026-03-01T00:00:00Z"
EARLIER = "2026-02-01T00:00:00Z"


def look(said: Any, at: str = AT) -> AcquisitionRow:
    return AcquisitionRow("acq_a", "srv_a", None, None, 200, None, None, at, None, said)


def signal(name: str, value: str, channel: str = "header", at: str = AT) -> dict[str, str]:
    return {"signal": name, "value": value, "channel": channel, "at": at}


@pytest.mark.parametrize("said", [None, "", [], {}, [None, "", []]])
def test_silence_says_nothing(said: Any) -> None:
    told = signals_told([look(said)])
    assert (told.signals, told.reservation, told.policy) == ((), None, "")


@pytest.mark.parametrize("value", ["2", "yes", "-1", ""])
def test_a_reservation_that_is_neither_0_nor_1_says_nothing(value: str) -> None:
    assert signals_told([look([signal("tdm-reservation", value)])]).reservation is None


def test_the_nearest_channel_decides() -> None:
    told = signals_told([look([
        signal("tdm-reservation", "0", "tdmrep.json"),
        signal("tdm-policy", "https://example.org/p.json", "tdmrep.json"),
        signal("tdm-reservation", "1", "meta"),
        signal("tdm-reservation", "0", "header"),
    ])])  # fmt: skip
    assert told.reservation is not None
    assert (told.reservation.channel, told.reservation.meaning) == ("meta", "reserved")
    assert told.policy == "https://example.org/p.json"
    assert len(told.signals) == 4


def test_what_several_looks_say_alike_stands_once_with_its_times() -> None:
    told = signals_told([
        look([signal("content-usage", "search=y, train-ai=n")]),
        look([signal("content-usage", "search=y, train-ai=n", at=EARLIER)], EARLIER),
        look([signal("robots", "disallow", "robots.txt", EARLIER)], EARLIER),
    ])  # fmt: skip
    assert told.signals == (
        Signal("content-usage", "search=y, train-ai=n", "header", "no_training", EARLIER, AT),
        Signal("robots", "disallow", "robots.txt", "not_to_be_read", EARLIER, EARLIER),
    )


def test_other_shapes_are_shown_as_they_are() -> None:
    told = signals_told([look({"TDM_Reservation": True, "x": {"a": 1}}), look("ask us"), look([7])])
    assert [(each.name, each.value, each.meaning, each.last_at) for each in told.signals] == [
        ("tdm-reservation", "1", "reserved", AT),
        ("x", "{'a': 1}", "", AT),
        ("", "ask us", "", AT),
        ("", "7", "", AT),
    ]


def test_a_policy_that_is_no_address_is_no_link() -> None:
    assert signals_told([look([signal("tdm-policy", "javascript:alert(1)")])]).policy == ""
