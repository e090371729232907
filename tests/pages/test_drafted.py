"""What the product drafted by itself is told in words; what clients sent in its place stays what it is."""

from types import SimpleNamespace
from typing import Any

import pytest
from django.utils import translation

from lineage.templatetags.drafted import Told, told, why

pytestmark = [pytest.mark.engine_free, pytest.mark.one_pair]

NOTICE = "ntc_" + "a" * 26
VERSION = "srv_" + "a" * 26
PIECE = {"notice": NOTICE, "kind": "retraction", "told_by": ["publisher"]}


def test_a_reason_of_ours_is_told_in_the_language_of_the_reader() -> None:
    ours = SimpleNamespace(reason="Not stated by the source", origin="feed")
    typed = SimpleNamespace(reason="Not stated by the source", origin="member")
    nothing = SimpleNamespace(reason="", origin="feed")
    with translation.override("pt-br"):
        assert why(ours) != ours.reason
        assert why(typed) == typed.reason
        # Of an empty text a catalogue would tell its own head.
        assert why(nothing) == ""
    assert why(ours) == ours.reason


@pytest.mark.parametrize(
    "piece",
    [
        "10.5555/n1",
        None,
        ["notice"],
        {"notice": NOTICE},
        {**PIECE, "notice": "../cases"},
        {**PIECE, "kind": {"a": 1}},
        {**PIECE, "told_by": "publisher"},
        {**PIECE, "told_by": [["publisher"]]},
        {**PIECE, "told_by": ["<b>"]},
        {"version": VERSION},
        {"version": "src_" + "a" * 26, "old": "MIT", "new": "0BSD"},
        {"version": 7, "ended": "validity"},
    ],
)
def test_what_a_client_made_up_is_no_evidence_of_ours(piece: Any) -> None:
    assert told(piece) is None


def test_a_notice_and_a_change_of_rights_are_told_in_parts() -> None:
    address = "https://doi.org/10.5555/n1"
    assert told({**PIECE, "noted_on": "2026-05-03", "address": address}) == Told(
        notice_uid=NOTICE,
        kind="retraction",
        noted_on="2026-05-03",
        told_by=("publisher",),
        address=address,
    )
    assert told({"old": "MIT", "new": "0BSD", "version": VERSION}) == Told(
        old="MIT", new="0BSD", version_uid=VERSION
    )
    ended = {"ended": "validity", "at": "2026-05-03T00:00:00Z", "version": VERSION}
    assert told(ended) == Told(version_uid=VERSION)
