"""Catalogues of notices as they are published, and as nobody should publish them."""

import gzip
import io
import json
from collections import Counter
from collections.abc import Iterator
from datetime import date
from typing import Any

import pytest

from lineage.formats.notice_files import TooLarge, read
from lineage.formats.notice_kinds import read_kind
from lineage.formats.notices import NoticeRecord, NotKept, NotNotices
from tests.notices.world import DATA, kept, lines, records_of, row, table, update, work

pytestmark = pytest.mark.engine_free

# How often each word stands in the sample of open-retractions, and what it means.
WORDS = {
    "retraction": (74, "retraction", ""),
    "Retraction": (3, "retraction", ""),
    "retration": (1, "retraction", "kind_misspelt"),
    "withdrawal": (34, "withdrawal", ""),
    "removal": (14, "removal", ""),
    "correction": (68, "correction", ""),
    "Correction": (1, "correction", ""),
    "erratum": (42, "correction", ""),
    "Erratum": (12, "correction", ""),
    "err": (8, "correction", ""),
    "corrigendum": (27, "correction", ""),
    "Corrigendum": (6, "correction", ""),
    "corrected-article": (6, "correction", ""),
    "expression_of_concern": (16, "concern", ""),
    "expression-of-concern": (4, "concern", ""),
    "publisher-note": (8, "other", ""),
    "note-discuss": (6, "other", ""),
    "comment": (8, "other", ""),
    "correspondence": (1, "other", ""),
    "print": (1, "other", ""),
}


def sample() -> list[NoticeRecord]:
    with (DATA / "retractions" / "open_retractions_dev.jsonl").open("rb") as file:
        format_, records = read(file)
        found = list(records)
    assert format_ == "open-retractions"
    assert not [each for each in found if isinstance(each, NotKept)]
    return [each for each in found if isinstance(each, NoticeRecord)]


def raw() -> Iterator[dict[str, Any]]:
    path = DATA / "retractions" / "open_retractions_dev.jsonl"
    for line in path.read_text(encoding="utf-8").splitlines():
        yield json.loads(line)["record"]


