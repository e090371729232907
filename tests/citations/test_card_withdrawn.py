"""What a citation card keeps back: withdrawn passages, erased works, sources of other groups."""

import pytest

from citations.card import citation_card
from citations.status import Status
from lineage.models import Node
from provexplorer.workspaces.models import Workspace
from tests.citations.test_card import QUOTE, TEXT, cited
from tests.citations.world import corals, load, reader, reef, rivers, shown_card, withdraw
from tests.ingest.sending import record

pytestmark = [pytest.mark.django_db, pytest.mark.one_pair]


@pytest.mark.parametrize(
    ("target", "kind", "code"),
    [
        ("s1", "correction", "corrected"),
        ("s1@1", "retraction", "retracted"),
        ("d1", "supersession", "superseded"),
        ("c1", "concern", "concern"),
        ("s1", "expiry", "expired"),
        ("s1@1", "license_change", "rights_changed"),
        ("parser-2", "defective_component", "defective"),
    ],
)
def test_a_case_upstream_is_the_status_and_a_notice(
    workspace: Workspace, target: str, kind: str, code: str
) -> None:
    nodes = cited(workspace, {"chunk": "c1"}, {"chunk": "r1"})
    case = withdraw(workspace, nodes[target], kind)
    if kind == "defective_component":
        # A defective component reaches what its runs made.
        withdraw(workspace, nodes["parse-1"], kind)
    card = shown_card(workspace, nodes, "q0")
    assert (card.status.code, card.status.case_kind, card.reason) == (code, kind, kind)
    assert case.case.uid in [notice.case_uid for notice in card.notices]
    assert nodes[target].uid in [notice.node_uid for notice in card.notices]
    assert card.passage is not None
    other = shown_card(workspace, nodes, "q1")
    assert (other.status.code, other.notices) == ("not_checked", ())


def test_the_gravest_of_several_cases_is_shown(workspace: Workspace) -> None:
    nodes = cited(workspace, {"chunk": "c1"})
    retraction = withdraw(workspace, nodes["s1"], "retraction")
    withdraw(workspace, nodes["d1"], "correction")
    withdraw(workspace, nodes["c1"], "supersession")
    card = shown_card(workspace, nodes, "q0")
    assert card.status == Status("retracted", retraction.at, retraction.case.uid, "retraction")
    assert sorted(notice.case_kind for notice in card.notices) == [
        "correction",
        "retraction",
        "supersession",
    ]
    assert card.standing == "fallen"


def test_revocation_hides_the_passage_and_the_quote_but_not_the_work(workspace: Workspace) -> None:
    nodes = cited(workspace, {"chunk": "c1", "quote": QUOTE})
    withdraw(workspace, nodes["s1@1"], "revocation")
    card = shown_card(workspace, nodes, "q0")
    assert (card.passage, card.quote, card.passage_hidden) == (None, None, "revocation")
    assert (card.status.code, card.reason) == ("revoked", "revocation")
    assert card.bibliography is not None
    assert card.bibliography.title == "Dispersal of corals"


def test_erasure_of_a_work_leaves_neither_passage_nor_facts(workspace: Workspace) -> None:
    nodes = cited(workspace, {"chunk": "c1", "quote": QUOTE})
    withdraw(workspace, nodes["s1"], "erasure")
    card = shown_card(workspace, nodes, "q0")
    assert (card.passage, card.quote, card.passage_hidden) == (None, None, "erasure")
    assert (card.status.code, card.bibliography) == ("erased", None)


def test_another_group_sees_the_shape_only(workspace: Workspace) -> None:
    nodes = load(
        workspace,
        corals(acl=["marine"]),
        rivers(),
        reef(TEXT, [(0, 26)], [{"chunk": "c1", "quote": QUOTE, "attributes": {"note": "secret"}}]),
    )
    withdraw(workspace, nodes["s1"], "correction")
    card = shown_card(workspace, nodes, "q0", "rivers")
    assert card.hidden is True
    assert (card.bibliography, card.passage, card.quote, card.claim_text) == (None,) * 4
    assert (card.candidates, card.runs, card.notices, card.flags, card.attributes) == (
        (), (), (), (), {},
    )  # fmt: skip
    assert (card.passage_hidden, card.status.code) == ("access", "hidden")
    assert card.marker == "[1]"
    everything = repr(card)
    for secret in ("Dispersal", "Author", "Open Press", "competent", "Larvae", "secret"):
        assert secret not in everything
    for groups in (("marine",), ("rivers", "marine")):
        assert shown_card(workspace, nodes, "q0", *groups).quote == QUOTE
    assert citation_card(reader(workspace, sees_all=True), nodes["q0"].uid).quote == QUOTE


def test_a_revoked_neighbour_is_masked_beside_a_passage_that_stands(workspace: Workspace) -> None:
    """c2 ("Survival falls …") follows c1 in the document; revoking it must not leave it as c1's neighbour."""
    nodes = cited(workspace, {"chunk": "c1"})
    before = shown_card(workspace, nodes, "q0").passage
    assert before is not None
    assert "Survival falls below ten per cent by day 60." in before.after
    withdraw(workspace, nodes["c2"], "revocation")
    passage = shown_card(workspace, nodes, "q0").passage
    assert passage is not None
    assert passage.text == before.text
    assert "Survival" not in passage.after
    assert "█" in passage.after
    assert passage.after.endswith("Currents alone do not explain it.")


def test_what_a_passage_shares_with_a_revoked_one_is_masked(workspace: Workspace) -> None:
    nodes = cited(workspace, {"chunk": "c1"})
    load(
        workspace,
        [
            record("chunk", "tail", document="d1", interval={"start": 59, "end": 80}),
        ],
    )
    withdraw(workspace, Node.objects.get(workspace=workspace, key="tail"), "revocation")
    passage = shown_card(workspace, nodes, "q0").passage
    assert passage is not None
    assert passage.text.startswith("Larvae remain competent to settle"[: 59 - 26])
    assert "105 days" not in passage.text
