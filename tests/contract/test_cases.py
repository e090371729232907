"""The contract on a running product: cases take effect, are proved, and are undone."""

from tests.contract.client import ContractClient
from tests.contract.library import ANSWERS, answer, library
from tests.servers.product import Product, eventually

TIDES = {"kind": "source", "key": "tides"}
CURRENT = dict.fromkeys(ANSWERS, "current")


def target(client: ContractClient, kind: str, key: str) -> dict[str, str]:
    return {"kind": kind, "key": key, "namespace": client.namespace}


def verified(client: ContractClient, path: str) -> bool:
    return bool(client.get(path)["verified"])


def test_a_correction_makes_exactly_the_right_answers_stale(client: ContractClient) -> None:
    client.send(library())
    path = client.take_effect("correction", target(client, "source", "tides"))
    affected = {"quotes": "stale", "knows": "review", "dropped": "current", "moss": "current"}
    # At once, whatever propagation has got to.
    assert client.states(*ANSWERS) == affected
    assert eventually(lambda: verified(client, path), seconds=60), client.get(path)
    assert client.states(*ANSWERS) == affected
    case = client.get(path)
    assert case["progress"]["done"] == case["progress"]["total"]
    assert case["certificate"] is not None
    page = client.get(f"/answers/{client.uid('answer', 'quotes')}")
    assert [claim["standing"] for claim in page["claims"]] == ["check"]
    assert [reason["grade"] for reason in page["reasons"]] == ["cited"]

    client.send(answer("late", like="quotes"))
    assert client.states("late") == {"late": "stale"}

    undone = client.post(f"{path}/reinstate", {"reason": "filed in error"})
    assert client.get(path)["reinstated_by"] == undone["uid"]
    assert client.states(*ANSWERS, "late") == CURRENT | {"late": "current"}
    assert eventually(lambda: verified(client, f"/cases/{undone['uid']}"), seconds=60)
    assert client.states(*ANSWERS, "late") == CURRENT | {"late": "current"}


def test_of_two_cases_each_holds_until_it_is_undone(client: ContractClient) -> None:
    client.send(library())
    retraction = client.take_effect("retraction", target(client, "source", "tides"))
    revocation = client.take_effect("revocation", target(client, "document", "tides.txt"))
    for path in (retraction, revocation):
        assert eventually(lambda path=path: verified(client, path), seconds=60), client.get(path)
    card = client.get(f"/citations/{client.uid('citation', 'quotes-q')}")
    assert (card["status"], card["passage"]) == ("revoked", None)

    first = client.post(f"{retraction}/reinstate", {"reason": "filed in error"})
    assert eventually(lambda: verified(client, f"/cases/{first['uid']}"), seconds=60)
    assert client.states("quotes", "moss") == {"quotes": "stale", "moss": "current"}

    client.post(f"{revocation}/reinstate", {"reason": "filed in error"})
    assert client.states(*ANSWERS) == CURRENT
    card = client.get(f"/citations/{client.uid('citation', 'quotes-q')}")
    assert card["passage"]["text"] == "Tides follow the moon."


def test_the_correction_of_an_article_of_the_demo(demo_stack: Product) -> None:
    """One answer cites it, three had it before them, one retrieved it: and no other changes."""
    client = ContractClient(demo_stack, demo_stack.api_key)
    found = client.get("/search", q="10.1371/journal.pbio.0000010", kind="source")
    (article,) = found["items"]
    impact = f"/nodes/{article['uid']}/impact"
    counts = client.get(impact)["counts"]
    assert (counts["cited"], counts["in_context"], counts["retrieved"]) == (1, 3, 1)

    def listed() -> list[tuple[str, str]]:
        return sorted((i["grade"], i["state"]) for i in client.get(impact)["items"])

    before = listed()
    path = client.take_effect("correction", {"uid": article["uid"]})
    assert eventually(lambda: verified(client, path), seconds=60), client.get(path)
    during = listed()
    undone = client.post(f"{path}/reinstate", {"reason": "end of the test"})
    assert during == [
        ("cited", "stale"), ("in_context", "review"), ("in_context", "review"),
        ("in_context", "review"), ("retrieved", "current"),
    ]  # fmt: skip
    assert listed() == before
    assert {state for _, state in before} == {"current"}
    assert eventually(lambda: verified(client, f"/cases/{undone['uid']}"), seconds=60)
