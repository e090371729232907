"""GET /components/UID and /compare: shapes, faults, pages that join up."""

import pytest

from tests.api.caller import Caller, assert_problem
from tests.api.world import record

pytestmark = [pytest.mark.django_db, pytest.mark.one_pair]


def parsers(api: Caller) -> dict[str, str]:
    """Two versions of a parser that read one source each its own way; uids by key."""
    sent = [record("source", "s", title="S"), record("source_version", "s@1", source="s")]
    for side, text in (("old", "Result -5."), ("new", "Result 5.")):
        sent += [
            record("component", side, component_kind="parser", name="p", version=side),
            record("run", f"run-{side}", run_kind="parse", component=side, status="COMPLETE"),
            record("document", f"d-{side}", source_version="s@1", text=text, run=f"run-{side}"),
            record(
                "chunk", f"c-{side}", document=f"d-{side}", interval={"start": 0, "end": len(text)}
            ),
        ]
    return {each["key"]: each["uid"] for each in api.records(*sent)}


def test_a_component_has_its_versions_runs_and_numbers(api: Caller) -> None:
    uids = parsers(api)
    found = api.get(f"/components/{uids['old']}").body
    assert (found["component"]["key"], found["component"]["fields"]["name"]) == ("old", "p")
    assert found["answers"] == dict.fromkeys(found["answers"], 0)
    assert {each["uid"] for each in found["versions"]["items"]} == {uids["old"], uids["new"]}
    assert found["versions"]["total"] == 2
    (run,) = found["runs"]["items"]
    assert (run["uid"], run["status"], run["outcome"]) == (uids["run-old"], "COMPLETE", "completed")
    assert run["generated"] == {"number": 1, "at_least": False}
    assert found["work"]["outputs"] == {"document": 1}
    assert_problem(api.get(f"/components/{uids['run-old']}"), "not-found", 404)
    assert_problem(api.get(f"/components/{uids['old']}?cursor=x"), "bad-cursor", 400)


def test_a_comparison_counts_and_lists(api: Caller) -> None:
    uids = parsers(api)
    pair = f"/compare?old={uids['old']}&new={uids['new']}"
    found = api.get(pair).body
    assert found["pairs"] is None
    numbers = {each["stage"]: each["counts"] for each in found["stages"]}
    assert numbers["documents"] == {"gained": 0, "lost": 0, "changed": 1, "unchanged": 0}
    assert numbers["chunks"] == {"gained": 0, "lost": 0, "changed": 1, "unchanged": 0}
    assert [each["at_least"] for each in found["stages"]] == [False] * 5
    listed = api.get(f"{pair}&stage=chunks&change=changed").body["pairs"]
    (one,) = listed["items"]
    assert (one["old"]["fields"]["text"], one["new"]["fields"]["text"]) == (
        "Result -5.",
        "Result 5.",
    )
    assert (one["change"], one["source"], listed["total"], listed["next"]) == (
        "changed",
        uids["s"],
        1,
        None,
    )


def test_what_cannot_be_compared_is_a_problem(api: Caller) -> None:
    uids = parsers(api)
    old, new, absent = uids["old"], uids["new"], "cmp_" + "a" * 26
    assert_problem(api.get(f"/compare?old={old}&new={old}"), "invalid-request", 422)
    assert_problem(api.get(f"/compare?old={old}"), "invalid-request", 422)
    assert_problem(api.get(f"/compare?old={old}&new={new}&stage=cheese"), "invalid-request", 422)
    assert_problem(
        api.get(f"/compare?old={old}&new={new}&stage=chunks&cursor=x"), "bad-cursor", 400
    )
    for one, other in ((old, absent), (absent, old), (uids["s"], uids["s"]), ("", old)):
        reply = api.get(f"/compare?old={one or 'x'}&new={other}")
        assert_problem(reply, "not-found", 404)
