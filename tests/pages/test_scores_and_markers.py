"""Scores that are no numbers, and one document under two markers, as the answer's page shows them."""

import json
import re

import pytest

from lineage.formats.records import parse_request
from lineage.ingest.apply import apply_records
from provexplorer.workspaces.models import Workspace
from tests.pages.world import member, record, send, uid

pytestmark = [pytest.mark.django_db, pytest.mark.one_pair]

TEXT = "Fees fell in March. They rose in May. Then they fell. At last they rose."


def document() -> list[dict[str, object]]:
    starts = (0, 20, 38, 54)
    ends = (*starts[1:], len(TEXT))
    return [
        record("source", "docA", title="Fees of the year"),
        record("source_version", "docA@1", source="docA", version="1"),
        record("document", "docA-d", source_version="docA@1", text=TEXT),
        *(
            record("chunk", key, document="docA-d", interval={"start": start, "end": end})
            for key, start, end in zip("abcd", starts, ends, strict=True)
        ),
    ]


def test_no_score_hides_a_page_and_zero_is_shown_as_zero(workspace: Workspace) -> None:
    """Arize-ai/phoenix#2054: NaN was accepted, then the page would not load."""
    send(workspace, document())
    body = """{"records": [
      {"kind": "retrieval", "key": "r", "candidates": [
        {"chunk": "a", "score": NaN, "rank": 1}, {"chunk": "b", "score": Infinity, "rank": 2},
        {"chunk": "c", "score": null, "rank": 3}, {"chunk": "d", "score": 0.0, "rank": 4}]},
      {"kind": "context", "key": "x", "retrieval": "r", "items": [{"chunk": "a", "position": 1}]},
      {"kind": "answer", "key": "n", "context": "x", "text": "So it is."}]}"""
    apply_records(workspace, parse_request(body.encode(), "application/json", ""))
    client = member(workspace)
    page = client.get(f"/answers/{uid(workspace, 'answer', 'n')}")
    assert page.status_code == 200
    rail = re.sub(r"<[^>]+>", " ", page.content.decode().partition('class="rail"')[2])
    assert "NaN" not in rail
    (scored,) = re.findall(r"rank 4[^0-9]+([0-9.]+)", rail)
    assert float(scored) == 0
    # The two without a number say their rank, and nothing after it that looks like a score.
    assert re.findall(r"rank [23] *· *[0-9.]+", rail) == []
    read = client.get(f"/api/v1/answers/{uid(workspace, 'answer', 'n')}")
    json.loads(read.content, parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))


def test_a_document_under_two_markers_is_listed_once_with_both(workspace: Workspace) -> None:
    """onyx-dot-app/onyx#14334: the footer showed one number, the text the other."""
    send(workspace, [
        *document(),
        record("context", "x", items=[{"chunk": "a", "position": 4}, {"chunk": "b", "position": 8}]),
        record("answer", "n", context="x", text="Fees fell [4]. They rose later [8]."),
        record("claim", "k4", answer="n", interval={"start": 0, "end": 9}),
        record("claim", "k8", answer="n", interval={"start": 15, "end": 30}),
        record("citation", "q4", claim="k4", marker="[4]", chunk="a"),
        record("citation", "q8", claim="k8", marker="[8]", chunk="b"),
    ])  # fmt: skip
    client = member(workspace)
    page = client.get(f"/answers/{uid(workspace, 'answer', 'n')}").content.decode()
    text, _, rail = page.partition('class="rail"')
    cited = rail.partition("</aside>")[0]
    assert cited.count("Fees of the year") == 1
    for marker, citation, passage in (
        ("4", "q4", "Fees fell in March."),
        ("8", "q8", "They rose in May."),
    ):
        address = f"/citations/{uid(workspace, 'citation', citation)}"
        for part in (text, cited):
            (said,) = re.findall(rf'<a class="marker[^>]*href="{address}"[^>]*>([^<]+)</a>', part)
            assert said.strip("[] \n") == marker
        taken = client.get(address).content.decode().partition('class="taken"')[2]
        assert passage in re.sub(r"<[^>]+>", "", taken.partition("</blockquote>")[0])
