"""The bibliography says only what the articles say, where they say it."""

import json
from typing import Any

import pytest

from demo.bibliography import build
from demo.files import BIBLIOGRAPHY, DATA, read_json, read_text

pytestmark = pytest.mark.engine_free

ENTRIES: dict[str, Any] = read_json(BIBLIOGRAPHY)
ARTICLES = DATA / "articles"


def values(source_id: str, name: str) -> Any:
    found = ENTRIES[source_id].get(name)
    return (
        [item["value"] for item in found] if isinstance(found, list) else found and found["value"]
    )


def places(entry: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        place
        for found in entry.values()
        for place in (found if isinstance(found, list) else [found])
    ]


@pytest.mark.parametrize("source_id", sorted(set(ENTRIES) - {"sotu-2024"}))
def test_each_value_stands_at_its_interval(source_id: str) -> None:
    text = read_text(ARTICLES / f"{source_id}.txt")
    assert len(places(ENTRIES[source_id])) >= 11
    for place in places(ENTRIES[source_id]):
        assert text[place["start"] : place["end"]] == place["value"]
        assert place["value"].strip() == place["value"] != ""


def test_what_the_speech_does_not_say_stands_in_the_index_at_its_pointer() -> None:
    rows = read_json(ARTICLES / "sources.json")
    for place in places(ENTRIES["sotu-2024"]):
        _, index, field = place["pointer"].split("/")
        assert rows[int(index)][field] == place["value"]
    assert values("sotu-2024", "license") == "public domain (US federal government work)"
    assert values("sotu-2024", "creators") == ["Joseph R. Biden Jr."]


def test_the_file_is_what_its_builder_builds() -> None:
    assert json.dumps(build(), ensure_ascii=False, indent=1) + "\n" == read_text(BIBLIOGRAPHY)


def test_titles() -> None:
    assert {source_id: values(source_id, "title") for source_id in ENTRIES} == {
        "PMC176545": "The Transcriptome of the Intraerythrocytic Developmental Cycle of Plasmodium falciparum",
        "PMC176547": "Borneo Elephants: A High Priority for Conservation",
        "PMC176548": "Monitoring Malaria: Genomic Activity of the Parasite in Human Blood Cells",
        "PMC193604": "Drosophila Free-Running Rhythms Require Intercellular Communication",
        "PMC193606": "Biological Clock Depends on Many Parts Working Together",
        "PMC193607": "New Genomic Approach Predicts True Evolutionary History of Bacterial Genomes",
        "PMC212319": "The Guanine Nucleotide Exchange Factor ARNO mediates the activation of ARF and"
        " phospholipase D by insulin",
        "PMC212687": "A Functional Analysis of the Spacer of V(D)J Recombination Signal Sequences",
        "PMC212690": "Out of the Way How the next copyright revolution can help the next scientific revolution",
        "PMC212691": "The Roles of APC and Axin Derived from Experimental and Theoretical Analysis of the"
        " Wnt Pathway",
        "sotu-2024": "State of the Union Address, 2024",
    }


def test_creators_as_printed_family_name_first() -> None:
    assert {source_id: values(source_id, "creators") for source_id in ENTRIES} == {
        "PMC176545": ["Bozdech Zbynek", "Llinás Manuel", "Pulliam Brian Lee", "Wong Edith D",
                      "Zhu Jingchun", "DeRisi Joseph L"],
        "PMC176547": None,
        "PMC176548": None,
        "PMC193604": ["Peng Ying", "Stoleru Dan", "Levine Joel D", "Hall Jeffrey C", "Rosbash Michael"],
        "PMC193606": None,
        "PMC193607": None,
        "PMC212319": ["Li Hai-Sheng", "Shome Kuntala", "Rojas Raúl", "Rizzo Megan A",
                      "Vasudevan Chandrasekaran", "Fluharty Eric", "Santy Lorraine C",
                      "Casanova James E", "Romero Guillermo"],
        "PMC212687": ["Lee Alfred Ian", "Fugmann Sebastian D", "Cowell Lindsay G", "Ptaszek Leon M",
                      "Kelsoe Garnett", "Schatz David G"],
        "PMC212690": ["Brown Glenn Otis"],
        "PMC212691": ["Lee Ethan", "Salic Adrian", "Krüger Roland", "Heinrich Reinhart", "Kirschner Marc W"],
        "sotu-2024": ["Joseph R. Biden Jr."],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("source_id", "journal", "publisher", "date", "doi", "pmid"),
    [
        ("PMC176545", "PLoS Biology", "Public Library of Science", "18 8 2003", "10.1371/journal.pbio.0000005", "12929205"),
        ("PMC176547", "PLoS Biology", "Public Library of Science", "18 8 2003", "10.1371/journal.pbio.0000007", None),
        ("PMC193606", "PLoS Biology", "Public Library of Science", "15 9 2003", "10.1371/journal.pbio.0000023", None),
        ("PMC212319", "BMC Cell Biology", "BioMed Central", "11 9 2003", "10.1186/1471-2121-4-13", "12969509"),
        ("PMC212691", "PLoS Biology", "Public Library of Science", "13 10 2003", "10.1371/journal.pbio.0000010", "14551908"),
    ],
)  # fmt: skip
def test_journal_publisher_date_and_identifiers(
    source_id: str, journal: str, publisher: str, date: str, doi: str, pmid: str | None
) -> None:
    told = [values(source_id, name) for name in ("journal", "publisher", "date", "doi", "pmid")]
    assert told == [journal, publisher, date, doi, pmid]


def test_identifiers_agree_with_the_index() -> None:
    for row in read_json(ARTICLES / "sources.json"):
        if row.get("doi"):
            assert values(row["source_id"], "doi") == row["doi"]
        if row.get("pmid"):
            assert (values(row["source_id"], "pmid") or "0") == row["pmid"]