def test_every_record_of_open_retractions_is_mapped() -> None:
    found = sample()
    assert Counter(each.word for each in found) == {word: n for word, (n, _, _) in WORDS.items()}
    for each, said in zip(found, raw(), strict=True):
        (told,) = said["updates"]
        _, kind, remark = WORDS[told["type"]]
        assert each.kind == kind
        assert ("kind_misspelt" in each.remarks) == (remark == "kind_misspelt")
        assert each.subject_doi == said["identifier"]["doi"].lower()
        assert each.notice_doi == told["identifier"]["doi"].lower()
        assert each.noted_on == date.fromordinal(719_163 + told["timestamp"] // 86_400_000)
        assert each.shown == " ".join(said["title"].split())[:2_000]
        assert each.title == ""


def test_own_notices_and_flags_that_contradict_are_told() -> None:
    found = sample()
    own = [each for each in found if "own_notice" in each.remarks]
    assert len(own) == 36
    assert all(each.notice_doi == each.subject_doi and not each.settled for each in own)
    contradicting = {
        (each.word, each.subject_doi) for each in found if "flag_contradicts" in each.remarks
    }
    # What the flag says can be seen in the sample: five are flagged as retracted and are not said to be.
    flagged = {
        (r["updates"][0]["type"], r["identifier"]["doi"].lower()) for r in raw() if r["retracted"]
    }
    assert contradicting == {
        pair for pair in flagged if pair[0].lower() not in ("retraction", "retration")
    }
    assert len(contradicting) == 5


def test_every_row_of_the_table_is_read() -> None:
    with (DATA / "retractions" / "retraction_watch_stub_dev.csv").open("rb") as file:
        format_, records = read(file)
        found = [each for each in records if isinstance(each, NoticeRecord)]
    assert (format_, len(found)) == ("retraction-watch", 12)
    first = found[0]
    assert first[:13] == (
        1, "retraction-watch", "csv", "56416", "retraction", "Retraction",
        "10.1155/2023/9756480", "37476288", "10.1155/2022/9172719", "36035816",
        date(2023, 7, 12),
        "The Feature Recognition of Motor Noise Based on the Improved EEMD Model", "",
    )  # fmt: skip
    assert (first.creators, first.year) == ("Qing Liao;Long Li;Jiaqi Luo", 2022)
    assert (first.journal, first.publisher) == (
        "Computational Intelligence and Neuroscience",
        "Hindawi",
    )
    assert first.reasons.startswith("+Concerns/Issues About Data;")
    assert [each.subject_pmid for each in found] == [
        "36035816", "35281543", "34567490", "35978889", "35990112", "", "32454910", "36193305",
        "", "", "", "",
    ]  # fmt: skip
    assert (
        found[-1].note
        == "See also: https://pubpeer.com/publications/EDB42A43B4671D904792B70576E086"
    )
    assert all(each.remarks == () for each in found)


def test_rows_that_say_little_or_nonsense() -> None:
    found = records_of(
        table(
            row(OriginalPaperDOI="unavailable", OriginalPaperPubMedID="0", Title=""),
            row(OriginalPaperDOI="Unavailable", RetractionDOI="", RetractionDate="13/45/2023 0:00"),
            row(OriginalPaperDOI="not a doi", RetractionNature="Expression of Concern"),
            row(RetractionDOI="10.5555/WORK", RetractionNature="Reinstatement"),
            row(RetractionNature="Something new"),
        )
    )
    nothing, blank, wrong, own, unknown = found
    assert nothing == NotKept(1, "no_subject")
    assert isinstance(blank, NoticeRecord)
    assert (blank.subject_doi, blank.notice_doi, blank.noted_on) == ("", "", None)
    assert blank.remarks == ("date_unreadable",)
    assert isinstance(wrong, NoticeRecord)
    assert (wrong.kind, wrong.remarks) == ("concern", ("identifier_unreadable",))
    assert isinstance(own, NoticeRecord)
    assert (own.kind, own.remarks, own.settled) == ("reinstatement", ("own_notice",), True)
    assert isinstance(unknown, NoticeRecord)
    assert (unknown.kind, unknown.word, unknown.remarks) == (
        "other", "Something new", ("kind_unknown",),
    )  # fmt: skip


def test_bytes_that_are_no_utf_8_are_replaced_and_told() -> None:
    data = table(row(Title="Über etwas Großes und Schönes")).replace("Ü".encode(), b"\xdc")
    (found,) = records_of(data)
    assert isinstance(found, NoticeRecord)
    assert found.title == "\N{REPLACEMENT CHARACTER}ber etwas Großes und Schönes"
    assert found.remarks == ("undecodable",)


def test_a_quote_that_never_ends_costs_a_record_and_no_memory() -> None:
    data = (
        table(row())
        + b'2,"'
        + b"x" * 300_000
        + b"\n"
        + table(row(Record_ID="3")).split(b"\n", 1)[1]
    )
    first, broken, *_ = records_of(data)
    assert isinstance(first, NoticeRecord)
    assert broken == NotKept(2, "record_unreadable")


def test_columns_are_found_by_their_names() -> None:
    data = (
        b"\xef\xbb\xbfOriginalPaperDOI,More,RetractionNature\n10.5555/a,x,Correction\n10.5555/b\n"
    )
    first, short = records_of(data)
    assert isinstance(first, NoticeRecord)
    assert (first.subject_doi, first.kind, first.record_id) == ("10.5555/a", "correction", "")
    assert isinstance(short, NoticeRecord)
    assert (short.subject_doi, short.kind, short.remarks) == (
        "10.5555/b",
        "other",
        ("kind_unknown",),
    )


BOTH_WAYS = work(
    "10.5555/Both",
    title=["On things"],
    author=[{"given": "Ada", "family": "One"}, {"name": "A Group"}],
    published={"date-parts": [[2001]]},
    **{
        "updated-by": [
            update(
                "10.5555/n1", "expression_of_concern", "retraction-watch", **{"record-id": 99999}
            )
        ],
        "update-to": [update("10.5555/w2", "erratum"), {"type": "retraction"}],
    },
)


@pytest.mark.parametrize(
    "data",
    [
        lines(BOTH_WAYS),
        json.dumps({"status": "ok", "message": BOTH_WAYS}, indent=1).encode(),
        json.dumps({"message": {"items": [BOTH_WAYS]}}).encode(),
        json.dumps([BOTH_WAYS]).encode(),
        gzip.compress(lines(BOTH_WAYS)),
    ],
    ids=["line", "reply", "page of a reply", "list", "gzip"],
)
def test_both_directions_of_a_work_of_crossref(data: bytes) -> None:
    of_the_work, of_the_notice, nowhere = records_of(data)
    assert isinstance(of_the_work, NoticeRecord)
    assert (of_the_work.subject_doi, of_the_work.notice_doi) == ("10.5555/both", "10.5555/n1")
    assert (of_the_work.kind, of_the_work.provider) == ("concern", "retraction-watch")
    assert (of_the_work.title, of_the_work.creators) == ("On things", "Ada One; A Group")
    assert (of_the_work.year, of_the_work.record_id) == (2001, "99999")
    assert of_the_work.noted_on == date(2004, 3, 16)
    assert isinstance(of_the_notice, NoticeRecord)
    assert (of_the_notice.subject_doi, of_the_notice.notice_doi) == ("10.5555/w2", "10.5555/both")
    assert (of_the_notice.kind, of_the_notice.provider) == ("correction", "publisher")
    # The title is the notice's: it is shown, and no work is looked for by it.
    assert (of_the_notice.title, of_the_notice.shown) == ("", "On things")
    assert nowhere == NotKept(1, "no_subject")


def test_works_without_notices_say_so() -> None:
    data = (DATA / "crossref" / "works_dev.jsonl").read_bytes()
    assert records_of(data) == [NotKept(number, "no_notice") for number in range(1, 61)]


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b"", NotNotices),
        (b"a,b,c\n1,2,3\n", NotNotices),
        (b"%PDF-1.7", NotNotices),
        (b"{broken", NotNotices),
        (b'{"a": 1', NotNotices),
        (gzip.compress(lines(BOTH_WAYS))[:-20], NotNotices),
    ],
)
def test_other_files_are_told_apart(data: bytes, error: type[Exception]) -> None:
    with pytest.raises(error):
        records_of(data)


