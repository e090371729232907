"""Versions compared and passages followed, as each viewer may see them."""

from typing import Any

import pytest

from citations.answer_difference import answer_difference
from citations.differences import Verdict
from citations.since import Since, since
from citations.source_difference import SourceDifference, source_difference
from citations.versions import newest_that_stays
from lineage.models import Node
from lineage.types import Erased, NotFound
from provexplorer.workspaces.models import Workspace
from tests.citations.world import CORALS, corals, load, reader, reef, rivers, shown_card, withdraw
from tests.ingest.sending import record

pytestmark = [pytest.mark.django_db, pytest.mark.one_pair]

QUOTED = "Larvae remain competent to settle for up to 105 days."
ANSWER = "Larvae drift [1]."


def later(text: str, number: int = 2, **version: Any) -> list[dict[str, Any]]:
    """A later version of the corals, published in the year 2000 + its number."""
    return [
        record(
            "source_version", f"s1@{number}",
            source="s1", version=str(number), published_at=f"{2010 + number}-01-01", **version,
        ),
        record("document", f"d1@{number}", source_version=f"s1@{number}", text=text),
    ]  # fmt: skip


def world(workspace: Workspace, *more: list[dict[str, Any]]) -> dict[str, Node]:
    cited = reef(ANSWER, [(0, 12)], [{"chunk": "c1", "quote": "up to 105 days"}])
    return load(workspace, corals(), rivers(), cited, *more)


def compared(
    workspace: Workspace, nodes: dict[str, Node], *, old: str = "", new: str = "", passage: str = ""
) -> SourceDifference:
    """By the keys of the nodes."""
    old, new, passage = (nodes[key].uid if key else "" for key in (old, new, passage))
    uid = nodes["s1"].uid
    return source_difference(reader(workspace), uid, old=old, new=new, passage=passage)


def shown(found: SourceDifference) -> tuple[str | None, str | None]:
    old, new = (each.name if each is not None else None for each in (found.old, found.new))
    return old, new


def changed_words(found: SourceDifference) -> list[str]:
    assert found.found is not None
    return [each.text.strip() for each in found.found.stretches if each.kind != "same"]


def followed(workspace: Workspace, nodes: dict[str, Node], *groups: str) -> Since | None:
    return since(reader(workspace, *groups), shown_card(workspace, nodes, "q0", *groups))


def text(pieces: tuple[Any, ...]) -> str:
    return "".join(piece.text for piece in pieces)


def test_what_cannot_be_compared_is_not_found(workspace: Workspace) -> None:
    nodes = world(workspace, later("Other words."))
    other = Workspace.objects.create(slug="other", name="other")
    with pytest.raises(NotFound):
        source_difference(reader(other), nodes["s1"].uid)
    with pytest.raises(NotFound):
        source_difference(reader(workspace), nodes["d1"].uid)
    for wrong in ("s2@1", "d1", "s1"):
        with pytest.raises(NotFound):
            compared(workspace, nodes, old=wrong)


def test_a_work_with_one_version_has_nothing_to_compare(workspace: Workspace) -> None:
    found = compared(workspace, world(workspace))
    assert (shown(found), found.verdict, found.page) == ((None, "1"), None, None)


def test_the_last_two_versions_are_compared_unless_others_are_chosen(workspace: Workspace) -> None:
    nodes = world(
        workspace,
        later(CORALS.replace("105", "120")),
        later(CORALS.replace("105", "130"), 3),
        [record("source_version", "s1@4", source="s1", version="4", published_at="2020-01-01")],
    )
    found = compared(workspace, nodes)
    assert shown(found) == ("2", "3")
    assert [each.name for each in found.versions] == ["3", "2", "1"]
    assert changed_words(found) == ["120", "130"]
    found = compared(workspace, nodes, old="s1@1")
    assert (shown(found), changed_words(found)) == (("1", "3"), ["105", "130"])
    found = compared(workspace, nodes, old="s1@3", new="s1@1")
    assert (shown(found), changed_words(found)) == (("3", "1"), ["130", "105"])
    found = compared(workspace, nodes, old="s1@2", new="s1@2")
    assert (found.verdict, changed_words(found)) == (Verdict.UNCHANGED, [])


