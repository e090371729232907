"""Every page of the product with something on it: found by following links, as a reader would.

The routes come from the URL resolver. One that no link leads to, and that is not named
below as no page, fails `test_axe`: a new page cannot be forgotten.
"""

import re
import time
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urljoin, urlsplit

from django.urls import get_resolver, resolve
from django.urls.exceptions import Resolver404

from tests.browser.visiting import member_with_password
from tests.flows.foreign import everything, record
from tests.flows.session import Session
from tests.flows.test_foreign_uids import routes
from tests.servers.product import Product

SLUG: Final = "every-kind"

# What answers with no page: files, forms that lead on, machines' addresses, and why.
NO_PAGE: Final = {
    "healthz": "for machines",
    "readyz": "for machines",
    "v1/traces": "for machines",
    "^v1(?:/|$)": "for machines",
    "^(?:api|problems)(?:/|$)": "told as a problem",
    "favicon.ico": "an image",
    ".well-known/provexplorer-capsule-keys.json": "keys",
    "accounts/sign-in/demo/": "a form's aim",
    "accounts/sign-out/": "a form's aim",
    "accounts/language/": "a form's aim",
    "accounts/invitations/<str:token>": "of whoever is invited; shown once",
    "settings/members/<str:step>": "a form's aim",
    "settings/keys/revoke": "a form's aim",
    "audit/export": "a file",
    "answers/<str:uid>/capsule": "a file",
    "answers/<str:uid>/references.<str:form>": "a file",
    "answers/<str:uid>/copy.md": "a file",
    "citations/<str:uid>/reference.<str:form>": "a file",
    "answers/<str:uid>/attribution.<str:form>": "a file",
    "citations/<str:uid>/attribution.<str:form>": "a file",
    "sources/<str:uid>/attribution.<str:form>": "a file",
    "sources.csv": "a file",
    "lineage/<str:uid>/picture.svg": "a file",
    "cases/<str:uid>/<str:step>": "a form's aim",
    "cases/<str:uid>/erasure": "a form's aim",
    "cases/<str:uid>/files": "a form's aim",
    "cases/<str:uid>/files/<int:number>": "a file",
    "cases/<str:uid>/files/<int:number>/remove": "a form's aim",
    "sources/<str:uid>/checks": "linked where a source was looked at, which takes a site",
    "sources/<str:uid>/checks/<str:step>": "a form's aim",
    "corrections/<str:uid>/withdraw": "a form's aim",
    "inbox/replay": "a form's aim",
    "inbox/<str:uid>/replay": "a form's aim",
    "unresolved/<str:uid>/<str:step>": "a form's aim",
    "sources/<str:uid>/authority": "a form's aim",
    "incidents/<str:uid>/<str:step>": "a form's aim",
    "settings/webhooks/<str:uid>/<str:step>": "a form's aim",
    "notices/<str:uid>/<str:step>": "a form's aim",
    "notices/feeds/<str:uid>/<str:step>": "a form's aim",
    "views/<str:uid>": "leads on to what was saved",
    "views/<str:uid>/<str:step>": "a form's aim",
}
# Read once signed out.
BEFORE_SIGNING_IN: Final = "accounts/sign-in/"

# A case that has a certificate before drafts; what a form leads to, or the documents of problems.
STARTS: Final = ("/cases/?state=verified", "/", "/search?q=beta", "/problems/")

_LINK: Final = re.compile(r'(?:href|hx-get)="([^"#]+)')
_UID: Final = re.compile(r"_[a-z2-7]{26}\b")


@dataclass(frozen=True, slots=True)
class Found:
    """An address with a page, and who is to read it: `demo` or a member of the workspace `SLUG`."""

    route: str
    path: str
    in_demo: bool


@dataclass(slots=True)
class EveryPage:
    """What the links led to, and the one who can sign in to the workspace that holds every kind."""

    name: str
    password: str
    found: list[Found] = field(default_factory=list)

    def some(self, most: int) -> list[Found]:
        """At most so many addresses of each route, the demo's before others."""
        kept: dict[str, list[Found]] = {}
        for each in sorted(self.found, key=lambda each: not each.in_demo):
            kept.setdefault(each.route, []).append(each)
        return [each for addresses in kept.values() for each in addresses[:most]]


def page_routes() -> set[str]:
    """The routes of all pages; the API's and the admin's are not ours to draw."""
    every = {route for route, _ in routes(get_resolver().url_patterns)}
    ours = {route for route in every if not route.startswith(("api/", "admin/", "__"))}
    assert set(NO_PAGE) <= ours, "no such address any more"
    return ours - set(NO_PAGE) - {BEFORE_SIGNING_IN}


def fill(product: Product) -> tuple[str, str]:
    """A workspace that holds every kind, revisions, contradictions, cases; its admin's name and password."""
    key = product.new_key(slug=SLUG)

    def post(path: str, body: object = None) -> Any:
        answer = product.request(
            "POST", f"/api/v1{path}", body={} if body is None else body, key=key
        )
        assert answer.status in (200, 201, 202), (path, answer)
        return answer.json()

    for records in ([record("claim", "early", answer="later still", text="Early.")], _records()):
        assert post("/records", {"records": records})["rejected"] == 0
    for kind, target, steps in (
        ("concern", "s", ()),
        ("correction", "s", ("dry-run", "approve")),
        ("erasure", "gone", ("dry-run", "approve")),
    ):
        drafted = post(
            "/cases",
            {"kind": kind, "targets": [{"kind": "source", "key": target}], "reason": "Why not?"},
        )
        for step in steps:
            post(f"/cases/{drafted['uid']}/{step}")
        for _ in range(150 if steps else 0):  # its certificate has a page
            if product.request("GET", f"/api/v1/cases/{drafted['uid']}", key=key).json()[
                "verified"
            ]:
                break
            time.sleep(0.2)
    post("/incidents", {"title": "Beta", "question": {"component": "model"}, "note": "Why not?"})
    post("/webhooks", {"url": "https://example.org/"})
    told = {"DOI": "10.5555/w", "updated-by": [{"DOI": "10.5555/n", "type": "retraction"}]}
    file = post("/notices", told)["uid"]
    for _ in range(100):
        read = product.request("GET", f"/api/v1/notice-imports/{file}", key=key).json()
        if read["state"] not in ("received", "running"):
            break
        time.sleep(0.2)
    assert read["state"] == "done"
    return member_with_password(product, SLUG, role="admin")


