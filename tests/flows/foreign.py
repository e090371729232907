"""A workspace that holds something of every kind, those who are not in it, and what they are told."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.test import Client

from lineage.identifiers import keyed_hash
from lineage.models import InboxPayload, Node, Notice, NoticeFeed, NoticeImport, SavedView
from lineage.notices import receiving
from lineage.vocabulary import KINDS
from provexplorer import clock
from provexplorer.workspaces.models import Membership, Role, User, Workspace
from tests.api.caller import Caller, caller

ABSENT: Final = "a" * 26
AT: Final = "2026-03-01T10:00:00Z"
TEXT: Final = "Alpha is one. Beta is two. Gamma is three."
EVERY_KIND: Final = tuple(kind.prefix for kind in KINDS.values())


@dataclass(frozen=True, slots=True)
class Told:
    """All that an answer tells, without the uid that was asked for and what is new in every answer."""

    status: int
    headers: tuple[tuple[str, str], ...]
    cookies: tuple[str, ...]
    body: str


def told(response: Any, uid: str) -> Told:
    body = response.content.decode().replace(uid, "UID")
    return Told(
        response.status_code,
        tuple(sorted((name, value.replace(uid, "UID")) for name, value in response.items())),
        tuple(sorted(response.cookies)),
        # What every form is given anew.
        re.sub(r'name="(csrfmiddlewaretoken|once)" value="\w+"', "", body),
    )


def record(kind: str, key: str, **fields: Any) -> dict[str, Any]:
    return {"kind": kind, "key": key, "occurred_at": AT, **fields}


def everything() -> list[dict[str, Any]]:
    """One node of every kind at least; the claim `waiting` makes a placeholder of an answer."""
    return [
        record("agent", "ada", name="Ada"),
        record("component", "model", component_kind="model", name="model", version="1"),
        record("run", "run", run_kind="generate", component="model"),
        record("source", "s", title="Handbook", creators=[{"agent": "ada"}]),
        record("source_version", "v", source="s", license="CC0-1.0"),
        record("acquisition", "got", source_version="v", http_status=200),
        record("document", "d", source_version="v", text=TEXT),
        record("part", "p", document="d", part_kind="page", interval={"start": 0, "end": 42}),
        record("chunk", "c", document="d", interval={"start": 0, "end": 13}),
        record("fact", "f", subject_of="c", subject="alpha", predicate="is", object=1),
        record("embedding", "e", chunk="c", model="m", vector_digest=f"sha256:{'0' * 64}"),
        record("index_snapshot", "i", collection="i", embeddings=["e"], chunks=["c"]),
        record(
            "retrieval", "r", index_snapshot="i", query="?",
            candidates=[{"chunk": "c", "embedding": "e", "rank": 1, "kept": True}],
        ),
        record("context", "x", retrieval="r", items=[{"chunk": "c", "position": 1}]),
        record("answer", "a", context="x", text="Alpha is one. [1]", run="run"),
        record("claim", "k", answer="a", interval={"start": 0, "end": 13}),
        record("citation", "q", claim="k", marker="[1]", chunk="c"),
        record("claim", "waiting", answer="later", text="Later."),
    ]  # fmt: skip


@dataclass(slots=True)
class Others:
    """A workspace of others: its owner, and the uids that it holds by prefix."""

    owner: Caller
    uids: dict[str, list[str]]
    draft: str

    def of(self, prefixes: Sequence[str]) -> Iterator[str]:
        for prefix in prefixes:
            yield from self.uids[prefix]


def new_workspace(slug: str) -> Workspace:
    return Workspace.objects.create(slug=slug, name=slug)


def others_in(workspace: Workspace) -> Others:
    """Every kind, a placeholder, a uid that has moved, a case in draft and one in effect."""
    owner = caller(workspace)
    first = owner.records(record("claim", "early", answer="moved", text="Early."))
    assert first[0]["status"] == "stored"
    (moved,) = owner.get("/resolve?kind=answer&key=moved").body["items"]
    outcomes = owner.records(*everything(), record("answer", "moved", text="Early."))
    assert {outcome["status"] for outcome in outcomes} == {"stored"}
    uids: dict[str, list[str]] = {}
    for uid in (
        Node.objects.filter(workspace=workspace).order_by("uid").values_list("uid", flat=True)
    ):
        uids.setdefault(uid[:3], []).append(uid)
    uids["ans"].append(moved["uid"])
    cases = []
    for kind in ("concern", "correction"):
        body = {"kind": kind, "targets": [{"kind": "source", "key": "s"}], "reason": "r"}
        cases.append(owner.post("/cases", body).body["uid"])
    for step in ("dry-run", "approve"):
        assert owner.post(f"/cases/{cases[1]}/{step}").status == 200
    uids["cas"] = cases
    assert set(uids) == set(EVERY_KIND)
    kept = InboxPayload.objects.filter(workspace=workspace).order_by("pk")
    uids["inb"] = list(kept.values_list("uid", flat=True)[:2])
    asked = {"title": "Of others", "question": {"node": [uids["src"][0]]}}
    uids["inc"] = [owner.post("/incidents", asked).body["uid"]]
    outside = {"name": "t", "target_kind": "other", "url": "https://example.org/"}
    uids["ext"] = [owner.post("/external-targets", outside).body["uid"]]
    uids["whk"] = [owner.post("/webhooks", {"url": "https://example.org/"}).body["uid"]]
    uids["viw"] = [shared_view(workspace)]
    uids |= notices_of(owner, workspace)
    return Others(owner, uids, draft=cases[0])


def notices_of(owner: Caller, workspace: Workspace) -> dict[str, list[str]]:
    """A notice, the file it came from, an address to fetch from."""
    told = {"DOI": "10.5555/w", "updated-by": [{"DOI": "10.5555/n", "type": "retraction"}]}
    file = owner.post("/notices", told).body["uid"]
    receiving.read_kept(NoticeImport.objects.get(uid=file).pk)
    feed = NoticeFeed.objects.create(
        workspace=workspace, uid=f"nfd_{keyed_hash(workspace.hash_key, 'feed')}",
        url="https://example.org/rw.csv", made_at=clock.now(),
    )  # fmt: skip
    (notice,) = Notice.objects.filter(workspace=workspace).values_list("uid", flat=True)
    return {"nim": [file], "ntc": [notice], "nfd": [feed.uid]}


def shared_view(workspace: Workspace) -> str:
    """A view that every member of the workspace sees."""
    maker = User.objects.create_user(f"maker-{workspace.slug}")
    uid = f"viw_{keyed_hash(workspace.hash_key, 'view')}"
    SavedView.objects.create(
        workspace=workspace, uid=uid, name="Of others", address="/answers/", maker=maker,
        shared=True, saved_at=clock.now(),
    )  # fmt: skip
    return uid


def asked_by(who: str, elsewhere: Workspace) -> Client:
    """A client of somebody who is not in the others' workspace."""
    if who == "key of another workspace":
        key = caller(elsewhere).key
        return Client(headers={"Authorization": f"Bearer {key}"})
    client = Client()
    if who == "member of another workspace":
        user = User.objects.create_user(f"member-{elsewhere.slug}")
        Membership.objects.create(user=user, workspace=elsewhere, role=Role.ADMIN)
        client.force_login(user)
    return client
