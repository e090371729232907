"""What a look at a source comes to: each way in which it can be told apart."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.cache import cache
from django.test import override_settings

from lineage.freshness.probe import Probed, Target, probe
from lineage.identifiers import text_digest
from lineage.models.freshness import Outcome
from tests.freshness.sites import Asked, site

pytestmark = pytest.mark.engine_free

TEXT = "The text of the source, as it was.\n"
SIGN_IN = '<form><input name="user"><input type="password" name="word"></form>'


@pytest.fixture(autouse=True)
def _nothing_remembered() -> Iterator[None]:
    with override_settings(FETCH_FROM_LOOPBACK=True):
        cache.clear()
        yield
        cache.clear()


LONG = "<p>" + "words " * 999
HTML = {"Content_Type": "text/html"}
ENTRIES = [{"location": "/text*", "tdm-reservation": 1, "tdm-policy": "https://p.example"}]
REPLIES: dict[str, tuple[int, bytes, dict[str, str]]] = {
    "/robots.txt": (200, b"User-agent: *\nDisallow: /private\nContent-Usage: train-ai=n", {}),
    "/.well-known/tdmrep.json": (200, json.dumps(ENTRIES).encode(), {}),
    "/for-good": (308, b"", {"Location": "/new"}),
    "/for-now": (307, b"", {"Location": "/new"}),
    "/sign-in": (200, SIGN_IN.encode(), HTML),
    "/article": (302, b"", {"Location": "/accounts/login?next=x"}),
    "/accounts/login": (200, (SIGN_IN + LONG).encode(), HTML),
    "/forum": (200, (SIGN_IN + LONG).encode(), HTML),
    "/busy": (503, b"", {"Retry_After": "120"}),
    "/pdf": (200, b"%PDF-1.7 \x00", {"Content_Type": "application/pdf"}),
    "/bomb": (200, gzip.compress(bytes(20 * 2**20)), {"Content_Encoding": "gzip"}),
}


def behave(asked: Asked) -> None:
    path = asked.path.partition("?")[0]
    if path not in ("/text", "/new"):
        status, body, headers = REPLIES.get(path) or (int(path.strip("/")), b"", {})
        asked.reply(status, body, **headers)
    elif asked.headers.get("If-None-Match") == '"1"':
        asked.reply(304, ETag='"1"')
    else:
        headers = {"Content_Type": "text/plain", "ETag": '"1"', "X_Robots_Tag": "noai"}
        asked.reply(200, TEXT.encode(), **headers)


def look(path: str, **known: object) -> Probed:
    with site(behave) as (base, _):
        return probe(Target(f"{base}{path}", "here", **known))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "path, outcome, status, failure",
    [
        ("/404", Outcome.GONE, 404, ""), ("/410", Outcome.GONE, 410, ""),
        ("/401", Outcome.PAYWALL, 401, ""), ("/402", Outcome.PAYWALL, 402, ""),
        ("/403", Outcome.PAYWALL, 403, ""), ("/451", Outcome.PAYWALL, 451, ""),
        ("/sign-in", Outcome.PAYWALL, 200, "sign_in_page"),
        ("/article", Outcome.PAYWALL, 200, "sign_in_page"),
        ("/forum", Outcome.FIRST, 200, ""),
        ("/500", Outcome.UNREACHABLE, 500, ""), ("/busy", Outcome.UNREACHABLE, 503, ""),
        ("/429", Outcome.UNREACHABLE, 429, ""), ("/204", Outcome.UNREADABLE, 204, ""),
        ("/304", Outcome.UNREADABLE, 304, ""), ("/bomb", Outcome.UNREADABLE, 200, "too_large"),
        ("/private/x", Outcome.ROBOTS, None, ""),
        ("/text", Outcome.FIRST, 200, ""), ("/pdf", Outcome.FIRST, 200, ""),
    ],
)  # fmt: skip
def test_what_a_site_answers_is_told_apart(
    path: str, outcome: Outcome, status: int | None, failure: str
) -> None:
    seen = look(path)
    assert (seen.outcome, seen.status, seen.failure) == (outcome, status, failure)


def test_what_is_the_same_is_told_by_the_site_by_its_words_or_by_a_version() -> None:
    own = text_digest(TEXT)
    assert look("/text", etag='"1"', digest=own).outcome is Outcome.UNCHANGED
    assert look("/text", digest=own).outcome is Outcome.SAME
    assert look("/text", known=[own]).outcome is Outcome.SAME
    assert look("/text", digest=text_digest("other")).outcome is Outcome.CHANGED
    changed = look("/text", etag='"0"', digest=text_digest("other"), known=[own])
    assert (changed.outcome, changed.text, changed.digest) == (Outcome.CHANGED, TEXT, own)


def test_a_format_without_words_here_is_known_by_its_bytes() -> None:
    seen = look("/pdf")
    assert (seen.text, seen.digest) == (None, seen.bytes_digest)
    assert look("/pdf", digest=seen.digest).outcome is Outcome.SAME


def test_a_move_for_good_is_told_beside_what_it_leads_to() -> None:
    good, now = look("/for-good"), look("/for-now")
    assert (good.moved, good.outcome, good.final_uri.rpartition("/")[2]) == (True, Outcome.FIRST, "new")  # fmt: skip
    assert (now.moved, now.outcome) == (False, Outcome.FIRST)


def test_signals_stand_with_their_channel_and_time() -> None:
    seen = look("/text")
    at = seen.at.isoformat()
    assert list(seen.signals) == [
        {"signal": name, "value": said, "channel": channel, "at": at}
        for name, said, channel in (
            ("content-usage", "train-ai=n", "robots.txt"),
            ("tdm-reservation", "1", "tdmrep.json"),
            ("tdm-policy", "https://p.example", "tdmrep.json"),
            ("x-robots-tag", "noai", "header"),
        )
    ]


def test_a_site_that_asks_for_time_is_given_it() -> None:
    assert look("/busy").retry_after == 120


def test_nobody_there_and_nobody_of_that_name() -> None:
    with site(behave) as (base, _):
        """The port is free again afterwards."""
    assert probe(Target(f"{base}/text", "here")).outcome is Outcome.UNREACHABLE
    seen = probe(Target("http://no-such-host.invalid/", "here"))
    assert (seen.outcome, seen.failure) == (Outcome.UNREACHABLE, "name_unknown")


@pytest.mark.parametrize("uri", ["http://10.0.0.1/", "ftp://example.org/x", "s3://bucket/x", "http://[::1", "mailto:a@example.org"])  # fmt: skip
def test_such_an_address_is_not_looked_at(uri: str) -> None:
    assert probe(Target(uri, "here")).outcome is Outcome.REFUSED


def test_without_an_address_there_is_nothing_to_look_at() -> None:
    assert probe(Target("", "here")).outcome is Outcome.NO_ADDRESS


def test_a_robots_file_that_cannot_be_read_forbids() -> None:
    def broken(asked: Asked) -> None:
        asked.reply(500 if asked.path == "/robots.txt" else 200, b"text")

    with site(broken) as (base, asked):
        seen = probe(Target(f"{base}/text", "here"))
    assert (seen.outcome, seen.status) == (Outcome.UNREACHABLE, 500)
    assert [path for path, _ in asked] == ["/robots.txt"]


def test_a_site_is_asked_for_its_rules_once() -> None:
    with site(behave) as (base, asked):
        for _ in range(3):
            probe(Target(f"{base}/text", "here"))
    assert [path for path, _ in asked].count("/robots.txt") == 1


def test_a_secret_goes_to_its_site_for_its_workspace_alone() -> None:
    with (
        site(behave) as (base, asked),
        site(behave) as (other, asked_other),
        override_settings(FETCH_SECRETS={"DOCS": f"here {base} Authorization: Bearer x"}),
    ):
        seen = probe(Target(f"{base}/text", "here"))
        probe(Target(f"{base}/text", "there"))
        probe(Target(f"{other}/text", "here"))
    told = [headers.get("authorization") for path, headers in asked if path == "/text"]
    assert (seen.credential, told) == ("DOCS", ["Bearer x", None])
    assert not any("authorization" in headers for _, headers in asked_other)


def test_files_are_read_below_the_folders_of_a_workspace_alone(tmp_path: Path) -> None:
    folder, outside = tmp_path / "open", tmp_path / "closed.txt"
    folder.mkdir()
    (folder / "a b.md").write_text(TEXT)
    outside.write_text("secret")
    (folder / "link").symlink_to(outside)
    (tmp_path / "open-too").mkdir()
    (tmp_path / "open-too" / "x").write_text("secret")

    def read(uri: str, workspace: str = "here", **known: str) -> Probed:
        with override_settings(FETCH_FOLDERS=[f"here={folder}"]):
            return probe(Target(uri, workspace, **known))

    base = f"file://{folder}"
    seen = read(f"{base}/a%20b.md")
    assert (seen.outcome, seen.text, seen.media_type) == (Outcome.FIRST, TEXT, "text/markdown")
    again = read(f"{base}/a%20b.md", etag=seen.etag)
    assert again.outcome is Outcome.UNCHANGED
    assert read(f"{base}/none").outcome is Outcome.GONE
    for uri in (
        f"file://{outside}", f"{base}/../closed.txt", f"{base}/%2e%2e/closed.txt", f"{base}/link",
        f"file://{tmp_path}/open-too/x", "file:///etc/passwd", f"file://elsewhere{folder}/a%20b.md",
    ):  # fmt: skip
        assert read(uri).outcome is Outcome.REFUSED, uri
    assert read(f"{base}/a%20b.md", "there").outcome is Outcome.REFUSED