def test_what_is_broken_between_sound_lines_is_told() -> None:
    data = (
        lines(kept("10.5555/a", "10.5555/b", "comment"))
        + b"{nonsense\n[1]\n\n"
        + lines({"updates": 1})
    )
    first, *rest = records_of(data)
    assert isinstance(first, NoticeRecord)
    assert [(each.number, each.code) for each in rest if isinstance(each, NotKept)] == [
        (2, "record_unreadable"),
        (3, "record_unreadable"),
        (4, "record_unreadable"),
    ]


def test_a_bomb_ends_early(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lineage.formats.notice_files.MOST_UNPACKED", 2**20)
    bomb = gzip.compress(table(row()) + b"\n" * 2**22)
    with pytest.raises(TooLarge):
        list(read(io.BytesIO(bomb))[1])


@pytest.mark.parametrize(
    ("word", "kind", "remark"),
    [
        ("RETRACTION", "retraction", ""),
        (" Expression  of concern ", "concern", ""),
        ("retractoin", "retraction", "kind_misspelt"),
        ("corection", "correction", "kind_misspelt"),
        ("partial_retraction", "correction", ""),
        ("err.", "other", "kind_unknown"),
        ("", "other", "kind_unknown"),
        ("x" * 5_000, "other", "kind_unknown"),
    ],
)
def test_kinds(word: str, kind: str, remark: str) -> None:
    assert read_kind(word) == (kind, remark)
