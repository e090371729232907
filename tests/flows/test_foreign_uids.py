"""A uid of another workspace answers like one that nobody has, on every page and endpoint that takes one.

The addresses come from the URL resolver and from the API's own list: a new one that takes
a uid and is not in the table below fails here.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from lineage.identifiers import kind_of_uid
from lineage.models import Node, Reference
from lineage.pages.cases import STEPS
from lineage.vocabulary import KINDS
from provexplorer.api import PREFIX
from provexplorer.api import api as ninja
from provexplorer.workspaces.models import Membership, Role, User, Workspace
from tests.api.caller import Caller, caller

ABSENT: Final = "a" * 26
AT: Final = "2026-03-01T10:00:00Z"
TEXT: Final = "Alpha is one. Beta is two. Gamma is three."
EVERY_KIND: Final = tuple(kind.prefix for kind in KINDS.values())

# Pages that take a uid: the kinds that they show, and the ways in which they are asked for.
PAGES: Final[dict[str, tuple[Sequence[str], Sequence[str]]]] = {
    "answers/<str:uid>": (["ans"], ["GET"]),
    "citations/<str:uid>": (["cit"], ["GET"]),
    "sources/<str:uid>": (["src"], ["GET"]),
    "creators/<str:uid>": (["agt"], ["GET"]),
    "lineage/<str:uid>": (EVERY_KIND, ["GET"]),
    "lineage/<str:uid>/impact": (EVERY_KIND, ["GET"]),
    "cases/<str:uid>": (["cas"], ["GET"]),
    "cases/<str:uid>/<str:step>": (["cas"], ["POST"]),
}
ENDPOINTS: Final[dict[str, tuple[Sequence[str], Sequence[str]]]] = {
    "nodes/{uid}": (EVERY_KIND, ["GET"]),
    "nodes/{uid}/upstream": (EVERY_KIND, ["GET"]),
    "nodes/{uid}/downstream": (EVERY_KIND, ["GET"]),
    "nodes/{uid}/impact": (EVERY_KIND, ["GET"]),
    "answers/{uid}": (["ans"], ["GET"]),
    "citations/{uid}": (["cit"], ["GET"]),
    "cases/{uid}": (["cas"], ["GET"]),
    "cases/{uid}/dry-run": (["cas"], ["POST"]),
    "cases/{uid}/approve": (["cas"], ["POST"]),
    "cases/{uid}/cancel": (["cas"], ["POST"]),
    "cases/{uid}/pause": (["cas"], ["POST"]),
    "cases/{uid}/resume": (["cas"], ["POST"]),
    "cases/{uid}/reinstate": (["cas"], ["POST"]),
}
# Addresses with a part of their own that names no object of a workspace.
NO_UID: Final = {"problems/<slug:slug>"}
# Queries that name a uid beside the one in the address, or choose what is shown of it.
QUERIES: Final = {
    "answers/<str:uid>": ["", "?open={uid}&expand=all"],
    "lineage/<str:uid>/impact": ["", "?grade=cited&cursor=x"],
    "nodes/{uid}/impact": ["", "?grade=cited&limit=1"],
}
FRAGMENTS: Final = [{}, {"HX-Request": "true", "HX-Target": "card"}]


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
        re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", body),
    )


# --- a workspace that holds something of every kind, and those who are not in it ---------


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


@pytest.fixture
def others(graph: object, workspace: Workspace) -> Others:
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
    return Others(owner, uids, draft=cases[0])


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


WHO: Final = ("nobody", "member of another workspace", "key of another workspace")


@pytest.fixture(params=WHO)
def stranger(request: pytest.FixtureRequest, workspace: Workspace) -> tuple[str, Client]:
    who: str = request.param
    return who, asked_by(who, new_workspace(workspace.slug.replace("test-", "else-")))


# --- every address ---------------------------------------------------------------------


def routes(patterns: Sequence[Any], before: str = "") -> Iterator[tuple[str, URLPattern]]:
    for pattern in patterns:
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            # Behind the admin's own door, which is for staff of the whole installation.
            if route != "admin/":
                yield from routes(pattern.url_patterns, route)
        else:
            yield route, pattern


@pytest.mark.engine_free
def test_every_address_that_takes_a_uid_is_in_the_tables() -> None:
    taking = {
        route for route, pattern in routes(get_resolver().url_patterns)
        if pattern.pattern.converters or pattern.pattern.regex.groups
    }  # fmt: skip
    pages = {route for route in taking if not route.startswith("api/")} - NO_UID
    assert pages == set(PAGES)
    endpoints = {route.removeprefix("api/v1/") for route in taking if route.startswith("api/")}
    assert endpoints == {path.replace("{uid}", "<uid>") for path in ENDPOINTS}


@pytest.mark.engine_free
def test_every_operation_that_takes_a_uid_is_in_the_tables() -> None:
    operations = {
        (path.removeprefix(PREFIX), method.upper())
        for path, methods in ninja.get_openapi_schema(path_prefix=PREFIX)["paths"].items()
        for method in methods
        if "{" in path
    }
    assert operations == {
        (path, method) for path, (_, methods) in ENDPOINTS.items() for method in methods
    }


@pytest.mark.engine_free
def test_the_pages_kinds_are_those_of_their_uids() -> None:
    for prefix in EVERY_KIND:
        assert kind_of_uid(f"{prefix}_{ABSENT}") is not None


def addresses_of_page(route: str, uid: str) -> list[str]:
    path = "/" + route.replace("<str:uid>", uid)
    if "<str:step>" in path:
        return [path.replace("<str:step>", step) for step in (*STEPS, "reinstate", "unknown")]
    return [path + query.replace("{uid}", uid) for query in QUERIES.get(route, [""])]


def addresses_of_endpoint(path: str, uid: str) -> list[str]:
    queries = QUERIES.get(path, [""])
    return [PREFIX + path.replace("{uid}", uid) + query for query in queries]


def assert_alike(
    client: Client, method: str, foreign: tuple[str, str], absent: tuple[str, str], status: int
) -> None:
    """Address and uid of each: asked for plainly and by htmx, both are told the same."""
    for headers in FRAGMENTS:
        one, other = (
            told(
                client.generic(method, path, b"{}", "application/json", headers=headers),
                uid,
            )
            for path, uid in (foreign, absent)
        )
        assert one == other, (method, foreign[0])
        # A fragment's way to the sign-in page is a header on a plain answer.
        signs_in = status == 302 and headers
        assert one.status == (200 if signs_in else status), (method, foreign[0])


@pytest.mark.django_db
def test_no_page_tells_a_foreign_uid_from_one_that_nobody_has(
    others: Others, stranger: tuple[str, Client]
) -> None:
    who, client = stranger
    # A key is nothing to a page: it sends whoever has not signed in to do so.
    status = 404 if who == "member of another workspace" else 302
    for route, (prefixes, methods) in PAGES.items():
        for uid in others.of(prefixes):
            absent = f"{uid[:3]}_{ABSENT}"
            pairs = zip(
                addresses_of_page(route, uid), addresses_of_page(route, absent), strict=True
            )
            for one, other in pairs:
                for method in methods:
                    assert_alike(client, method, (one, uid), (other, absent), status)


@pytest.mark.django_db
def test_no_endpoint_tells_a_foreign_uid_from_one_that_nobody_has(
    others: Others, stranger: tuple[str, Client]
) -> None:
    who, client = stranger
    before = others.owner.get(f"/cases/{others.draft}").body
    for path, (prefixes, methods) in ENDPOINTS.items():
        for uid in others.of(prefixes):
            absent = f"{uid[:3]}_{ABSENT}"
            pairs = zip(
                addresses_of_endpoint(path, uid), addresses_of_endpoint(path, absent), strict=True
            )
            for one, other in pairs:
                for method in methods:
                    # A session reads and never writes.
                    knows = who.startswith("key") or (who.startswith("member") and method == "GET")
                    status = 404 if knows else 401
                    assert_alike(client, method, (one, uid), (other, absent), status)
    assert others.owner.get(f"/cases/{others.draft}").body == before


@pytest.mark.django_db
def test_to_its_owners_every_such_uid_is_something(others: Others, workspace: Workspace) -> None:
    """Without this the tests above would pass for uids that nobody holds."""
    user = User.objects.create_user(f"owner-{workspace.slug}")
    Membership.objects.create(user=user, workspace=workspace, role=Role.ADMIN)
    member = Client()
    member.force_login(user)
    for route, (prefixes, methods) in PAGES.items():
        for uid in others.of(_shown(prefixes)) if methods == ["GET"] else ():
            status = member.get(addresses_of_page(route, uid)[0]).status_code
            assert status in (200, 301), (route, uid)
    for path, (prefixes, methods) in ENDPOINTS.items():
        for uid in others.of(_shown(prefixes)) if methods == ["GET"] else ():
            reply = others.owner.call("GET", addresses_of_endpoint(path, uid)[0])
            assert reply.status in (200, 301), (path, uid)


def _shown(prefixes: Sequence[str]) -> list[str]:
    """What an address shows to its owners: lineage is of records, a case has pages of its own."""
    return [prefix for prefix in prefixes if prefix != "cas" or list(prefixes) == ["cas"]]


# --- uids in bodies and queries ------------------------------------------------------------


@pytest.mark.django_db
def test_a_case_on_a_foreign_uid_is_refused_like_one_on_nothing(
    others: Others, workspace: Workspace
) -> None:
    elsewhere = new_workspace(workspace.slug.replace("test-", "else-"))
    key, member = caller(elsewhere), asked_by("member of another workspace", elsewhere)
    for uid in others.of(("src", "srv", "doc", "chk", "cmp", "run", "agt", "idx", "ans", "cas")):
        replies = []
        for each in (uid, f"{uid[:3]}_{ABSENT}"):
            body = {"kind": "retraction", "targets": [{"uid": each}], "reason": "r"}
            reply = key.post("/cases", body)
            assert reply.status == 422
            form = {"draft": "1", "kind": "retraction", "target": each, "reason": "r"}
            page = told(member.post("/cases/new", form), each)
            assert page.status == 422
            filled = told(member.get(f"/cases/new?target={each}&q={each}"), each)
            assert filled.status == 200
            told_of = json.dumps(reply.body, sort_keys=True).replace(each, "UID")
            replies.append((told_of, reply.headers, page, filled))
        assert replies[0] == replies[1], uid
    assert key.get("/cases").body["total"] == 0


@pytest.mark.django_db
def test_a_search_for_a_foreign_uid_finds_what_a_search_for_nothing_finds(
    others: Others, workspace: Workspace
) -> None:
    elsewhere = new_workspace(workspace.slug.replace("test-", "else-"))
    member = asked_by("member of another workspace", elsewhere)
    for uid in others.of(EVERY_KIND):
        absent = f"{uid[:3]}_{ABSENT}"
        for path in ("/search?q={}", "/api/v1/search?q={}", "/answers/?q={}&source={}"):
            one, other = (told(member.get(path.format(each, each)), each) for each in (uid, absent))
            assert one == other
            assert one.status == 200
    # The workspace itself is not told from one that does not exist.
    for path in ("/", "/answers/", "/sources/", "/components/", "/cases/", "/search"):
        one, other = (
            told(member.get(f"{path}?ws={slug}"), slug)
            for slug in (workspace.slug, "n" * len(workspace.slug))
        )
        assert one == other
        assert one.status == 404


# What a record may name by uid: the field, and the kind that stands there.
REFERENCES: Final[list[tuple[dict[str, Any], str, str]]] = [
    (record("source_version", "n", version="1"), "source", "src"),
    (record("acquisition", "n"), "source_version", "srv"),
    (record("document", "n", text="Text."), "source_version", "srv"),
    (record("part", "n", part_kind="page"), "document", "doc"),
    (record("chunk", "n", interval={"start": 0, "end": 5}), "document", "doc"),
    (record("fact", "n", subject="a", predicate="b", object="c"), "subject_of", "chk"),
    (record("embedding", "n", model="m"), "chunk", "chk"),
    (record("index_snapshot", "n", collection="n"), "chunks[]", "chk"),
    (record("retrieval", "n"), "candidates[].chunk", "chk"),
    (record("context", "n"), "items[].chunk", "chk"),
    (record("answer", "n", text="Text."), "context", "ctx"),
    (record("answer", "n", text="Text."), "served_from", "ans"),
    (record("claim", "n", text="Alpha is one."), "answer", "ans"),
    (record("run", "n", run_kind="parse"), "component", "cmp"),
]


def naming(base: dict[str, Any], field: str, uid: str) -> dict[str, Any]:
    """The record with a reference by uid in this field."""
    name, _, inner = field.partition("[]")
    ref: Any = {"uid": uid}
    if field.endswith("[]"):
        return base | {name: [ref]}
    return base | (
        {name: [{inner.removeprefix("."): ref, "position": 1}]} if inner else {name: ref}
    )


@pytest.mark.django_db
def test_a_record_that_names_a_foreign_uid_names_nothing(
    others: Others, workspace: Workspace
) -> None:
    edges = Reference.objects.filter(workspace=workspace).count()
    whole = f"/nodes/{others.uids['src'][0]}/impact"
    impact = others.owner.get(whole).body
    senders = [caller(new_workspace(f"{workspace.slug}-{number}")) for number in range(2)]
    for number, (base, field, prefix) in enumerate(REFERENCES):
        foreign = others.uids[prefix][0]
        replies = []
        for sender, uid in zip(senders, (foreign, f"{prefix}_{ABSENT}"), strict=True):
            (outcome,) = sender.records(naming(base | {"key": f"n{number}"}, field, uid))
            told_of = [warned["code"] for warned in outcome["warnings"]]
            assert "unresolved_reference" in told_of, field
            node = sender.get(f"/nodes/{outcome['uid']}").body
            around = sender.get(f"/nodes/{outcome['uid']}/upstream").body
            seen = json.dumps([outcome, node, around], sort_keys=True)
            seen = seen.replace(outcome["uid"], "OWN").replace(uid, "UID")
            replies.append(seen.replace(node["recorded_at"], "NOW"))
        assert replies[0] == replies[1], (base["kind"], field)
    assert others.owner.get(whole).body == impact
    assert Reference.objects.filter(workspace=workspace).count() == edges
