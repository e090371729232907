"""The exports of a real answer whose source is corrected: by the API, checked by the command, offline."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from citations.exports.capsule_file import NotGenuine, verify
from tests.flows.demo_answers import answer_uids, get, post
from tests.flows.session import Session
from tests.servers.product import Product

pytestmark = pytest.mark.one_pair

CHECKOUT: Final = Path(__file__).resolve().parents[2]
TITLE: Final = "The Roles of APC and Axin Derived from Experimental and Theoretical Analysis of the Wnt Pathway"


@pytest.fixture
def filed(demo_stack: Product) -> Iterator[list[str]]:
    """Uids of cases that are undone in the end, for the sake of other tests."""
    cases: list[str] = []
    yield cases
    for case in cases:
        if get(demo_stack, f"/cases/{case}")["reinstated_by"] is None:
            post(demo_stack, f"/cases/{case}/reinstate")


@pytest.fixture
def stale(demo_stack: Product, filed: list[str]) -> str:
    """The flagship's answer, whose source has just been corrected."""
    uid = answer_uids(demo_stack)["llamaindex_01"]
    (source,) = get(demo_stack, "/resolve", kind="source", key="PMC212691")["items"]
    draft = post(demo_stack, "/cases", {"kind": "correction", "targets": [{"uid": source["uid"]}]})
    filed.append(draft["uid"])
    post(demo_stack, f"/cases/{draft['uid']}/dry-run")
    post(demo_stack, f"/cases/{draft['uid']}/approve")
    return uid


def body(product: Product, path: str) -> bytes:
    answer = product.request("GET", path)
    assert answer.status == 200, (path, answer)
    return answer.body


def command(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """The command in an empty folder, without settings, without any server's address."""
    return subprocess.run(
        [sys.executable, "-m", "provexplorer.cli", *arguments],
        cwd=folder,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(CHECKOUT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_the_capsule_of_a_stale_answer_is_verified_offline(
    demo_stack: Product, stale: str, tmp_path: Path
) -> None:
    content = body(demo_stack, f"/api/v1/answers/{stale}/capsule")
    (key,) = demo_stack.request("GET", "/.well-known/provexplorer-capsule-keys.json").json()["keys"]
    file = tmp_path / "capsule.html"
    file.write_bytes(content)
    done = command("verify", str(file), "--key", key["kid"], folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"Answer {stale}, exported " in done.stdout
    assert list(tmp_path.iterdir()) == [file]

    page = content.decode()
    for said in (
        'data-state="stale"', "Correction", TITLE, "Lee Ethan", "Public Library of Science",
        "2021-01-05 08:21:03", "“CC BY”", "<mark>", "10.1371/journal.pbio.0000010",
    ):  # fmt: skip
        assert said in page, said

    # Forty places over the whole file; the manifest among them.
    for number in range(40):
        at = len(content) * number // 40
        other = bytearray(content)
        other[at] ^= 1
        with pytest.raises(NotGenuine):
            verify(bytes(other))
    file.write_bytes(content.replace(b"Lee Ethan", b"Lee Ethen"))
    done = command("verify", str(file), folder=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("NOT GENUINE: The part “cit_")


def test_references_and_copies_say_that_the_source_was_corrected(
    demo_stack: Product, stale: str
) -> None:
    entry = body(demo_stack, f"/api/v1/answers/{stale}/references?format=bibtex").decode()
    for line in (
        (
            "  author = {{Lee Ethan} and {Salic Adrian} and {Krüger Roland} and {Heinrich Reinhart}"
            " and {Kirschner Marc W}},"
        ),
        f"  title = {{{{{TITLE}}}}},",
        "  journal = {PLoS Biology},",
        "  year = {2003},",
        "  version = {2021-01-05 08:21:03},",
        "  doi = {10.1371/journal.pbio.0000010},",
    ):
        assert line in entry.splitlines()
    assert "  note = {Corrected (" in entry
    styled = body(demo_stack, f"/api/v1/answers/{stale}/references?format=apa").decode()
    assert styled.startswith(
        "Lee Ethan, Salic Adrian, Krüger Roland, Heinrich Reinhart, & Kirschner Marc W. (2003). "
        f"{TITLE}. PLoS Biology. https://doi.org/10.1371/journal.pbio.0000010 — Corrected ("
    )
    copied = body(demo_stack, f"/api/v1/answers/{stale}/copy?format=markdown").decode()
    assert copied.startswith("**Stale: Correction**\n")
    assert f"{demo_stack.base_url}/citations/cit_" in copied


def test_readers_have_the_same_by_the_pages(demo_stack: Product, stale: str) -> None:
    reader = Session.of_demo(demo_stack, "reader")
    for path in ("print", "references", "copy.html", "capsule"):
        page = reader.get(f"/answers/{stale}/{path}")
        assert page.status == 200
        assert TITLE in page.body.decode(), path