def test_around_a_passage_only_what_changed_there_is_told(workspace: Workspace) -> None:
    far = " ".join(f"Sentence {n} says nothing of it." for n in range(100))
    nodes = world(
        workspace, later(f"{CORALS} {far} It ends."), later(f"{CORALS[:70]} {far} So it ends.", 3)
    )
    nodes |= load(workspace, [
        record("chunk", "tail", document="d1@2", interval={"start": len(CORALS) + len(far), "end": len(CORALS) + len(far) + 2}),
    ])  # fmt: skip
    whole = compared(workspace, nodes)
    near = compared(workspace, nodes, passage="tail")
    assert (near.around, near.total) == (nodes["tail"].uid, whole.total)
    assert changed_words(near) == ["It", "So it"]
    elsewhere = compared(workspace, nodes, passage="r1")
    assert (elsewhere.around, elsewhere.page) == (None, whole.page)


def test_versions_of_other_groups_are_neither_compared_nor_counted(workspace: Workspace) -> None:
    nodes = world(workspace, later("Secret words.", acl=["marine"]))
    found = compared(workspace, nodes)
    assert (shown(found), len(found.versions)) == ((None, "1"), 1)
    with pytest.raises(NotFound):
        compared(workspace, nodes, new="s1@2")
    assert "Secret" not in repr(found)
    kept = followed(workspace, nodes)
    assert kept is not None
    assert kept.newest is None
    gone = followed(workspace, nodes, "marine")
    assert gone is not None
    assert (gone.verdict, gone.newest and gone.newest.name) == (Verdict.GONE, "2")


@pytest.mark.parametrize("kind", ["revocation", "erasure"])
@pytest.mark.parametrize("target", ["s1@2", "d1@2"])
def test_a_text_that_a_case_hides_is_not_compared(
    workspace: Workspace, kind: str, target: str
) -> None:
    nodes = world(workspace, later("Hidden words."))
    withdraw(workspace, nodes[target], kind)
    assert shown(compared(workspace, nodes)) == (None, "1")
    with pytest.raises(NotFound):
        compared(workspace, nodes, new="s1@2")
    found = followed(workspace, nodes)
    assert found is not None
    assert found.newest is None


def test_a_hidden_part_is_masked_in_the_difference(workspace: Workspace) -> None:
    nodes = world(workspace, later("Corals spawn. Hidden words here."))
    nodes |= load(
        workspace, [record("chunk", "part", document="d1@2", interval={"start": 14, "end": 26})]
    )
    withdraw(workspace, nodes["part"], "revocation")
    found = compared(workspace, nodes)
    assert "Hidden" not in repr(found)
    assert "\u2588" in repr(found)


def test_an_erased_work_leaves_its_tombstone(workspace: Workspace) -> None:
    nodes = world(workspace, later("Other words."))
    withdraw(workspace, nodes["s1"], "erasure")
    with pytest.raises(Erased):
        compared(workspace, nodes)
    assert newest_that_stays(reader(workspace), nodes["s1@1"].uid) is None


def test_instead_of_an_erased_version_the_newest_readable_one(workspace: Workspace) -> None:
    nodes = world(workspace, later("Two."), later("Three.", 3, acl=["marine"]))
    withdraw(workspace, nodes["s1@1"], "erasure")
    for uid in (nodes["s1@1"].uid, nodes["d1"].uid, nodes["c1"].uid):
        found = newest_that_stays(reader(workspace, "x"), uid)
        assert found is not None
        assert (found.name, found.source_uid) == ("2", nodes["s1"].uid)
    for unknown in ("srv_" + "a" * 26, "no uid", nodes["a"].uid):
        assert newest_that_stays(reader(workspace), unknown) is None


