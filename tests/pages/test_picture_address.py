"""The address of a picture: what it says, that equal pictures have equal addresses, and what nonsense means."""

from urllib.parse import parse_qsl

import pytest

from lineage.pages.picture_address import PictureAddress, read_address

pytestmark = pytest.mark.engine_free

ROOT = "doc_" + "a" * 26
NODE = "chk_" + "b" * 26


def read(query: str) -> PictureAddress:
    return read_address(ROOT, dict(parse_qsl(query)))


def test_the_usual_picture_has_an_empty_query() -> None:
    assert read("direction=both&depth=10&open=&node=").whole == ""


@pytest.mark.parametrize(
    "query",
    [
        "direction=down&depth=3&open=chunk,answer:3&in_chunk=larva&as_of=2026-05-01&node=" + NODE,
        "open=fact:6",
        "in_answer=how+long",
        "depth=30",
        f"also={NODE}&direction=up",
    ],
)
def test_an_address_is_written_as_it_was_read(query: str) -> None:
    assert read(query).whole == query


@pytest.mark.parametrize(
    ("query", "meant"),
    [
        ("direction=sideways&depth=-1&open=nonsense,chunk:x,:3", "open=chunk"),
        ("depth=9999", "depth=30"),
        ("depth=0", "depth=1"),
        ("open=chunk:99", "open=chunk:6"),
        ("node=<script>", ""),
        ("node=doc_short", ""),
        (f"also={ROOT},{NODE},nonsense,{NODE}", f"also={NODE}"),
        # Eight starts with the root.
        (
            "also=" + ",".join(f"chk_{letter * 26}" for letter in "bcdefghij"),
            "also=" + ",".join(f"chk_{letter * 26}" for letter in "bcdefgh"),
        ),
        ("in_nonsense=a&in_chunk=++a+++b+", "in_chunk=a+b"),
        # Of many the last opened stay open.
        ("open=source,document,chunk,retrieval,answer", "open=document,chunk,retrieval,answer"),
        # As the address was before bundles had kinds.
        ("stage=4", "open=chunk,fact"),
        ("depth=" + "1" * 5_000, ""),
        ("depth=٣", ""),
    ],
)
def test_nonsense_counts_as_left_out(query: str, meant: str) -> None:
    assert read(query).whole == meant


def test_words_are_bounded() -> None:
    assert read("in_chunk=" + "a" * 500).filters == {"chunk": "a" * 80}


def test_opening_goes_on_by_portions_up_to_a_bound_and_closing_forgets_the_words() -> None:
    address = read("open=chunk&in_chunk=larva&in_answer=coral")
    assert address.opening("chunk") == "open=chunk:2&in_chunk=larva&in_answer=coral"
    assert address.opening("answer") == "open=chunk,answer&in_chunk=larva&in_answer=coral"
    assert read("open=chunk:6").opening("chunk") == "open=chunk:6"
    assert address.closing("chunk") == "in_answer=coral"


def test_the_form_of_a_kind_keeps_the_rest_and_opens_it() -> None:
    address = read("direction=down&open=answer&in_chunk=larva&in_answer=coral&node=" + NODE)
    assert address.fields_beside("chunk") == [
        ("direction", "down"),
        ("open", "answer,chunk"),
        ("in_answer", "coral"),
    ]


def test_another_direction_depth_or_start_keeps_what_still_makes_sense() -> None:
    address = read("direction=down&depth=3&open=chunk&as_of=2026-05-01&node=" + NODE)
    assert address.turned("both") == f"depth=3&open=chunk&as_of=2026-05-01&node={NODE}"
    assert address.to_depth(10) == f"direction=down&open=chunk&as_of=2026-05-01&node={NODE}"
    assert address.elsewhere == "direction=down&depth=3&as_of=2026-05-01"
    assert address.selecting == "direction=down&depth=3&open=chunk&as_of=2026-05-01&node="
    assert read("").selecting == "node="
