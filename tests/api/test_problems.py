"""Every error is a problem, and every problem has its page."""

from pathlib import Path

import pytest
from django.conf import settings
from django.db import OperationalError
from django.test import Client

from lineage.nodes.paging import write_cursor
from lineage.vocabulary import KINDS
from provexplorer.problems import ROWS
from tests.api.caller import Caller, assert_problem
from tests.api.world import ABSENT

PAGES = Path(settings.BASE_DIR) / "docs" / "problems"


@pytest.mark.engine_free
def test_each_problem_has_its_page_and_each_page_its_problem() -> None:
    assert sorted(page.stem for page in PAGES.glob("*.md")) == sorted(ROWS)


@pytest.mark.engine_free
@pytest.mark.parametrize("slug", sorted(ROWS))
def test_a_page_says_title_status_and_what_to_do(slug: str) -> None:
    response = Client().get(f"/problems/{slug}")
    assert response.status_code == 200
    text = response.content.decode()
    assert text.startswith(
        f"# {ROWS[slug].title}\n\n`/problems/{slug}`, status {ROWS[slug].status}."
    )
    assert "**What to do.**" in text


@pytest.mark.engine_free
@pytest.mark.parametrize(
    "path",
    [
        "/problems/none", "/api", "/api/", "/api/v1/", "/api/v1/nothing", "/api/v2/nodes",
        "/api/v1/nodes/", "/api/v1/nodes/a/b/c", "/api/x;y/%2e%2e/z",
    ],
)  # fmt: skip
def test_what_is_not_routed_is_a_404_problem(path: str) -> None:
    assert_problem(Caller().call("GET", path), "not-found", 404)


@pytest.mark.engine_free
@pytest.mark.parametrize("path", ["/api/v1/lineage/", "/api/v1/traces", "/api/"])
def test_who_posts_to_what_is_not_routed_is_told_so_and_not_of_cookies(path: str) -> None:
    strict = Client(enforce_csrf_checks=True)
    assert_problem(Caller(client=strict).call("POST", path, b"{}"), "not-found", 404)


@pytest.mark.engine_free
def test_a_method_that_is_not_allowed_names_those_that_are() -> None:
    reply = Caller().call("DELETE", "/api/v1/records")
    assert_problem(reply, "method-not-allowed", 405)
    assert reply.headers["Allow"] == "POST"


@pytest.mark.parametrize(
    ("path", "pointer"),
    [
        ("/resolve?kind=source", "/key"),
        ("/resolve?key=s", "/kind"),
        ("/search", "/q"),
        ("/search?q=%00", "/q"),
        ("/resolve?kind=source&key=a%00b", "/key"),
        ("/resolve?kind=source&key=a&namespace=%00", "/namespace"),
        (f"/resolve?kind=source&key={'k' * 2_001}", "/key"),
        ("/resolve?kind=&key=a", "/kind"),
        ("/resolve?kind=cheese&key=a", "/kind"),
        ("/search?q=a&kind=cheese", "/kind"),
        ("/cases?state=&state=fresh", "/state/0"),
        ("/search?q=a&limit=0", "/limit"),
        ("/search?q=a&limit=201", "/limit"),
        ("/search?q=a&limit=ten", "/limit"),
        (f"/nodes/src_{ABSENT}/upstream?depth=0", "/depth"),
        (f"/nodes/src_{ABSENT}/impact?grade=strong", "/grade/0"),
        (f"/nodes/src_{ABSENT}/impact?state=fresh", "/state/0"),
    ],
)
def test_a_parameter_that_is_not_valid_has_its_place(api: Caller, path: str, pointer: str) -> None:
    reply = api.get(path)
    assert_problem(reply, "invalid-request", 422)
    assert [(error["in"], error["pointer"]) for error in reply.body["errors"]] == [
        ("query", pointer)
    ]


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/resolve?key=a&kind=cheese", tuple(KINDS)),
        ("/search?q=a&kind=cheese", tuple(KINDS)),
        (f"/nodes/src_{ABSENT}/impact?grade=cheese", ("cited", "in_context", "served")),
        (f"/nodes/src_{ABSENT}/impact?state=cheese", ("current", "review", "stale")),
        ("/cases?state=cheese", ("draft", "propagating", "verified")),
    ],
)
def test_a_word_that_is_none_is_answered_with_those_there_are(
    api: Caller, path: str, words: tuple[str, ...]
) -> None:
    (error,) = api.get(path).body["errors"]
    assert [word for word in words if f"'{word}'" not in error["detail"]] == []


def test_a_value_that_was_refused_is_not_repeated(api: Caller) -> None:
    assert "sesame" not in str(api.get("/search?q=a&limit=sesame").body)


@pytest.mark.parametrize(
    "cursor",
    [
        write_cursor("2026-03-01T10:00:00+00:00", "a\x00"),
        write_cursor(10**30, "a"),
        write_cursor(1, "\x00"),
        write_cursor("2026-03-01T10:00:00+00:00", "\ud800"),
        write_cursor(1, "\ud800"),
    ],
)
def test_a_cursor_that_holds_what_no_store_compares_is_400(api: Caller, cursor: str) -> None:
    (made,) = api.records({"kind": "agent", "key": "a", "name": "A"})
    for path in (f"/nodes/{made['uid']}/impact?cursor={cursor}", f"/cases?cursor={cursor}"):
        assert api.get(path).status in (200, 400)


@pytest.mark.parametrize("half", ["\x00", "\ud800"])
def test_a_name_in_a_body_that_no_store_compares_is_no_failure_of_ours(
    api: Caller, half: str
) -> None:
    (made,) = api.records({"kind": "agent", "key": "a", "name": "A"})
    question = {"node": [made["uid"]]}
    incident = api.post("/incidents", {"title": "t", "question": question}).body["uid"]
    hook = api.post("/webhooks", {"url": "https://example.org/x"}).body["uid"]
    (named,) = api.records({"kind": "source", "key": "s", "title": "T"})
    draft = {"kind": "revocation", "targets": [{"uid": named["uid"]}]}
    case = api.post("/cases", draft).body["uid"]
    for path, sent in (
        (f"/cases/{case}/assignee", {"assignee": half}),
        ("/incidents", {"title": "t", "question": question, "assignee": half}),
        (f"/incidents/{incident}/cases", {"case": half}),
        ("/webhooks", {"url": "https://example.org/y", "incident": half}),
        (f"/webhooks/{hook}/replay", {"delivery": half}),
    ):
        assert 400 <= api.post(path, sent).status < 500, path


@pytest.mark.parametrize("cursor", ["x", "%00", "W10", "WyJ4Il0", "e30", "!" * 300])
def test_a_cursor_that_no_list_gave_is_400(api: Caller, cursor: str) -> None:
    (made,) = api.records({"kind": "agent", "key": "a", "name": "A"})
    for path in (f"/nodes/{made['uid']}/impact?cursor={cursor}", f"/cases?cursor={cursor}"):
        assert_problem(api.get(path), "bad-cursor", 400)


@pytest.mark.parametrize(
    ("error", "slug", "status"),
    [
        (RuntimeError("a word of a passage"), "internal-error", 500),
        (OperationalError("database is locked"), "store-busy", 503),
    ],
)
def test_what_fails_here_tells_nothing_of_itself(
    api: Caller, monkeypatch: pytest.MonkeyPatch, error: Exception, slug: str, status: int
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("lineage.api.nodes.resolve", fail)
    reply = api.get("/resolve?kind=source&key=s")
    assert_problem(reply, slug, status)
    assert str(error) not in str(reply.body)
    assert ("Retry-After" in reply.headers) is (status == 503)
