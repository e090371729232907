"""What Crossref states of a work stands on the citation card as published."""

import io
import json
from datetime import date

import pytest
from django.core.management import call_command

from citations.card import Card, citation_card
from citations.licence_terms import LicenceTerm
from lineage.models import Node
from provexplorer.workspaces.models import Workspace
from tests.cases.world import record, send
from tests.citations.world import reader
from tests.notices.world import DATA

pytestmark = [pytest.mark.django_db, pytest.mark.one_pair]
TEXT = "Solar radio bursts were imaged."


def shown(workspace: Workspace, doi: str, tmp_path: object = None) -> Card:
    """The card of a citation of a passage of the work's version as Crossref knows it."""
    send(
        workspace,
        [
            record("document", "doc", source_version=f"{doi}@crossref", text=TEXT),
            record("chunk", "c", document="doc", interval={"start": 0, "end": len(TEXT)}),
            record("context", "ctx", items=[{"chunk": "c", "position": 1}]),
            record("answer", "a", context="ctx", text=f"{TEXT} [1]"),
            record("claim", "k", answer="a", interval={"start": 0, "end": len(TEXT)}),
            record("citation", "q", claim="k", marker="[1]", chunk="c"),
        ],
    )
    citation = Node.objects.get(workspace=workspace, kind="citation", key="q")
    return citation_card(reader(workspace), citation.uid)


def load(workspace: Workspace, capsys: pytest.CaptureFixture[str]) -> str:
    path = DATA / "crossref" / "works_dev.jsonl"
    call_command("load", str(path), "--format", "crossref", "--workspace", workspace.slug)
    return capsys.readouterr().out


def test_the_card_says_what_crossref_published(
    workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    assert " 0 rejected" in load(workspace, capsys)
    doi = "10.3847/1538-4357/abc94b"
    book = shown(workspace, doi).bibliography
    assert book is not None
    assert book.title == "Imaging Spectroscopy of CME-associated Solar Radio Bursts using OVRO-LWA"
    assert book.container_title == "The Astrophysical Journal"
    assert book.publisher is not None
    assert book.publisher.name == "American Astronomical Society"
    assert [(each.name, each.orcid) for each in book.creators][:2] == [
        ("Sherry Chhabra", "0000-0001-7754-0804"),
        ("Dale E. Gary", "0000-0003-2520-8396"),
    ]
    assert (book.doi, book.published_at) == (doi, "2021-01-18")
    work = json.loads(
        next(
            line
            for line in (DATA / "crossref" / "works_dev.jsonl")
            .read_text(encoding="utf-8")
            .splitlines()
            if f'"{doi}"' in line
        )
    )
    assert [(term.url, term.applies_to, term.starts) for term in book.licences] == [
        (
            each["URL"],
            each["content-version"],
            date(*each["start"]["date-parts"][0]).isoformat(),
        )
        for each in work["license"]
    ]
    # The same works again change nothing.
    assert ", 0 accepted, 0 rejected" in load(workspace, capsys)


def test_a_work_that_is_known_by_its_doi_is_that_source(workspace: Workspace) -> None:
    send(workspace, [record("source", "mine", title="My own words", doi="10.5555/X")])
    file = io.BytesIO(
        json.dumps(
            {
                "DOI": "10.5555/x",
                "title": ["As published"],
                "author": [{"given": "Ada", "family": "One"}],
            }
        ).encode()
    )
    from lineage.ingest.crossref_works import read_works

    ((work,),) = list(read_works(workspace, io.BufferedReader(file), today=date(2026, 1, 1)))
    assert [(each["kind"], each["key"]) for each in work.records] == [
        ("agent", "name:Ada One@mine"), ("source", "mine"), ("source_version", "mine@crossref"),
    ]  # fmt: skip


def test_terms_of_licences_are_read_with_care() -> None:
    from citations.licence_terms import terms_of

    today = date(2026, 1, 1)
    stated = [
        {"url": "https://creativecommons.org/licenses/by/4.0", "applies_to": "vor", "from": "2027-01-01"},
        {"url": "http://www.springer.com/tdm", "applies_to": "tdm", "license": "LicenseRef-springer.com-tdm"},
        "nonsense", {"url": 7}, {},
    ]  # fmt: skip
    future, mining = terms_of({"licenses": stated}, today)
    assert isinstance(future, LicenceTerm)
    assert (future.licence.spdx, future.ahead, future.starts) == ("CC-BY-4.0", True, "2027-01-01")
    assert (mining.applies_to, mining.ahead, mining.starts) == ("tdm", False, None)
    assert terms_of({}, today) == terms_of({"licenses": "x"}, today) == ()
