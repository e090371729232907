"""References in the styles, compared with what the style guides ask for, written by hand."""

import hashlib
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.utils import translation

from citations.bibliography import Publisher
from citations.exports import styled
from citations.exports.styled import MOST_STYLED, STYLES, references
from citations.exports.works import Work
from tests.citations.exports.works_made import RETRACTED, article, creator, work

pytestmark = pytest.mark.engine_free

FOLDER = Path(styled.__file__).parent / "styles"


def written(one: Work, style: str, language: str = "en") -> str:
    with translation.override(language):
        (found,) = references([one], style)
    return found.html


@pytest.mark.parametrize(
    ("style", "expected"),
    [
        (
            "apa",
            (
                "van Beethoven, L., &amp; World Health Organization. (2003). Dispersal of corals. "
                "<i>Journal of Reefs</i>. https://doi.org/10.1234/corals"
            ),
        ),
        # No volume and no issue are stated: that makes it nothing that is "ahead of print".
        (
            "chicago",
            (
                "Beethoven, L. van, and World Health Organization. 2003. “Dispersal of Corals.” "
                "<i>Journal of Reefs</i>, October 17. https://doi.org/10.1234/corals."
            ),
        ),
        (
            "ieee",
            (
                "L. van Beethoven and World Health Organization, “Dispersal of corals,” "
                "<i>Journal of Reefs</i>, Oct. 2003, doi: 10.1234/corals."
            ),
        ),
    ],
)
def test_an_article(style: str, expected: str) -> None:
    assert written(article(), style) == expected


# In English a stop or comma stands before the closing quotation mark, in Portuguese behind it.
@pytest.mark.parametrize(
    ("style", "language", "title", "expected"),
    [
        ("chicago", "en", "Dispersal of corals.", "“Dispersal of Corals.” "),
        ("chicago", "en", "Where do corals go?", "“Where Do Corals Go?” "),
        ("ieee", "en", "Where do corals go?", "“Where do corals go?,” "),
        ("ieee", "en", "On “corals”, again", "“On “corals”, again,” "),
        ("ieee", "pt-br", "Dispersal of corals", "“Dispersal of corals”, "),
    ],
)
def test_stops_at_a_quotation_mark_stand_as_the_language_has_them(
    style: str, language: str, title: str, expected: str
) -> None:
    assert expected in written(
        replace(article(), book=replace(article().book, title=title)), style, language
    )


ACCESS = "Acesso em: 1 fev. 2026."
SILT: dict[str, Any] = {
    "title": "Silt", "creators": (creator("Silva, Ana"),), "doi": "10.1234/silt", "version": "3",
    "publisher": Publisher("Agency", None, None), "uri": "https://e.org/s",
    "published_at": "2025-12-24",
}  # fmt: skip


# What NBR 6023:2018 asks for: the DOI before the address, and that without angle brackets.
@pytest.mark.parametrize(
    ("kind", "more", "expected"),
    [
        (
            "article", {"container_title": "Muds", "version": None},
            ("SILVA, A. Silt. <b>Muds</b>, 24 dez. 2025. DOI: 10.1234/silt. "
            f"Disponível em: https://e.org/s. {ACCESS}"),
        ),
        (
            "article", {"container_title": "Muds", "uri": None},
            ("SILVA, A. Silt. Versão 3. <b>Muds</b>, 24 dez. 2025. DOI: 10.1234/silt. "
            f"Disponível em: https://doi.org/10.1234/silt. {ACCESS}"),
        ),
        (
            "webpage", {"doi": None, "published_at": "2025-05-03"},
            ("SILVA, A. <b>Silt</b>. Versão 3. Agency, 3 maio 2025. "
            f"Disponível em: https://e.org/s. {ACCESS}"),
        ),
        (
            "webpage", {"doi": None, "published_at": None, "publisher": None, "version": None},
            f"SILVA, A. <b>Silt</b>. Disponível em: https://e.org/s. {ACCESS}",
        ),
        (
            "report", {},
            ("SILVA, A. <b>Silt</b>. Versão 3. <i>[S.l.]</i>: Agency, 24 dez. 2025. "
            f"DOI: 10.1234/silt. Disponível em: https://e.org/s. {ACCESS}"),
        ),
        (
            "dataset", {},
            ("SILVA, A. <b>Silt</b>. Versão 3. Agency, 24 dez. 2025. "
            f"DOI: 10.1234/silt. Disponível em: https://e.org/s. {ACCESS}"),
        ),
        (
            "book", {"version": None},
            ("SILVA, A. <b>Silt</b>. <i>[S.l.]</i>: Agency, 2025. "
            f"DOI: 10.1234/silt. Disponível em: https://e.org/s. {ACCESS}"),
        ),
        (
            "paper-conference", {"container_title": "Mud days", "version": None, "doi": None},
            ("SILVA, A. Silt. <i>In</i>: <b>Mud days</b>. Agency, 24 dez. 2025. "
            f"Disponível em: https://e.org/s. {ACCESS}"),
        ),
        (
            "entry-encyclopedia", {"container_title": "Muds", "version": None, "doi": None},
            ("SILVA, A. <b>Silt</b>. <b>Muds</b>. Agency, 24 dez. 2025. "
            f"Disponível em: https://e.org/s. {ACCESS}"),
        ),
        (
            "thesis", {"version": None, "uri": None},
            ("SILVA, A. <b>Silt</b>. <i>[S.l.]</i>: Agency, 24 dez. 2025. "
            f"DOI: 10.1234/silt. Disponível em: https://doi.org/10.1234/silt. {ACCESS}"),
        ),
        (
            "article", {"container_title": "Muds", "uri": None, "doi": None, "version": None},
            "SILVA, A. Silt. <b>Muds</b>, 24 dez. 2025.",
        ),
    ],
)  # fmt: skip
def test_what_abnt_asks_of_each_type(kind: str, more: dict[str, Any], expected: str) -> None:
    assert written(work(**(SILT | {"source_kind": kind} | more)), "abnt", "pt-br") == expected


