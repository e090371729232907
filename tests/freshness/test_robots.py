"""What a robots.txt asks for; the examples of RFC 9309 and what sites write."""

import time

import pytest

from lineage.freshness.robots import matches, read_robots

pytestmark = pytest.mark.engine_free

AGENT = "Provexplorer/0.1 (+https://example.org)"


@pytest.mark.parametrize(
    "pattern, path, fits",
    [
        ("/", "/a", True), ("/a", "/a/b", True), ("/a/", "/a", False), ("/a", "/b", False),
        ("/*.pdf", "/x/y.pdf?z", True), ("/*.pdf$", "/x/y.pdf?z", False), ("/*.pdf$", "/x.pdf", True),
        ("/a$", "/a", True), ("/a$", "/ab", False), ("/a*b*c", "/a1b2c3", True),
        ("/a*b*c$", "/abcbc", True), ("/a*c*c$", "/ac", False), ("*", "/anything", True),
        ("/**", "/x", True), ("/x*$", "/xyz", True), ("/A", "/a", False),
    ],
)  # fmt: skip
def test_patterns(pattern: str, path: str, fits: bool) -> None:
    assert matches(pattern, path) is fits


def test_a_pattern_of_stars_takes_no_time() -> None:
    began = time.monotonic()
    assert not matches("/" + "*a" * 2_000 + "$", "/" + "a" * 1_900 + "b" * 50_000)
    assert time.monotonic() - began < 1


@pytest.mark.parametrize(
    "text, path, allowed",
    [
        ("", "/a", True),
        ("User-agent: *\nDisallow: /", "/a", False),
        ("User-agent: *\nDisallow:", "/a", True),
        # The longest match, and Allow at a tie.
        ("User-agent: *\nAllow: /p\nDisallow: /", "/page", True),
        ("User-agent: *\nDisallow: /p\nAllow: /p", "/page", True),
        ("User-agent: *\nAllow: /folder\nDisallow: /folder/page", "/folder/page", False),
        # A group of our own excludes the one for all; several of our own are one.
        ("User-agent: *\nDisallow: /\n\nUser-agent: provexplorer\nDisallow: /x", "/a", True),
        ("User-agent: PROVEXPLORER/9\nDisallow: /a\nUser-agent: o\nDisallow: /\nUser-agent: provexplorer\nDisallow: /b", "/b/c", False),
        ("User-agent: a\nUser-agent: provexplorer\nDisallow: /a", "/a", False),
        ("User-agent: provexplorer-other\nDisallow: /", "/a", True),
        # Comments, blanks, a byte order mark, lines of others, no group at all.
        ("\ufeffuser-agent : * # all\n disallow : /a # not this\nSitemap: /x", "/a", False),
        ("Disallow: /", "/a", True),
        ("User-agent: *\nCrawl-delay: 5\nDisallow: /a", "/a", False),
        # The same octets, however they are written.
        ("User-agent: *\nDisallow: /caf\u00e9", "/caf%C3%A9", False),
        ("User-agent: *\nDisallow: /a%3cd.html", "/a%3Cd.html", False),
        ("User-agent: *\nDisallow: /a%2Fb", "/a/b", True),
        ("User-agent: *\nDisallow: /*?secret=", "/a?secret=1", False),
        ("<html>no such file</html>", "/a", True),
    ],
)  # fmt: skip
def test_what_may_be_read(text: str, path: str, allowed: bool) -> None:
    assert read_robots(text, AGENT).allows(path) is allowed


def test_preferences_and_pauses_are_told() -> None:
    robots = read_robots(
        "User-agent: *\nCrawl-delay: 2.5\nContent-Usage: train-ai=n\n"
        "Content-Usage: /open/ train-ai=y, search=y\nAllow: /",
        AGENT,
    )
    assert robots.delay == 2.5
    assert robots.usage("/a") == "train-ai=n"
    assert robots.usage("/open/a") == "train-ai=y, search=y"
    assert read_robots("User-agent: *\nCrawl-delay: -1", AGENT).delay is None
