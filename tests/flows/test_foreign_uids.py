"""A uid of another workspace answers like one that nobody has, on every page and endpoint that takes one.

The addresses come from the URL resolver and from the API's own list: a new one that takes
a uid and is not in the table below fails here.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from lineage.identifiers import kind_of_uid
from lineage.pages.cases import STEPS
from provexplorer.api import PREFIX
from provexplorer.api import api as ninja
from provexplorer.workspaces.models import Membership, Role, User, Workspace
from tests.flows.foreign import ABSENT, EVERY_KIND, Others, asked_by, new_workspace, told

pytestmark = pytest.mark.one_pair

# Pages that take a uid: the kinds that they show, and the ways in which they are asked for.
PAGES: Final[dict[str, tuple[Sequence[str], Sequence[str]]]] = {
    "answers/<str:uid>": (["ans"], ["GET"]),
    "answers/<str:uid>/copy.html": (["ans"], ["GET"]),
    "answers/<str:uid>/copy.md": (["ans"], ["GET"]),
    "answers/<str:uid>/references": (["ans"], ["GET"]),
    "answers/<str:uid>/references.<str:form>": (["ans"], ["GET"]),
    "answers/<str:uid>/attribution": (["ans"], ["GET"]),
    "answers/<str:uid>/attribution.<str:form>": (["ans"], ["GET"]),
    "answers/<str:uid>/capsule": (["ans"], ["GET"]),
    "answers/<str:uid>/print": (["ans"], ["GET"]),
    "answers/<str:uid>/since/<str:earlier>": (["ans"], ["GET"]),
    "citations/<str:uid>": (["cit"], ["GET"]),
    "citations/<str:uid>/since": (["cit"], ["GET"]),
    "citations/<str:uid>/reference": (["cit"], ["GET"]),
    "citations/<str:uid>/reference.<str:form>": (["cit"], ["GET"]),
    "citations/<str:uid>/attribution": (["cit"], ["GET"]),
    "citations/<str:uid>/attribution.<str:form>": (["cit"], ["GET"]),
    "sources/<str:uid>": (["src"], ["GET"]),
    "sources/<str:uid>/attribution": (["src"], ["GET"]),
    "sources/<str:uid>/attribution.<str:form>": (["src"], ["GET"]),
    "sources/<str:uid>/difference": (["src"], ["GET"]),
    "sources/<str:uid>/authority": (["src"], ["POST"]),
    "sources/<str:uid>/checks": (["src"], ["GET"]),
    "sources/<str:uid>/checks/<str:step>": (["src"], ["POST"]),
    "facts/<str:uid>": (["fct"], ["GET"]),
    "inbox/<str:uid>": (["inb"], ["GET"]),
    "inbox/<str:uid>/replay": (["inb"], ["POST"]),
    "unresolved/<str:uid>": (["ans"], ["GET"]),
    "unresolved/<str:uid>/<str:step>": (["ans"], ["POST"]),
    "creators/<str:uid>": (["agt"], ["GET"]),
    "creators/<str:uid>/answers": (["agt"], ["GET"]),
    "corrections/about/<str:uid>": (
        ["agt", "src", "srv", "doc", "prt", "chk", "fct", "ans", "clm", "cit"],
        ["GET", "POST"],
    ),
    "corrections/<str:uid>/withdraw": (["cas"], ["POST"]),
    "passages/<str:uid>": (["chk", "fct", "prt", "doc", "ctx"], ["GET"]),
    "components/<str:uid>": (["cmp"], ["GET"]),
    "runs/<str:uid>": (["run"], ["GET"]),
    "differences/<str:uid>/<str:earlier>": (["ans", "chk", "doc"], ["GET"]),
    "lineage/<str:uid>": (EVERY_KIND, ["GET"]),
    "lineage/<str:uid>/impact": (EVERY_KIND, ["GET"]),
    "lineage/<str:uid>/changes": (EVERY_KIND, ["GET"]),
    "lineage/<str:uid>/as-recorded": (EVERY_KIND, ["GET"]),
    "lineage/<str:uid>/picture.svg": (EVERY_KIND, ["GET"]),
    "cases/<str:uid>": (["cas"], ["GET"]),
    "cases/<str:uid>/<str:step>": (["cas"], ["POST"]),
    "cases/<str:uid>/certificate": (["cas"], ["GET"]),
    "cases/<str:uid>/erasure": (["cas"], ["POST"]),
    "cases/<str:uid>/files": (["cas"], ["POST"]),
    "cases/<str:uid>/files/<int:number>": (["cas"], ["GET"]),
    "cases/<str:uid>/files/<int:number>/remove": (["cas"], ["POST"]),
    "notices/<str:uid>": (["ntc"], ["GET"]),
    "notices/<str:uid>/<str:step>": (["ntc"], ["POST"]),
    "notices/imports/<str:uid>": (["nim"], ["GET"]),
    "notices/feeds/<str:uid>/<str:step>": (["nfd"], ["POST"]),
    "incidents/<str:uid>": (["inc"], ["GET"]),
    "incidents/<str:uid>/<str:step>": (["inc"], ["POST"]),
    "settings/webhooks/<str:uid>": (["whk"], ["GET"]),
    "settings/webhooks/<str:uid>/<str:step>": (["whk"], ["POST"]),
    "views/<str:uid>": (["viw"], ["GET"]),
    "views/<str:uid>/<str:step>": (["viw"], ["POST"]),
}
ENDPOINTS: Final[dict[str, tuple[Sequence[str], Sequence[str]]]] = {
    "nodes/{uid}": (EVERY_KIND, ["GET"]),
    "nodes/{uid}/upstream": (EVERY_KIND, ["GET"]),
    "nodes/{uid}/downstream": (EVERY_KIND, ["GET"]),
    "nodes/{uid}/impact": (EVERY_KIND, ["GET"]),
    "nodes/{uid}/prov": (EVERY_KIND, ["GET"]),
    "components/{uid}": (["cmp"], ["GET"]),
    "answers/{uid}": (["ans"], ["GET"]),
    "answers/{uid}/copy": (["ans"], ["GET"]),
    "answers/{uid}/references": (["ans"], ["GET"]),
    "answers/{uid}/rights": (["ans"], ["GET"]),
    "answers/{uid}/attribution": (["ans"], ["GET"]),
    "citations/{uid}/attribution": (["cit"], ["GET"]),
    "sources/{uid}/attribution": (["src"], ["GET"]),
    "answers/{uid}/capsule": (["ans"], ["GET"]),
    "citations/{uid}": (["cit"], ["GET"]),
    "citations/{uid}/annotation": (["cit"], ["GET"]),
    "citations/{uid}/reference": (["cit"], ["GET"]),
    "cases/{uid}": (["cas"], ["GET"]),
    "cases/{uid}/dry-run": (["cas"], ["POST"]),
    "cases/{uid}/approve": (["cas"], ["POST"]),
    "cases/{uid}/cancel": (["cas"], ["POST"]),
    "cases/{uid}/pause": (["cas"], ["POST"]),
    "cases/{uid}/resume": (["cas"], ["POST"]),
    "cases/{uid}/prove-again": (["cas"], ["POST"]),
    "cases/{uid}/reinstate": (["cas"], ["POST"]),
    "cases/{uid}/reject": (["cas"], ["POST"]),
    "cases/{uid}/history": (["cas"], ["GET"]),
    "cases/{uid}/certificate": (["cas"], ["GET"]),
    "cases/{uid}/erasure": (["cas"], ["GET", "PUT"]),
    "external-targets/{uid}": (["ext"], ["DELETE"]),
    "cases/{uid}/comments": (["cas"], ["POST"]),
    "cases/{uid}/assignee": (["cas"], ["POST"]),
    "cases/{uid}/files": (["cas"], ["GET", "POST"]),
    "cases/{uid}/files/{number}": (["cas"], ["GET", "DELETE"]),
    "nodes/{uid}/as-recorded": (EVERY_KIND, ["GET"]),
    "nodes/{uid}/changes": (EVERY_KIND, ["GET"]),
    "notices/{uid}": (["ntc"], ["GET"]),
    "notice-imports/{uid}": (["nim"], ["GET"]),
    "incidents/{uid}": (["inc"], ["GET", "PATCH", "DELETE"]),
    "incidents/{uid}/notes": (["inc"], ["GET", "POST"]),
    "incidents/{uid}/answers": (["inc"], ["GET"]),
    "incidents/{uid}/notice": (["inc"], ["POST"]),
    "incidents/{uid}/cases": (["inc"], ["POST"]),
    "webhooks/{uid}": (["whk"], ["GET", "DELETE", "PATCH"]),
    "webhooks/{uid}/replay": (["whk"], ["POST"]),
    "webhooks/{uid}/deliveries": (["whk"], ["GET"]),
    "webhooks/{uid}/test": (["whk"], ["POST"]),
    "webhooks/{uid}/switch-on": (["whk"], ["POST"]),
}
# Addresses with a part of their own that names no object of a workspace.
NO_UID: Final = {
    "problems/<slug:slug>",
    "lineage/schemas/<version>/<name>.json",
    "webhooks/schemas/<type_>.json",
    "accounts/invitations/<str:token>",
    "settings/members/<str:step>",
}
# What stands in an address beside its uid.
BESIDE: Final = {
    "<str:form>": "json", "<str:earlier>": "ans_" + "b" * 26, "<int:number>": "1", "{number}": "1",
}  # fmt: skip
# Shown to owners only of some that have the kind: of one with an earlier version, of what is missing,
# of a case that has ended, of one with a file; or not at all, but led on from.
NOT_OF_ALL: Final = {
    "answers/<str:uid>/since/<str:earlier>",
    "differences/<str:uid>/<str:earlier>",
    "unresolved/<str:uid>",
    "views/<str:uid>",
    "cases/<str:uid>/certificate",
    "cases/<str:uid>/files/<int:number>",
    "cases/{uid}/certificate",
    "cases/{uid}/erasure",
    "cases/{uid}/files/{number}",
}
STEPS_BESIDE_CASES: Final = {
    "incidents": ("note", "state", "assign", "rename", "watch", "notice", "link", "delete"),
    "webhooks": ("test", "choose", "replay", "switch-on", "delete"),
    "views": ("change", "delete"),
    "notices": ("accept", "reject", "file", "fetch", "delete"),
}
# Queries that name a uid beside the one in the address, or choose what is shown of it.
QUERIES: Final = {
    "answers/<str:uid>": ["", "?open={uid}&expand=all"],
    "passages/<str:uid>": ["", "?start=10"],
    "lineage/<str:uid>": ["", "?node={uid}&open=chunk&in_chunk=a", "?as_of=2026-01-01"],
    "lineage/<str:uid>/impact": ["", "?grade=cited&cursor=x"],
    "lineage/<str:uid>/changes": ["", "?since=2026-01-01&answers=x"],
    "lineage/<str:uid>/as-recorded": ["", "?until=2026-01-01&after=x"],
    "creators/<str:uid>/answers": ["", "?work=src_bbbbbbbbbbbbbbbbbbbbbbbbbb"],
    "nodes/{uid}/impact": ["", "?grade=cited&limit=1"],
    "nodes/{uid}/as-recorded": ["?until=2026-03-01T10:00:00Z", "?until=2100-01-01"],
    "nodes/{uid}/changes": ["?since=2026-03-01T10:00:00Z", "?since=2026-03-01&answers_cursor=WzFd"],
    "components/<str:uid>": ["", "?runs=x&versions=x"],
    "runs/<str:uid>": ["", "?used=x&made=x"],
    "components/{uid}": ["", "?limit=1&cursor=x"],
}
FRAGMENTS: Final = [{}, {"HX-Request": "true", "HX-Target": "card"}]


WHO: Final = ("nobody", "member of another workspace", "key of another workspace")


@pytest.fixture(params=WHO)
def stranger(request: pytest.FixtureRequest, workspace: Workspace) -> tuple[str, Client]:
    who: str = request.param
    return who, asked_by(who, new_workspace(workspace.slug.replace("test-", "else-")))


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
    endpoints -= NO_UID
    assert endpoints == {path.replace("{", "<").replace("}", ">") for path in ENDPOINTS}


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
    for part, filled in BESIDE.items():
        path = path.replace(part, filled)
    if path.startswith("/unresolved/") and "<str:step>" in path:
        return [path.replace("<str:step>", step) for step in ("accept", "reject", "unknown")]
    if path.endswith("/checks/<str:step>"):
        return [path.replace("<str:step>", step) for step in ("now", "pause", "unknown")]
    if (
        steps := STEPS_BESIDE_CASES.get(route.removeprefix("settings/").partition("/")[0])
    ) and "<str:step>" in path:
        return [path.replace("<str:step>", step) for step in (*steps, "unknown")]
    if "<str:step>" in path:
        return [path.replace("<str:step>", step) for step in (*STEPS, "unknown")]
    return [path + query.replace("{uid}", uid) for query in QUERIES.get(route, [""])]


def addresses_of_endpoint(path: str, uid: str) -> list[str]:
    queries = QUERIES.get(path, [""])
    for part, filled in BESIDE.items():
        path = path.replace(part, filled)
    return [PREFIX + path.replace("{uid}", uid) + query for query in queries]


def addresses_read(uids: Mapping[str, Sequence[str]], *, pages: bool = True) -> Iterator[str]:
    """Every address of an endpoint, and of a page, that is read (GET), of uids by their prefix."""
    tables = [(ENDPOINTS, addresses_of_endpoint), (PAGES, addresses_of_page)]
    for table, written in tables if pages else tables[:1]:
        for route, (prefixes, methods) in table.items():
            if "GET" in methods:
                for uid in (one for prefix in prefixes for one in uids.get(prefix, ())):
                    yield from written(route, uid)


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

    def some(prefixes: Sequence[str]) -> set[str]:
        """The first and the last of each kind: of answers, one that has moved."""
        return {
            uid for prefix in prefixes for uid in (others.uids[prefix][0], others.uids[prefix][-1])
        }

    user = User.objects.create_user(f"owner-{workspace.slug}")
    Membership.objects.create(user=user, workspace=workspace, role=Role.ADMIN)
    member = Client()
    member.force_login(user)
    for route, (prefixes, methods) in PAGES.items():
        shown = methods == ["GET"] and route not in NOT_OF_ALL
        for uid in some(_shown(prefixes)) if shown else ():
            status = member.get(addresses_of_page(route, uid)[0]).status_code
            assert status in (200, 301), (route, uid)
    # Some answer with a file.
    key = Client(headers={"Authorization": f"Bearer {others.owner.key}"})
    for path, (prefixes, methods) in ENDPOINTS.items():
        shown = methods == ["GET"] and path not in NOT_OF_ALL
        for uid in some(_shown(prefixes)) if shown else ():
            status = key.get(addresses_of_endpoint(path, uid)[0]).status_code
            assert status in (200, 301), (path, uid)


def _shown(prefixes: Sequence[str]) -> list[str]:
    """What an address shows to its owners: lineage is of records, a case has pages of its own."""
    return [prefix for prefix in prefixes if prefix != "cas" or list(prefixes) == ["cas"]]
