"""By what a text is recognised that is gone; and the search for what is left of it in files."""

import base64
import gzip
import json
import zipfile
from pathlib import Path

import pytest

from lineage.erasure.find_bytes import find_bytes
from lineage.erasure.windows import LEAST, Windows, WithNames, masked, merged

pytestmark = pytest.mark.engine_free
KEY = bytes(range(32))
SAID = "Forty stones and a half it weighed, said the harbour master, and nobody disagreed."


def test_what_repeats_forty_code_points_is_found_where_it_stands() -> None:
    windows = Windows.of([SAID], KEY)
    text = f"He wrote <{SAID[6:50]}… and no more."
    assert windows.spans(text) == [(10, 54)]
    assert windows.spans(text[: 10 + LEAST - 1]) == []
    assert windows.spans("") == []
    assert windows.spans(f"{SAID}{SAID}") == [(0, 2 * len(SAID))]


@pytest.mark.parametrize(
    "other",
    [
        SAID.upper(),
        SAID.replace(" ", "\n"),
        SAID.replace(",", ",\r\n \t"),
        SAID.replace("h", "h\u00ad"),
    ],
)
def test_it_is_found_however_it_is_spaced_and_cased(other: str) -> None:
    assert Windows.of([SAID], KEY).spans(f"<< {other} >>") == [(3, 3 + len(other))]
    assert Windows.of([other], KEY).spans(f"<< {SAID} >>") == [(3, 3 + len(SAID))]


def test_names_are_found_as_whole_words() -> None:
    named = WithNames(
        Windows.of([SAID], KEY), ["The Tides", "The Tides of Spring", "short", "a.b/c(d)e"]
    )
    text = "On THE TIDES of spring, the tides, the tidesmen, short and a.b/c(d)e."
    assert [text[start:end] for start, end in named.spans(text)] == [
        "THE TIDES of spring", "the tides", "a.b/c(d)e",
    ]  # fmt: skip
    assert named.spans(SAID) == [(0, len(SAID))]
    assert WithNames(Windows.of((), KEY), ["short"]).spans("short") == []


def test_kept_as_bytes_it_finds_the_same() -> None:
    again = Windows.from_bytes(Windows.of([SAID], KEY).to_bytes())
    assert again.spans(f"x{SAID}") == [(1, 1 + len(SAID))]
    assert SAID.encode() not in Windows.of([SAID], KEY).to_bytes()


def test_of_a_long_text_not_every_window_is_kept_and_nothing_is_missed() -> None:
    words = "".join(f"{number:05d}" for number in range(400))
    windows = Windows.of([words], KEY, most=500)
    assert len(windows) <= 500
    # Four code points apart: whatever is 43 or longer is found, and a little more is masked.
    for start in range(100, 110):
        piece = words[start : start + 60]
        ((begin, end),) = windows.spans(f"{'~' * 50}{piece}{'~' * 50}")
        assert begin <= 50
        assert end >= 110
        assert end - begin <= 60 + 2 * 4


@pytest.mark.parametrize("text", ["aé𝄞b" * 30, "\ud800" * 60])
def test_any_code_points(text: str) -> None:
    assert Windows.of([text], KEY).spans(text) == [(0, len(text))]


def test_masks_keep_lengths_and_lines() -> None:
    assert masked("abc\ndefg", [(1, 6)], "█") == "a██\n██fg"
    assert masked("abc", [], "█") == "abc"
    assert merged([(5, 9), (1, 3), (3, 4), (8, 12)]) == [(1, 4), (5, 12)]


def test_words_are_found_however_they_are_written(tmp_path: Path) -> None:
    word = "zxqv-Wörtchen"
    (tmp_path / "plain").write_bytes(b"\0" * 100 + word.encode() + b"\0")
    (tmp_path / "jvm").write_bytes(word.encode("utf-16-be"))
    (tmp_path / "json").write_text(json.dumps({"a": word}), "ascii")
    for shift in range(3):
        (tmp_path / f"b64-{shift}").write_bytes(
            base64.b64encode(b"." * shift + word.encode() + b"...")
        )
    (tmp_path / "packed.gz").write_bytes(gzip.compress(word.encode()))
    with zipfile.ZipFile(tmp_path / "packed.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("inner.txt", word)
    (tmp_path / "clean").write_text("nothing of it, zxqv alone")
    (tmp_path / "link").symlink_to(tmp_path / "plain")
    found = find_bytes([word], [tmp_path])
    assert {place.path.name for place in found.places} == {
        "plain", "jvm", "json", "b64-0", "b64-1", "b64-2", "packed.gz", "packed.zip",
    }  # fmt: skip
    assert found.files == 9
    with pytest.raises(ValueError, match="four characters"):
        find_bytes(["abc"], [tmp_path])
    with pytest.raises(FileNotFoundError):
        find_bytes([word], [tmp_path / "absent"])


def test_a_word_across_two_readings_is_found(tmp_path: Path) -> None:
    big = tmp_path / "big"
    big.write_bytes(b"\0" * ((4 << 20) - 3) + b"zxqvword" + b"\0" * 10)
    assert len(find_bytes(["zxqvword"], [big]).places) == 1