@pytest.mark.parametrize(
    ("now", "verdict", "quoted", "shown"),
    [
        (CORALS, Verdict.UNCHANGED, None, QUOTED),
        (f"Moved. Others. {QUOTED} The end.", Verdict.UNCHANGED, None, QUOTED),
        (CORALS.replace("settle for", "settle\nfor"), Verdict.COSMETIC, None,
         QUOTED.replace("settle for", "settle\nfor")),
        (CORALS.replace("105", "120"), Verdict.CHANGED, Verdict.CHANGED,
         QUOTED.replace("105", "120")),
        (CORALS.replace("Larvae remain competent", "The larvae stay able"), Verdict.CHANGED,
         Verdict.UNCHANGED, QUOTED.replace("Larvae remain competent", "The larvae stay able")),
        (CORALS.replace(QUOTED, ""), Verdict.GONE, None, ""),
        ("Nothing of that is here.", Verdict.GONE, None, ""),
    ],
)  # fmt: skip
def test_what_has_become_of_a_cited_passage(
    workspace: Workspace, now: str, verdict: Verdict, quoted: Verdict | None, shown: str
) -> None:
    found = followed(workspace, world(workspace, later(now)))
    assert found is not None
    assert (found.verdict, found.quoted) == (verdict, quoted)
    assert (text(found.retrieved), text(found.now)) == (QUOTED, shown)
    assert found.newest is not None
    assert (found.cited.name, found.newest.name) == ("1", "2")


def test_of_equal_places_the_one_is_taken_that_continues_the_text(workspace: Workspace) -> None:
    now = f"{QUOTED} So it was said. {CORALS.replace('105', '120')} Again: {QUOTED}"
    found = followed(workspace, world(workspace, later(now)))
    assert found is not None
    assert (found.verdict, text(found.now)) == (Verdict.CHANGED, QUOTED.replace("105", "120"))


def test_where_places_cannot_be_told_apart_nothing_is_guessed(workspace: Workspace) -> None:
    # The place of this chunk in its document is not known.
    said = "Nobody has found these words in the document."
    nodes = load(
        workspace,
        corals(),
        rivers(),
        [record("chunk", "own", document="d1", text=said)],
        reef(ANSWER, [(0, 12)], [{"chunk": "own"}]),
        later(f"{said} Else. {said}"),
    )
    found = followed(workspace, nodes)
    assert found is not None
    assert found.newest is not None
    assert (found.verdict, found.page, found.now) == (None, None, ())


def test_the_newest_version_has_nothing_newer(workspace: Workspace) -> None:
    nodes = world(workspace, later("Earlier words.", -20))
    found = followed(workspace, nodes)
    assert found is not None
    assert (found.newest, found.verdict, found.page) == (None, None, None)


def test_answers_are_compared_with_their_own_versions_only(workspace: Workspace) -> None:
    nodes = world(workspace)
    nodes |= load(workspace, [
        record("answer", "b", text="Larvae drift far [1].", revision_of="a", context="ctx"),
        record("answer", "other", text="Else.", context="ctx"),
    ])  # fmt: skip
    viewer = reader(workspace)
    found = answer_difference(viewer, nodes["b"].uid, nodes["a"].uid)
    assert found.found is not None
    assert found.verdict is Verdict.CHANGED
    assert [e.text for e in found.found.stretches if e.kind != "same"] == ["far "]
    assert (found.old.uid, found.new.uid) == (nodes["a"].uid, nodes["b"].uid)
    assert answer_difference(viewer, nodes["a"].uid, nodes["b"].uid).found is not None
    for wrong in ("other", "c1", "b"):
        with pytest.raises(NotFound):
            answer_difference(viewer, nodes["b"].uid, nodes[wrong].uid)


def test_answers_are_compared_as_the_viewer_sees_them(workspace: Workspace) -> None:
    secret = "Larvae remain competent to settle for up to 105 days"
    nodes = load(
        workspace,
        corals(acl=["marine"]),
        rivers(),
        reef(f"{secret} [1].", [(0, len(secret))], [{"chunk": "c1"}]),
        [record("answer", "b", text="They drift.", revision_of="a", context="ctx")],
    )
    found = answer_difference(reader(workspace, "x"), nodes["b"].uid, nodes["a"].uid)
    assert "competent" not in repr(found)
    found = answer_difference(reader(workspace, "marine"), nodes["b"].uid, nodes["a"].uid)
    assert "competent" in repr(found)
