"""CSL-JSON, BibTeX and RIS: what is stated and nothing else, and no text that breaks the format."""

import json
from io import StringIO

import pytest
from citeproc.source.bibtex.bibparse import BibTeXParser
from django.utils import translation

from citations.exports.bibtex import bibtex
from citations.exports.csl import csl_json
from citations.exports.references import FILES, reference_file
from citations.exports.ris import ris
from citations.exports.works import Work
from tests.citations.exports.works_made import RETRACTED, article, creator, work

pytestmark = pytest.mark.engine_free

HOSTILE = "50% of {a} & #1 $x_y^z~ \\end{x} }\nER  - \r\nTY  - BOOK\u202e 🐠"


def test_csl_has_what_is_stated_and_the_rest_in_custom() -> None:
    (item,) = json.loads(csl_json([article()]))
    assert item == {
        "id": "srv_abcdefghijkl",
        "type": "article-journal",
        "author": [
            {"family": "Beethoven", "given": "Ludwig", "non-dropping-particle": "van"},
            {"literal": "World Health Organization"},
        ],
        "title": "Dispersal of corals",
        "container-title": "Journal of Reefs",
        "publisher": "Open Press",
        "version": "2",
        "DOI": "10.1234/corals",
        "URL": "https://example.org/corals",
        "language": "en",
        "issued": {"date-parts": [[2003, 10, 17]]},
        "accessed": {"date-parts": [[2026, 2, 1]]},
        "locator": "411",
        "custom": {
            "source": "src_a",
            "source_version": "srv_abcdefghijkl",
            "citations": [{"marker": "[1]", "citation": "cit_a"}],
            "license": "CC-BY-4.0",
            "license_url": "https://creativecommons.org/licenses/by/4.0/",
            "attribution": (
                "“Dispersal of corals” (https://doi.org/10.1234/corals) by van Beethoven, Ludwig and "
                "World Health Organization (version 2, 2003-10-17), Journal of Reefs. Licence: CC BY "
                "4.0 (https://creativecommons.org/licenses/by/4.0/). Retrieved 2026-02-01."
            ),
            "fetched_at": "2026-02-01T23:30:00+00:00",
            "retrieved_at": "2026-03-01T10:00:00+00:00",
            "source_status": "not_checked",
        },
    }


def test_csl_of_a_work_that_states_nothing_has_no_facts() -> None:
    (item,) = json.loads(csl_json([work(read=False)]))
    custom = item.pop("custom")
    assert item == {"id": "srv_abcdefghijkl", "type": "document", "locator": "411"}
    assert custom.keys() == {"source", "source_version", "citations", "source_status"}


@pytest.mark.parametrize(
    ("kind", "container", "expected"),
    [
        ("article", "Journal", "article-journal"),
        ("article", None, "article"),
        ("webpage", None, "webpage"),
        ("code", None, "software"),
        ("notice", None, "document"),
        (None, None, "document"),
    ],
)
def test_the_type_follows_from_the_kind(
    kind: str | None, container: str | None, expected: str
) -> None:
    (item,) = json.loads(csl_json([work(source_kind=kind, container_title=container)]))
    assert item["type"] == expected


def test_an_address_that_does_not_lead_to_the_web_is_none() -> None:
    hostile = work(uri="javascript:alert(1)", title="T")
    for ending in FILES:
        assert b"javascript" not in reference_file(ending, [hostile]).content


def test_bibtex_of_an_article() -> None:
    assert bibtex([article()]).decode() == (
        "@article{beethoven2003-abcdefgh,\n"
        "  author = {van Beethoven, Ludwig and {World Health Organization}},\n"
        "  title = {{Dispersal of corals}},\n"
        "  journal = {Journal of Reefs},\n"
        "  publisher = {Open Press},\n"
        "  year = {2003},\n"
        "  date = {2003-10-17},\n"
        "  version = {2},\n"
        "  doi = {10.1234/corals},\n"
        "  url = {https://example.org/corals},\n"
        "  urldate = {2026-02-01},\n"
        "  language = {en},\n"
        "  note = {licence as stated: CC-BY-4.0},\n"
        "}\n"
    )