def _records() -> list[dict[str, Any]]:
    """One node of each kind; a second version, a second revision, a contradiction, a work to erase."""
    return [
        *everything(),
        record("source_version", "v2", source="s", version="2", license="CC0-1.0"),
        record("document", "d2", source_version="v2", text="Alpha is one. Beta is not. Gamma is."),
        record("fact", "g", subject_of="c", subject="alpha", predicate="is", object=2),
        # A second build, of the second version: what changed since the first has a page.
        record("chunk", "c2", document="d2", interval={"start": 14, "end": 26}),
        record("index_snapshot", "i2", collection="i", chunks=["c2"]),
        record("answer", "a2", context="x", question="What is beta?", text="Beta is two.", run="run"),
        {
            **record("answer", "a2", context="x", question="What is beta?", text="Beta is not.", run="run"),
            "occurred_at": "2026-03-02T10:00:00Z",
        },
        record("answer", "b", context="x", question="What is alpha?", text="Alpha is one. [1]"),
        record("claim", "b-k", answer="b", interval={"start": 0, "end": 13}),
        record("citation", "b-q", claim="b-k", marker="[1]", chunk="c", quote="Alpha is one."),
        # Three citations of one claim, so that several cards stand open in one place.
        record("answer", "m", context="x", question="What is cited thrice?", text="Alpha is one. [1][2][3]"),
        record("claim", "m-k", answer="m", interval={"start": 0, "end": 13}),
        *(record("citation", f"m-q{n}", claim="m-k", marker=f"[{n}]", chunk="c") for n in (1, 2, 3)),
        record("source", "gone", title="What nobody may read"),
        record("source_version", "gone@1", source="gone", version="1"),
        record("document", "gone-d", source_version="gone@1", text="Delta is four."),
        record("chunk", "gone-c", document="gone-d", interval={"start": 0, "end": 14}),
        record("context", "gone-x", items=[{"chunk": "gone-c", "position": 1}]),
        record("answer", "gone-a", context="gone-x", question="And delta?", text="Four. [1]"),
        record("claim", "gone-k", answer="gone-a", interval={"start": 0, "end": 5}),
        record("citation", "gone-q", claim="gone-k", marker="[1]", chunk="gone-c"),
    ]  # fmt: skip


def found_by_links(product: Product, member: tuple[str, str], most: int) -> EveryPage:
    """Follow links until nothing new comes: of each route at most `most` forms of its address."""
    every = EveryPage(*member)
    sessions = (Session.of_demo(product, "editor"), signed_in(product, *member))
    for session in sessions:
        session.opener.addheaders.append(("Accept", "text/html"))
        every.found += _follow(session, most, in_demo=session is sessions[0])
    return every


def found_for(product: Product, member: tuple[str, str], most: int) -> list[Found]:
    """Where links lead a member who sees one workspace."""
    session = signed_in(product, *member)
    session.opener.addheaders.append(("Accept", "text/html"))
    return list(_follow(session, most, in_demo=False))


def signed_in(product: Product, name: str, password: str) -> Session:
    """Requests with the cookies of this member."""
    opener = urllib.request.build_opener(
        urllib.request.ProxyHandler({}), urllib.request.HTTPCookieProcessor()
    )
    session = Session(product.base_url, opener)
    page = "/accounts/sign-in/"
    assert session.post(page, page=page, username=name, password=password).status == 200
    return session


def _follow(session: Session, most: int, *, in_demo: bool) -> Iterator[Found]:
    waiting, asked, pages = list(STARTS), set[str](), dict[str, int]()
    for path in waiting:
        form = _form_of(path)
        route = _route_of(path)
        if form in asked or route is None or pages.get(route, 0) >= most:
            continue
        asked.add(form)
        answer = session.get(path)
        if "text/html" not in answer.headers["Content-Type"] or answer.status >= 500:
            continue
        pages[route] = pages.get(route, 0) + 1
        yield Found(route, path, in_demo)
        links = _links(session.base_url, path, answer.body.decode())
        waiting += [link for link in links if _form_of(link) not in asked]


def _links(base_url: str, path: str, page: str) -> Sequence[str]:
    here = base_url + path
    targets = [urljoin(here, link.replace("&amp;", "&")) for link in _LINK.findall(page)]
    return [each.removeprefix(base_url) for each in targets if each.startswith(f"{base_url}/")]


def _form_of(path: str) -> str:
    """The address without what tells one object of a kind from another."""
    parts = urlsplit(path)
    query = "&".join(sorted(each.partition("=")[0] for each in parts.query.split("&")))
    return f"{_UID.sub('', parts.path)}?{query}"


def _route_of(path: str) -> str | None:
    try:
        route = resolve(urlsplit(path).path).route
    except Resolver404:
        return None
    ours = not route.startswith(("api/", "admin/")) and route not in NO_PAGE
    return route if ours and route != BEFORE_SIGNING_IN else None
