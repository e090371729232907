"""Short quotations are told from words of one's own."""

import time

import pytest

from lineage.erasure.quotations import Quotations, Repeated
from lineage.erasure.quoting import Told
from lineage.erasure.windows import Windows

TEXT = (
    "The harbour was closed at dawn. Nobody knew who had the key of the gate; it was Ana's. "
    "Introduction. 港口在黎明時分關閉了而且沒有人知道。"
)
KEY = bytes(range(32))


def said(text: str, *, most: int = 500_000) -> list[str]:
    quotations = Quotations.of([TEXT], KEY, most=most)
    again = Quotations.from_bytes(quotations.to_bytes())
    assert again.spans(text) == quotations.spans(text)
    return [text[start:end] for start, end in quotations.spans(text)]


@pytest.mark.engine_free
@pytest.mark.parametrize(
    ("text", "found"),
    [
        # A sentence taken over, whatever its capitals and white space; its marker stays.
        ("So it was: the harbour  was\nClosed at dawn [1].", ["the harbour  was\nClosed at dawn"]),
        # Between quotation marks of any kind, within words of one's own.
        ("They say “closed at dawn” of it.", ["closed at dawn"]),
        ("They say «the key of the gate» was hers.", ["the key of the gate"]),
        ("It was 'it was Ana’s' that they wrote.", []),
        ("In it: 港口在黎明時分關閉了而且沒有人知道。", ["港口在黎明時分關閉了而且沒有人知道"]),
        # Words of one's own that share some with it.
        ("The harbour was closed at night.", []),
        ("They say “closed at noon” of it.", []),
        ("Somebody said that the harbour was closed at dawn or so.", []),
        # A word that many texts have, and too few of them.
        ("Introduction.", []),
        ("the gate; it was", []),
        ("", []),
        ("..........", []),
    ],
)  # fmt: skip
def test_units_that_stand_in_the_text_word_for_word(text: str, found: list[str]) -> None:
    assert said(text) == found


@pytest.mark.engine_free
def test_of_long_texts_some_windows_serve() -> None:
    # Every third window or so is kept: what is longer than the gaps is known all the same.
    assert said("It reads “the harbour was closed at dawn”.", most=40) == [
        "the harbour was closed at dawn"
    ]
    assert said("It reads “the harbour was closed at noon”.", most=40) == []
    # Of what is shorter nothing can be said.
    assert said("It reads “the harbour”.", most=4) == []


@pytest.mark.engine_free
def test_without_a_text_nothing_is_a_quotation() -> None:
    assert Quotations.of((), KEY).spans(TEXT) == []


@pytest.mark.engine_free
def test_what_is_told_to_be_quoted_goes_whatever_its_length() -> None:
    none = Repeated(Windows.of((), KEY), Quotations.of((), KEY))
    told = Told(none, ["dawn", "closed at dawn"])
    assert told.spans("dawn") == [(0, 4)]
    text = "It was closed at dawn, as dawn goes; enclosed at dawning."
    assert [text[start:end] for start, end in told.spans(text)] == ["closed at dawn"]
    assert Told(none).spans(text) == []


@pytest.mark.engine_free
def test_of_a_selector_goes_what_repeats_the_text() -> None:
    none = Repeated(Windows.of((), KEY), Quotations.of((), KEY))
    selector = '{"exact": "a \\"b\\"", "prefix":"it was a", "type": "TextQuoteSelector"}'
    told = Told(none, (), [selector])
    assert [selector[start:end] for start, end in told.spans(selector)] == [
        'a \\"b\\"', "it was a",
    ]  # fmt: skip
    assert told.spans("So it was a day.") == [(3, 11)]
    masked = '{"exact": "███"}'
    assert Told(none, (), [masked]).spans(masked) == []


@pytest.mark.engine_free
@pytest.mark.parametrize("part", ["«", "‹a", '"', "' ", "(", "[", "!", "! ", "a: ", "「"])
def test_no_text_takes_long(part: str) -> None:
    quotations = Quotations.of([TEXT], KEY)
    began = time.process_time()
    quotations.spans(part * (60_000 // len(part)))
    assert time.process_time() - began < 2
