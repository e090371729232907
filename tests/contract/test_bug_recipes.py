"""Faults of others that take several steps, on the running product: a takedown, and one file again and again."""

import json
from typing import Any

from tests.contract.client import ContractClient
from tests.contract.faulty_records import chunk, codes, work
from tests.contract.library import item
from tests.servers.product import eventually


def test_a_source_that_was_taken_down_and_is_retrieved_again(client: ContractClient) -> None:
    """infiniflow/ragflow#6462, #7130: a deleted document was still found."""
    text = "One is one. Two is two. Three is three."
    places = {"c1": (0, 11), "c2": (12, 23), "c3": (24, 39)}
    client.send([record for record, _ in work("s", text)])
    client.send(
        [
            *(chunk("s", key, None, start=start, end=end) for key, (start, end) in places.items()),
            *(item("embedding", f"e-{key}", chunk=key, model="m") for key in places),
            item("index_snapshot", "i1", collection="i", embeddings=[f"e-{key}" for key in places]),
        ]
    )

    def ask(name: str) -> dict[tuple[str, str], dict[str, Any]]:
        found = [{"chunk": "c2", "embedding": "e-c2", "rank": 1, "kept": True}]
        return client.send(
            [
                item("retrieval", name, index_snapshot="i1", candidates=found),
                item("context", name, retrieval=name, items=[{"chunk": "c2", "position": 1}]),
                item("answer", name, context=name, text="So it is. [1]"),
                item("claim", name, answer=name, text="So it is."),
                item("citation", name, claim=name, marker="[1]", position=1),
            ]
        )

    ask("before")
    digests = client.get("/resolve", kind="chunk", key="c2", namespace=client.namespace)
    case = client.take_effect(
        "revocation", {"kind": "source", "key": "s", "namespace": client.namespace}
    )
    after = ask("after")
    assert {outcome["status"] for outcome in after.values()} == {"stored"}
    assert "withdrawn_upstream" in [code for code, _ in codes(after["answer", "after"])]
    assert eventually(lambda: client.get(case)["verified"], seconds=60), client.get(case)
    assert client.states("before", "after") == {"before": "stale", "after": "stale"}
    # The index that the retriever asked still holds all three, and is to be built anew.
    rebuild = [{"uid": client.uid("index_snapshot", "i1"), "label": "i", "members": 3}]
    assert client.get(case)["rebuild"] == rebuild
    # Every chunk and embedding is withdrawn, by this case; keys, ids and digests stay.
    uid = case.removeprefix("/cases/")
    for kind, key in [
        *(("chunk", key) for key in places),
        ("embedding", "e-c2"),
        ("document", "s"),
    ]:
        node = client.get(f"/nodes/{client.uid(kind, key)}")
        assert (node["state"], node["withdrawn_by"]) == ("withdrawn", [uid]), key
    assert client.get("/resolve", kind="chunk", key="c2", namespace=client.namespace) == digests
    # The text is read nowhere.
    chunk_uid, document_uid = client.uid("chunk", "c2"), client.uid("document", "s")
    citation_uid = client.uid("citation", "after")
    for path in (
        f"/nodes/{chunk_uid}", f"/nodes/{document_uid}", f"/nodes/{citation_uid}",
        f"/nodes/{chunk_uid}/upstream", f"/nodes/{document_uid}/downstream",
        f"/nodes/{citation_uid}/upstream", f"/citations/{citation_uid}",
        f"/citations/{client.uid('citation', 'before')}", f"/nodes/{document_uid}/impact",
    ):  # fmt: skip
        assert "Two is two" not in json.dumps(client.get(path)), path
    assert client.get(f"/citations/{citation_uid}")["passage"] is None


def test_one_file_ingested_again_and_again(client: ContractClient) -> None:
    """FalkorDB/GraphRAG-SDK#309: 17, 34, 51 chunks after three uploads of one file."""
    before, after = "Alpha. Beta. Gamma.", "Alpha. Beta! Gamma."

    def ingest(text: str, size: int, version: str) -> list[str]:
        place = f"file@{version}"
        revised = {} if version == "1" else {"revision_of": "file@1"}
        outcomes = client.send(
            [
                item("source", "file", title="F", creators=[{"name": "A"}]),
                item("source_version", place, source="file", version=version, **revised),
                item("document", place, source_version=place, text=text),
                *(
                    chunk(place, f"{place}:{size}:{start}", None,
                          start=start, end=min(start + size, len(text)))
                    for start in range(0, len(text), size)
                ),
            ]
        )  # fmt: skip
        return [outcome["uid"] for outcome in outcomes.values()]

    def standing() -> set[str]:
        """What stands on the source, in the graph."""
        source = client.uid("source", "file")
        found = client.get(f"/nodes/{source}/downstream", depth=20)
        assert not found["truncated"]
        return {node["uid"] for node in found["nodes"]}

    first = ingest(before, 7, "1")
    assert standing() == set(first)
    assert ingest(before, 7, "1") == ingest(before, 7, "1") == first
    assert standing() == set(first)
    # Cut anew: other chunks of the same version and document.
    finer = ingest(before, 5, "1")
    assert finer[:3] == first[:3]
    assert not set(finer[3:]) & set(first)
    assert standing() == {*first, *finer}
    # One character changed: another version, which names the one before.
    changed = ingest(after, 7, "2")
    assert changed[0] == first[0]
    assert not set(changed[1:]) & {*first, *finer}
    assert standing() == {*first, *finer, *changed}
    version = client.get(f"/nodes/{changed[1]}")
    assert version["fields"]["revision_of"]["uid"] == first[1]
