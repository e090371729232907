"""The files that PROV's own library is tested with: each is read, refused or told of as its name says.

They come with the library, so that every version of it brings its own.
"""

import re
import warnings
from collections import Counter
from pathlib import Path
from typing import Final

import prov.tests
import pytest

from lineage.formats.prov import read_document
from lineage.formats.prov_json import read_prov_json
from lineage.formats.prov_write import as_library, write
from lineage.formats.refusals import BodyRefused
from lineage.types import Refused
from tests.formats.prov_writing import exported, library, prepared
from tests.thorough import THOROUGH

pytestmark = pytest.mark.engine_free

FOLDER: Final = Path(prov.tests.__file__).parent
VALID: Final = sorted((FOLDER / "json").glob("*.json"))
UNIFICATION: Final = sorted((FOLDER / "unification").glob("*.json"))
# The forms that take longer: some of the files each day, all of them in the thorough run.
SOME: Final = VALID[:: 1 if THOROUGH else 12]
# Where what is wrong stands, and a word of it.
MALFORMED: Final = {
    "bad_bundle_shape": ("/bundle", "bundle"),
    "bad_prefix_map": ("/prefix", "prefix"),
    "bad_record_content": ("/entity/ex:e1", "'ex:e1'"),
    "bad_record_shape": ("/entity", "entity"),
    "bad_typed_literal": ("/entity/ex:e1/ex:attr", "'ex:attr'"),
    "empty": ("", "line 1"),
    "not_json": ("", "line 1"),
    "top_level_list": ("", "PROV-JSON document"),
    "top_level_scalar": ("", "PROV-JSON document"),
    "unknown_record_type": ("/notarealtype", "'notarealtype'"),
}
# Stated twice with different times: legal in PROV-JSON, kept and told of.
SCRUFFY: Final = 28
# Constraints whose breach leaves no doubt about what is related to what.
HARMLESS: Final = {23}


def test_all_files_are_there() -> None:
    assert (len(VALID) >= 398, len(UNIFICATION) >= 14) == (True, True)


@pytest.mark.parametrize("file", VALID, ids=lambda file: file.stem)
def test_every_statement_of_a_valid_document_is_kept(file: Path) -> None:
    found = prepared(file.read_bytes())
    assert [item for item in found.items if item.problem is not None] == []
    assert [one for one in found.records if isinstance(one, Refused)] == []
    told = Counter(warned.code for item in found.items for warned in item.warnings)
    assert told == ({"prov_constraint": 2} if file.stem.startswith("scruffy") else {})


def test_documents_with_the_same_event_at_two_times_are_among_them() -> None:
    assert sum(file.stem.startswith("scruffy") for file in VALID) == SCRUFFY


@pytest.mark.parametrize("form", ["json", "turtle", "jsonld"])
def test_every_valid_document_comes_back_as_it_was(form: str) -> None:
    lost = []
    for file in VALID if form == "json" else SOME:
        sent = file.read_bytes()
        content, media_type = write(exported(sent), form)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if as_library(read_document(content, media_type)) != library(sent):
                lost.append(file.stem)
    assert lost == []


@pytest.mark.parametrize("file", UNIFICATION, ids=lambda file: file.stem)
def test_what_cannot_stand_together_is_told_by_the_constraint_of_its_name(file: Path) -> None:
    named = re.fullmatch(r".*-(PASS|FAIL)-c(\d+)", file.stem)
    assert named is not None
    verdict, constraint = named[1], int(named[2])
    items = prepared(file.read_bytes()).items
    refused = [item.problem.detail for item in items if item.problem is not None]
    told = [warned.detail for item in items for warned in item.warnings]
    if verdict == "PASS":
        assert (refused, told) == ([], [])
        return
    named_by, silent = (told, refused) if constraint in HARMLESS else (refused, told)
    assert silent == []
    assert named_by
    assert all(detail.startswith(f"Constraint {constraint}:") for detail in named_by)


@pytest.mark.parametrize(
    "file", sorted((FOLDER / "malformed").glob("*.json")), ids=lambda file: file.stem
)
def test_a_malformed_document_is_refused_with_the_place(file: Path) -> None:
    pointer, word = MALFORMED[file.stem]
    with pytest.raises(BodyRefused) as refused:
        read_prov_json(file.read_bytes())
    assert (refused.value.problem.slug, refused.value.problem.pointer) == (
        "body-unreadable",
        pointer,
    )
    assert word in refused.value.problem.detail
