"""The flagship through the API: a correction reaches exactly the right answers, and undone, none."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.flows.demo_answers import get, post, read_answers, states
from tests.flows.inside import inside
from tests.servers.product import Product, eventually

ARTICLE_DOI, NOTICE_DOI = "10.1371/journal.pbio.0000010", "10.1371/journal.pbio.0020089"
AFFECTED = {
    "llamaindex_01": ("cited", "stale"),
    "haystack_03": ("in_context", "review"),
    "haystack_04": ("in_context", "review"),
    "haystack_05": ("in_context", "review"),
    "llamaindex_05": ("retrieved", "current"),
}
UNTOUCHED = ["haystack_00", "haystack_01", "haystack_02", "langchain_00", "langchain_01",
             "langchain_02", "langchain_03", "langchain_04", "langchain_05", "llamaindex_00",
             "llamaindex_02", "llamaindex_03", "llamaindex_04", "llamaindex_05"]  # fmt: skip


@pytest.fixture
def filed(demo_stack: Product) -> Iterator[list[str]]:
    """Uids of cases; what a failure leaves in effect is undone, for the sake of other tests."""
    cases: list[str] = []
    yield cases
    for case in cases:
        if get(demo_stack, f"/cases/{case}")["reinstated_by"] is None:
            post(demo_stack, f"/cases/{case}/reinstate")


def source_of(product: Product, doi: str) -> Any:
    (item,) = get(product, "/search", q=doi, kind="source")["items"]
    return get(product, f"/nodes/{item['uid']}")


def listed(product: Product, path: str, names: dict[str, str]) -> dict[str, tuple[str, str]]:
    """Name of the trace → grade and state, as the impact report has them."""
    report = get(product, path)
    assert report["counts"] == {
        "cited": 1, "in_context": 3, "retrieved": 1, "possible": 0, "produced": 0, "served": 0,
    }  # fmt: skip
    assert report["total"] == len(report["items"]) == 5
    return {names[item["uid"]]: (item["grade"], item["state"]) for item in report["items"]}


def is_verified(product: Product, case: str) -> bool:
    read = get(product, f"/cases/{case}")
    assert read["state"] in ("propagating", "verified"), read
    return bool(read["verified"])


def test_a_correction_reaches_exactly_the_right_answers_and_undone_none(
    demo_stack: Product, filed: list[str]
) -> None:
    before = read_answers(demo_stack)
    assert set(before) == {*AFFECTED, *UNTOUCHED}
    assert set(states(before).values()) == {"current"}
    article, notice = (source_of(demo_stack, doi) for doi in (ARTICLE_DOI, NOTICE_DOI))
    assert (article["key"], notice["fields"]["source_kind"]) == ("PMC212691", "notice")
    names = {answer["uid"]: name for name, answer in before.items()}
    impact = f"/nodes/{article['uid']}/impact"
    was = listed(demo_stack, impact, names)
    assert was == {name: (grade, "current") for name, (grade, _) in AFFECTED.items()}

    draft = post(demo_stack, "/cases", {
        "kind": "correction", "targets": [{"uid": article["uid"]}],
        "reason": "The published correction.", "evidence": [{"doi": NOTICE_DOI}],
    })  # fmt: skip
    case = draft["uid"]
    tried = post(demo_stack, f"/cases/{case}/dry-run")
    assert (tried["counts"]["cited"], tried["counts"]["in_context"]) == (1, 3)
    assert tried["counts"]["retrieved"] == 1
    # Neither a draft nor a dry run changes anything.
    assert read_answers(demo_stack) == before
    post(demo_stack, f"/cases/{case}/approve")
    filed.append(case)
    at_once = read_answers(demo_stack)
    assert_corrected(before, at_once, case)
    assert eventually(lambda: is_verified(demo_stack, case), seconds=90)
    during = read_answers(demo_stack)
    assert_corrected(before, during, case)
    assert listed(demo_stack, impact, names) == AFFECTED
    verified = get(demo_stack, f"/cases/{case}")
    assert verified["progress"] == {"done": 5, "total": 5}
    assert verified["certificate"] is not None
    node = get(demo_stack, f"/nodes/{article['uid']}")
    assert (node["state"], node["withdrawn_by"]) == ("withdrawn", [case])
    assert effects_in_the_graph(demo_stack, case, names) == {
        name: (grade, False) for name, (grade, _) in AFFECTED.items()
    }

    undone = post(demo_stack, f"/cases/{case}/reinstate", {"reason": "The test is over."})
    assert get(demo_stack, f"/cases/{case}")["reinstated_by"] == undone["uid"]
    assert read_answers(demo_stack) == before
    assert eventually(lambda: is_verified(demo_stack, undone["uid"]), seconds=90)
    assert read_answers(demo_stack) == before
    assert listed(demo_stack, impact, names) == was
    assert get(demo_stack, f"/nodes/{article['uid']}") == article
    # What was in effect stays known, ended.
    assert effects_in_the_graph(demo_stack, case, names) == {
        name: (grade, True) for name, (grade, _) in AFFECTED.items()
    }


def assert_corrected(before: dict[str, Any], now: dict[str, Any], case: str) -> None:
    """The one that cites is stale and its claims to be checked, three are in review, no other changed."""
    assert {name: now[name]["state"] for name in AFFECTED} == {
        name: state for name, (_, state) in AFFECTED.items()
    }
    # Not the state alone: nothing that is told of any other answer or of its citations.
    assert {name: now[name] for name in UNTOUCHED} == {name: before[name] for name in UNTOUCHED}
    for name, (grade, state) in AFFECTED.items():
        told = [(reason["case"], reason["grade"]) for reason in now[name]["reasons"]]
        assert told == ([(case, grade)] if state != "current" else []), name
    cites = now["llamaindex_01"]
    assert [claim["standing"] for claim in cites["claims"]] == ["check"]
    assert [(card["status"], card["case"]) for card in cites["cards"].values()] == [
        ("corrected", case)
    ]
    # A correction hides nothing.
    assert [card["passage"] for card in cites["cards"].values()] == [
        card["passage"] for card in before["llamaindex_01"]["cards"].values()
    ]
    for name in ("haystack_03", "haystack_04", "haystack_05"):
        assert [claim["standing"] for claim in now[name]["claims"]] == ["stands"]


def effects_in_the_graph(
    product: Product, case: str, names: dict[str, str]
) -> dict[str, tuple[str, bool]]:
    """Name of the trace → grade and whether it has ended, of the case's `AFFECTED_BY` edges of answers."""
    edges = inside(product, f"case_edges({case!r})")
    assert len({edge["from"] for edge in edges}) == len(edges)
    return {names[edge["from"]]: (edge["grade"], edge["ended"]) for edge in edges}