@pytest.mark.parametrize("style", [*STYLES])
def test_version_and_day_of_retrieval_are_told_beside_every_style(style: str) -> None:
    with translation.override("en"):
        (found,) = references([work(**(SILT | {"source_kind": "report"}))], style)
    assert found.remarks[:2] == ("version 3", "retrieved 2026-02-01")
    assert re.search("10.1234/silt|https://e.org/s", found.text)


@pytest.mark.parametrize(
    ("style", "expected"),
    [
        ("apa", "<i>A report</i> (Version 3). (2003). Ministry."),
        ("chicago", "<i>A Report</i>. 2003. Version 3. Ministry."),
        ("ieee", "“A report,” Ministry, Oct. 2003."),
        ("abnt", "<b>A report</b>. Versão 3. <i>[S.l.]</i>: Ministry, Oct. 2003."),
    ],
)
def test_a_title_that_stands_for_the_names_is_not_printed_again(style: str, expected: str) -> None:
    report = work(
        source_kind="report", title="A report", publisher=Publisher("Ministry", None, None),
        published_at="2003-10", version="3",
    )  # fmt: skip
    assert written(report, style) == expected


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("en", "Agency. (n.d.). <i>Silt</i>. Retrieved February 1, 2026, from https://e.org/s"),
        (
            "pt-br",
            "Agency. (s.d.). <i>Silt</i>. Recuperado 1º de fevereiro de 2026, de https://e.org/s",
        ),
    ],
)
def test_a_page_of_the_web_has_the_day_on_which_it_was_read(language: str, expected: str) -> None:
    page = work(
        source_kind="webpage", title="Silt", uri="https://e.org/s",
        publisher=Publisher("Agency", None, None),
    )  # fmt: skip
    assert written(page, "apa", language) == expected


def test_more_names_than_a_style_prints_end_in_one_stop() -> None:
    names = tuple(creator(f"Author {letter}") for letter in "ABCDE")
    found = written(article(creators=names), "abnt", "pt-br")
    assert found == (
        "AUTHOR A <i>et al.</i> Dispersal of corals. Versão 2. <b>Journal of Reefs</b>, 17 out. "
        "2003. DOI: 10.1234/corals. Disponível em: https://example.org/corals. "
        "Acesso em: 1 fev. 2026."
    )


@pytest.mark.parametrize("style", [*STYLES])
def test_without_an_address_there_is_no_day_of_access(style: str) -> None:
    assert "2026" not in written(work(title="Silt"), style)


@pytest.mark.parametrize("style", [*STYLES])
@pytest.mark.parametrize(
    "hostile",
    [
        "<script>alert(1)</script>",
        '"><svg onload=alert(3)>',
        "</i><b>x",
        "\ue000i\ue00f\ue00e",
        '<span class="nocase"><img src=x></span>',
        "&lt;script&gt;",
    ],
)
def test_no_text_of_a_source_becomes_markup(style: str, hostile: str) -> None:
    one = work(
        source_kind="article", title=hostile, container_title=hostile, version=hostile,
        creators=(creator(hostile), creator(f"{hostile}, A.")), uri="https://e.org/",
        publisher=Publisher(hostile, None, None), published_at="2003",
    )  # fmt: skip
    found = written(one, style)
    assert set(re.findall(r"<[^>]*>", found)) <= {"<i>", "</i>", "<b>", "</b>"}
    assert found.count("<") == found.count("<i>") * 2 + found.count("<b>") * 2
    assert not re.search("[\ue000-\uf8ff]", found)


@pytest.mark.parametrize("style", [*STYLES])
def test_stops_of_a_title_stay_as_they_are(style: str) -> None:
    found = written(work(title="a. , b, . c"), style)
    assert "a. , b, . c" in found.lower()


@pytest.mark.parametrize("style", [*STYLES])
def test_a_work_without_title_and_names_is_told_by_its_uid(style: str) -> None:
    assert written(work(), style) == "srv_abcdefghijkl"


def test_remarks_say_what_no_style_has_a_place_for() -> None:
    with translation.override("en"):
        (found,) = references([article()], "apa")
        (gone,) = references([work(title="T", read=False, status=RETRACTED)], "apa")
    assert found.remarks == ("version 2", "retrieved 2026-02-01", "licence as stated: CC-BY-4.0")
    assert gone.remarks == ("Retracted (2026-05-03)",)


def test_beyond_a_bound_titles_alone_are_told() -> None:
    works = [
        work(title=f"Title {number}", published_at="2003") for number in range(MOST_STYLED + 2)
    ]
    with translation.override("en"):
        found = references(works, "ieee")
    assert [each.text for each in found[-3:]] == [
        f"“Title {MOST_STYLED - 1}.” 2003.", f"Title {MOST_STYLED}", f"Title {MOST_STYLED + 1}",
    ]  # fmt: skip


def test_the_files_of_the_styles_are_those_whose_hashes_are_recorded() -> None:
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    recorded = dict(re.findall(r"^\| `([^`]+)` .*`([0-9a-f]{64})` \|$", text, re.MULTILINE))
    found = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in FOLDER.glob("*.csl")
    }
    assert found == recorded
    assert recorded.keys() == {file for file, _ in STYLES.values()}
    for path in FOLDER.glob("*.csl"):
        assert 'license="http://creativecommons.org/licenses/by-sa/3.0/"' in path.read_text("utf-8")
