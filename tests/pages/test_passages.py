"""Passages as pages: what nobody cited can be read too, unless groups or a case forbid it."""

import pytest
from django.test import Client
from django.utils.html import escape

from citations.reader import PAGE_LENGTH
from lineage.formats.writing import record
from lineage.models import Case, Node, Withdrawal
from lineage.types import JsonValue
from provexplorer import clock
from provexplorer.workspaces.models import Workspace
from tests.pages.world import PASSAGE, TEXT, TITLE, member, send, uid, world

pytestmark = [pytest.mark.django_db, pytest.mark.one_pair]

PLACES = (("chunk", "c"), ("document", "d"), ("context", "x1"))


def path(workspace: Workspace, kind: str, key: str) -> str:
    return f"/passages/{uid(workspace, kind, key)}"


def read(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200, address
    return response.content.decode()


def test_what_is_no_passage_has_no_such_page(workspace: Workspace) -> None:
    send(workspace, world())
    assert member(workspace).get(path(workspace, "answer", "cites")).status_code == 404


def test_a_foreign_passage_is_not_found(workspace: Workspace) -> None:
    other = Workspace.objects.create(slug=f"{workspace.slug}-other", name="Other")
    send(other, world())
    for kind, key in PLACES:
        assert member(workspace).get(path(other, kind, key)).status_code == 404


@pytest.mark.parametrize(("kind", "key"), PLACES)
def test_hidden_passages_say_so_and_no_word_more(workspace: Workspace, kind: str, key: str) -> None:
    send(workspace, world(acl=["board"]))
    page = read(member(workspace), path(workspace, kind, key))
    assert escape(PASSAGE[:20]) not in page
    assert escape(TITLE) not in page
    assert "Your access groups do not reach the source of this passage." in page


@pytest.mark.parametrize(("kind", "key"), PLACES)
def test_a_revocation_takes_the_words_away(workspace: Workspace, kind: str, key: str) -> None:
    send(workspace, world())
    case = Case.objects.create(
        workspace=workspace, uid="cas_" + "b" * 26, kind="revocation", created_at=clock.now()
    )
    version = Node.objects.get(workspace=workspace, key="s@1")
    Withdrawal.objects.create(workspace=workspace, case=case, node=version, at=clock.now())
    page = read(member(workspace), path(workspace, kind, key))
    assert escape(PASSAGE[:20]) not in page
    assert "the permission to show it was revoked" in page


def test_a_chunk_stands_between_its_neighbours(workspace: Workspace) -> None:
    send(workspace, world())
    page = read(member(workspace), path(workspace, "chunk", "c"))
    before, after = (escape(part) for part in TEXT.split(PASSAGE))
    assert f"{escape(PASSAGE)}</span>" in page
    assert f"{before.lstrip()}</span>" in page or before == ""
    assert f"{after}</span>" in page or after == ""


def test_a_context_shows_its_passages_in_order(workspace: Workspace) -> None:
    first, second = (
        record("chunk", "c1", document="d", text="Alpha."),
        record("chunk", "c2", document="d", text="Beta."),
    )
    items = [{"chunk": "c2", "position": 2}, {"chunk": "c1", "position": 1}]
    send(workspace, [*world(), first, second, record("context", "x3", items=items)])
    page = read(member(workspace), path(workspace, "context", "x3"))
    assert 0 < page.index("Alpha.") < page.index("Beta.")
    assert page.count(escape(TITLE)) == 2


def test_a_context_that_nobody_sent_is_told(workspace: Workspace) -> None:
    send(workspace, [record("answer", "a", context="gone", question="Q?", text="A.")])
    page = read(member(workspace), path(workspace, "context", "gone"))
    assert "Nobody has sent what the model was given." in page


def test_a_document_is_read_a_page_at_a_time(workspace: Workspace) -> None:
    text = "x" * PAGE_LENGTH + "The end."
    send(
        workspace,
        [
            record("source", "s", title="T"), record("source_version", "s@1", source="s"),
            record("document", "d", source_version="s@1", text=text),
        ],
    )  # fmt: skip
    client, address = member(workspace), path(workspace, "document", "d")
    first, second = read(client, address), read(client, f"{address}?start={PAGE_LENGTH}")
    assert "The end." not in first
    assert f'href="?start={PAGE_LENGTH}">Read on</a>' in first
    assert "The end.</span>" in second
    assert "Read on" not in second
    assert 'href="?start=0">Earlier</a>' in second
    assert "The end." not in read(client, f"{address}?start=x")
    assert read(client, f"{address}?start=999999999").count("Read on") == 0


def test_the_answer_leads_to_what_the_model_was_given(workspace: Workspace) -> None:
    send(workspace, world())
    client = member(workspace)
    page = read(client, f"/answers/{uid(workspace, 'answer', 'cites')}")
    assert path(workspace, "context", "x1") in page
    dropped = read(client, f"/answers/{uid(workspace, 'answer', 'drops')}")
    assert f'href="{path(workspace, "chunk", "c")}">rank 7</a>' in dropped
    impact = read(client, f"/lineage/{uid(workspace, 'chunk', 'c')}/impact")
    assert f'href="{path(workspace, "chunk", "c")}"' in impact


def test_a_revoked_passage_is_masked_in_its_document_and_beside_its_neighbours(
    workspace: Workspace,
) -> None:
    after = TEXT.index(PASSAGE) + len(PASSAGE)
    neighbour = record("chunk", "c2", document="d", interval={"start": after, "end": len(TEXT)})
    send(workspace, [*world(), neighbour])
    case = Case.objects.create(
        workspace=workspace, uid="cas_" + "b" * 26, kind="revocation", created_at=clock.now()
    )
    chunk = Node.objects.get(workspace=workspace, kind="chunk", key="c")
    Withdrawal.objects.create(workspace=workspace, case=case, node=chunk, at=clock.now())
    client = member(workspace)
    for kind, key in (("document", "d"), ("chunk", "c2")):
        page = read(client, path(workspace, kind, key))
        assert escape(PASSAGE[:20]) not in page, kind
        assert "█" in page, kind
        assert escape(TEXT[after:].strip()) in page, kind


@pytest.mark.parametrize(
    ("before", "after", "goes_on"),
    [
        ("w" * 299, "w" * 299, False),  # with the space beside the passage exactly 300
        ("words " * 60, "ab " + "words " * 60, True),  # half a word is left out: fewer than 300
    ],
)
def test_a_card_says_that_the_document_goes_on_beyond_its_neighbours(
    workspace: Workspace, before: str, after: str, goes_on: bool
) -> None:
    text = f"{before} Rose. {after}"
    start = len(before) + 1
    at = {"start": start, "end": start + 5}
    send(workspace, [
        *world(),
        record("document", "e", source_version="s@1", text=text),
        record("chunk", "e1", document="e", interval=at),
        record("context", "x9", items=[{"chunk": "e1", "position": 1}]),
        record("answer", "a9", context="x9", question="?", text="Rose."),
        record("claim", "k9", answer="a9", text="Rose."),
        record("citation", "q9", claim="k9", marker="[1]", chunk="e1", quote="Rose."),
    ])  # fmt: skip
    page = read(member(workspace), f"/citations/{uid(workspace, 'citation', 'q9')}")
    assert ("Before: </span>…" in page, "…</span></blockquote>" in page) == (goes_on, goes_on)


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"support": {"start": 8, "end": 11}}, "as stated; nothing to compare it with"),
        ({"support": {"start": 8, "end": 11}, "quote": "One"}, "found exactly"),
        ({"support": {"start": 12, "end": 13}}, "could not be located"),
    ],
)
def test_a_card_says_whether_words_were_compared(
    workspace: Workspace, said: dict[str, JsonValue], words: str
) -> None:
    text = "Before. One \U0001f469\u200d\U0001f52c two."
    send(workspace, [
        *world(),
        record("document", "e", source_version="s@1", text=text),
        record("chunk", "e1", document="e", interval={"start": 8, "end": len(text)}),
        record("context", "x9", items=[{"chunk": "e1", "position": 1}]),
        record("answer", "a9", context="x9", question="?", text="Nothing is like it."),
        record("claim", "k9", answer="a9", text="Nothing is like it."),
        record("citation", "q9", claim="k9", marker="[1]", chunk="e1", **said),
    ])  # fmt: skip
    page = read(member(workspace), f"/citations/{uid(workspace, 'citation', 'q9')}")
    support = page.partition("<dt>Support</dt>")[2].partition("</dd>")[0]
    assert words in support
    assert ("<mark>" in page) == ("could not" not in words)