def test_bibtex_escapes_what_means_something_to_it() -> None:
    hostile = work(
        title=HOSTILE, creators=(creator("Smith and Jones {x}"),), uri="https://e.org/{a}_50%"
    )
    written = bibtex([hostile]).decode()
    assert written == (
        "@misc{smith-abcdefgh,\n"
        "  author = {{Smith and Jones \\textbraceleft{}x\\textbraceright{}}},\n"
        "  title = {{50\\% of \\textbraceleft{}a\\textbraceright{} \\& \\#1 "
        "\\$x\\_y\\textasciicircum{}z\\textasciitilde{} "
        "\\textbackslash{}end\\textbraceleft{}x\\textbraceright{} \\textbraceright{} "
        "ER - TY - BOOKU+202E 🐠}},\n"
        "  url = {https://e.org/%7Ba%7D_50%},\n"
        "  urldate = {2026-02-01},\n"
        "}\n"
    )
    # BibTeX counts braces, escaped or not.
    assert written.count("{") == written.count("}")


def test_bibtex_is_read_back_by_another_program() -> None:
    again = article(title="Silt & 50% {x}", creators=(creator("Humboldt, Alexander von"),))
    entries = BibTeXParser(StringIO(bibtex([article(), work(title="One"), again]).decode()))
    assert list(entries) == ["beethoven2003-abcdefgh", "abcdefgh", "humboldt2003-abcdefgh"]


def test_ris_of_an_article() -> None:
    assert ris([article()]).decode() == (
        "TY  - JOUR\r\n"
        "AU  - van Beethoven, Ludwig\r\n"
        "AU  - World Health Organization\r\n"
        "TI  - Dispersal of corals\r\n"
        "T2  - Journal of Reefs\r\n"
        "PB  - Open Press\r\n"
        "PY  - 2003\r\n"
        "DA  - 2003/10/17/\r\n"
        "ET  - 2\r\n"
        "DO  - 10.1234/corals\r\n"
        "UR  - https://example.org/corals\r\n"
        "Y2  - 2026/02/01/\r\n"
        "LA  - en\r\n"
        "N1  - licence as stated: CC-BY-4.0\r\n"
        "ID  - srv_abcdefghijkl\r\n"
        "ER  - \r\n"
        "\r\n"
    )


def test_no_text_begins_a_line_of_ris() -> None:
    lines = ris([work(title=HOSTILE, read=False), work(read=False)]).decode().split("\r\n")
    assert lines == [
        "TY  - GEN",
        "TI  - 50% of {a} & #1 $x_y^z~ \\end{x} } ER - TY - BOOKU+202E 🐠",
        "ID  - srv_abcdefghijkl",
        "ER  - ",
        "",
        "TY  - GEN",
        "ID  - srv_abcdefghijkl",
        "ER  - ",
        "",
        "",
    ]


@pytest.mark.parametrize("parts", [("2003", "2003///"), ("2003-10", "2003/10//")])
def test_ris_leaves_parts_of_dates_empty(parts: tuple[str, str]) -> None:
    stated, written = parts
    assert f"DA  - {written}\r\n" in ris([work(published_at=stated)]).decode()


@pytest.mark.parametrize("ending", [*FILES])
def test_every_format_says_that_a_work_was_retracted(ending: str) -> None:
    with translation.override("en"):
        said = reference_file(ending, [work(title="T", status=RETRACTED)]).content.decode()
    assert "etracted" in said
    assert "2026-05-03" in said


@pytest.mark.parametrize("ending", [*FILES])
def test_an_answer_that_cites_nothing_has_an_empty_file(ending: str) -> None:
    none: list[Work] = []
    content = reference_file(ending, none).content
    assert content.strip() in (b"", b"[]")
