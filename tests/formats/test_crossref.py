"""Works of Crossref as native records; the sample's facts were read by hand."""

import json
from datetime import date
from typing import Any

import pytest

from lineage.formats.crossref import NotWorks, date_of, license_of, to_records, works_of
from lineage.formats.records import parse_record
from lineage.types import NativeRecord
from tests.notices.world import DATA

pytestmark = pytest.mark.engine_free
TODAY = date(2026, 1, 1)


def works() -> dict[str, Any]:
    path = DATA / "crossref" / "works_dev.jsonl"
    read = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return {work["DOI"]: work for work in read}


def of(work: Any, kind: str, today: date = TODAY) -> list[Any]:
    return [each for each in to_records(work, today=today) if each["kind"] == kind]


def test_every_work_of_the_sample_is_sound() -> None:
    for work in works().values():
        records = [parse_record(i, one) for i, one in enumerate(to_records(work, today=TODAY))]
        assert all(isinstance(each, NativeRecord) for each in records)
        (source,) = of(work, "source")
        (version,) = of(work, "source_version")
        assert (source["doi"], source["title"]) == (
            work["DOI"].lower(),
            " ".join(work["title"][0].split()),
        )
        assert source["publisher"] == {"name": work["publisher"]}
        assert [each["name"] for each in source["creators"]] == [
            " ".join(f"{a['given']} {a['family']}".split()) if "family" in a else a["name"]
            for a in work["author"]
        ]
        printed = (work.get("published") or work["issued"])["date-parts"][0]
        # One work says that it has a date, and none.
        dated = version.get("published_at")
        assert ([int(part) for part in dated.split("-")] if dated else [None]) == printed
        # Every licence is kept, each once, with its version and its day.
        kept = version["attributes"]["licenses"]
        assert [(each["url"], each["applies_to"]) for each in kept] == list(
            dict.fromkeys((each["URL"], each["content-version"]) for each in work["license"])
        )


def test_creators_with_their_orcids() -> None:
    (source,) = of(works()["10.3847/1538-4357/abc94b"], "source")
    assert [(each["name"], each.get("orcid")) for each in source["creators"][:3]] == [
        ("Sherry Chhabra", "0000-0001-7754-0804"),
        ("Dale E. Gary", "0000-0003-2520-8396"),
        ("Gregg Hallinan", "0000-0002-7083-4049"),
    ]
    agents = of(works()["10.3847/1538-4357/abc94b"], "agent")
    assert agents[0]["key"] == "orcid:0000-0001-7754-0804"


def test_a_licence_for_mining_is_not_one_for_reading() -> None:
    # For mining from 2014-10-01 on, the version of record from 2018-10-01 on.
    work = works()["10.1016/j.matpur.2014.02.004"]
    (version,) = of(work, "source_version")
    assert version["license_uri"] == "https://www.elsevier.com/open-access/userlicense/1.0/"
    assert version["license"] == "LicenseRef-elsevier.com-open-access-userlicense-1.0"
    assert version["attributes"]["licenses"] == [
        {
            "url": "https://www.elsevier.com/tdm/userlicense/1.0/",
            "license": "LicenseRef-elsevier.com-tdm-userlicense-1.0",
            "applies_to": "tdm", "from": "2014-10-01", "delay_in_days": 0,
        },
        {
            "url": "https://www.elsevier.com/open-access/userlicense/1.0/",
            "license": "LicenseRef-elsevier.com-open-access-userlicense-1.0",
            "applies_to": "vor", "from": "2018-10-01", "delay_in_days": 1461,
        },
    ]  # fmt: skip
    (before,) = of(work, "source_version", date(2018, 9, 30))
    assert "license" not in before
    only_mining = works()["10.1016/b978-0-12-407849-9.00019-1"]
    assert "license" not in of(only_mining, "source_version")[0]


@pytest.mark.parametrize(
    ("url", "license_"),
    [
        ("https://creativecommons.org/licenses/by/4.0", "CC-BY-4.0"),
        ("http://creativecommons.org/licenses/by/3.0/", "CC-BY-3.0"),
        ("http://creativecommons.org/licenses/by-sa/4.0/deed.de", "CC-BY-SA-4.0"),
        ("http://creativecommons.org/licenses/by-nd/3.0/de", "CC-BY-ND-3.0-DE"),
        # A port that the SPDX list does not have.
        ("http://creativecommons.org/licenses/by-nd/2.0/de", "LicenseRef-creativecommons.org-licenses-by-nd-2.0-de"),
        ("http://www.springer.com/tdm", "LicenseRef-springer.com-tdm"),
        ("https://www.springer.com/tdm", "LicenseRef-springer.com-tdm"),
        ("", ""),
    ],
)  # fmt: skip
def test_licences_by_their_addresses(url: str, license_: str) -> None:
    assert license_of(url) == license_


def test_affiliations_with_their_ror_ids() -> None:
    person = {
        "given": "Ada", "family": "One", "ORCID": "https://orcid.org/0000-0002-1825-0097",
        "affiliation": [
            {"name": "A University", "id": [{"id": "https://ror.org/02mhbdp94", "id-type": "ROR"}]},
            {"name": "A Hospital", "id": [{"id": "https://ror.org/bad", "id-type": "ROR"}]},
            "nonsense",
        ],
    }  # fmt: skip
    work = {"DOI": "10.5555/x", "author": [person, {"name": "A Group"}, {"given": ""}, 7]}
    first, second = of(work, "agent")
    assert first["attributes"] == {
        "affiliations": [
            {"name": "A University", "ror": "https://ror.org/02mhbdp94"},
            {"name": "A Hospital"},
        ]
    }
    assert (first["agent_kind"], second["agent_kind"]) == ("person", "organization")
    assert second["key"] == "name:A Group@10.5555/x"


@pytest.mark.parametrize(
    ("parts", "printed"),
    [
        ([[2014]], "2014"),
        ([[2014, 10]], "2014-10"),
        ([[2014, 4, 29]], "2014-04-29"),
        ([[2014, 13]], None),
        ([[None]], None),
        ([[True]], None),
        ([], None),
        ("2014", None),
    ],
)
def test_dates_as_printed(parts: Any, printed: str | None) -> None:
    assert date_of({"date-parts": parts}) == printed


def test_what_holds_no_work_is_told() -> None:
    documents: list[Any] = [{}, {"message": {}}, {"message": [1]}, "x", 7, None]
    for document in documents:
        with pytest.raises(NotWorks):
            works_of(document)
    strange: list[Any] = [{}, {"DOI": "nonsense"}, [], "x", None]
    for work in strange:
        with pytest.raises(NotWorks):
            to_records(work, today=TODAY)


def test_nonsense_in_every_member_is_left_out() -> None:
    members = (
        "title", "author", "editor", "publisher", "container-title", "type", "license", "issued",
        "published", "deposited", "assertion", "funder", "URL", "language", "subtitle",
    )  # fmt: skip
    strange: dict[str, Any] = {name: [{"x": [7, None]}, 3, None] for name in members}
    records = to_records({"DOI": "10.5555/x", **strange}, today=TODAY)
    assert [each["kind"] for each in records] == ["source", "source_version"]
    assert records[0]["title"] == "10.5555/x"
    assert all(isinstance(parse_record(i, one), NativeRecord) for i, one in enumerate(records))
