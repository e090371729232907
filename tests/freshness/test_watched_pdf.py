"""A PDF that is watched: its passages are compared like any others, and readers learn on which page they now stand."""

from collections.abc import Iterator

import pytest

from lineage.models.freshness import Outcome
from provexplorer.workspaces.models import Workspace
from tests.freshness.pdf_files import pdf
from tests.freshness.sites import Asked, site
from tests.freshness.world import (
    from_this_machine,
    pass_by,
    verdicts,
    versions,
    watch_of,
    watched,
    work,
)
from tests.ingest.sending import node, send
from tests.pages.world import member

pytestmark = [pytest.mark.one_pair, pytest.mark.usefixtures("graph")]

TIDES = "The tide table of the harbour lists forty-one tides in May of that year."
TOWER = "The lighthouse was built of granite in two years and restored after the war."
ROMAN = "0 << /S /r >> 1 << /S /D /St 7 >>"


class Site:
    def __init__(self) -> None:
        self.body = b""

    def behave(self, asked: Asked) -> None:
        if asked.path == "/report.pdf":
            asked.reply(200, self.body, Content_Type="application/pdf")
        else:
            asked.reply(404)


@pytest.fixture
def report(workspace: Workspace) -> Iterator[tuple[Workspace, Site]]:
    now = Site()
    with site(now.behave) as (base, _), from_this_machine():
        watched(workspace)
        send(workspace, work("doc", f"{base}/report.pdf", f"{TIDES}\n\n{TOWER}\n"))
        yield workspace, now


def test_passages_of_a_pdf_are_compared_and_found_on_their_pages(
    report: tuple[Workspace, Site],
) -> None:
    workspace, now = report
    # Other line breaks than those of the text that was cited; a page in between.
    now.body = pdf(["Contents", TIDES.replace(" lists", "\nlists"), TOWER], labels=ROMAN)
    pass_by(workspace)
    assert watch_of(workspace, "doc").outcome == Outcome.FIRST
    assert verdicts(workspace) == {"doc#0": "cosmetic", "doc#1": "unchanged"}
    observed = versions(workspace, "doc")[-1]
    assert observed.attributes["pages"] == [[0, "i"], [10, "7"], [10 + len(TIDES) + 2, "8"]]
    page = member(workspace).get(f"/citations/{node(workspace, 'citation', 'doc cites 1').uid}")
    assert "page 3 (printed 8)" in " ".join(page.content.decode().split())
    now.body = pdf(["Contents", TIDES.replace("forty-one", "thirty-nine")], labels=ROMAN)
    pass_by(workspace)
    assert watch_of(workspace, "doc").outcome == Outcome.CHANGED
    assert verdicts(workspace) == {"doc#0": "changed", "doc#1": "gone"}


def test_a_pdf_that_cannot_be_read_accuses_no_passage(report: tuple[Workspace, Site]) -> None:
    workspace, now = report
    now.body = b"%PDF-1.7 nothing that follows can be read"
    pass_by(workspace)
    assert watch_of(workspace, "doc").outcome == Outcome.FIRST
    assert verdicts(workspace) == {}
