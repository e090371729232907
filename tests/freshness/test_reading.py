"""The words of a body, by what it is."""

import pytest

from lineage.freshness.reading import read_page

pytestmark = pytest.mark.engine_free

PAGE = """<!DOCTYPE html><html><head><title>T</title><meta charset="utf-8">
<meta name="TDM-Reservation" content="1"><style>p { color: red }</style></head>
<body><nav><a href="/">Home</a></nav><script>var no = "<p>not this</p>";</script>
<h1>A  title</h1><p>First <b>para</b>graph,
continued.</p><p>Second<br>line &amp; more</p><ul><li>one</li><li>two</li></ul>
<pre>kept   as
  it is</pre><table><tr><td>a</td><td>b</td></tr></table><template>no</template></body></html>"""


def text(body: bytes, kind: str) -> str | None:
    page = read_page(body, kind)
    return page.text if page is not None else None


def test_of_html_what_a_reader_sees() -> None:
    page = read_page(PAGE.encode(), "text/html; charset=utf-8")
    assert page is not None
    assert page.text == (
        "Home\n\nA title\n\nFirst paragraph, continued.\n\nSecond\nline & more\n\none\n\ntwo\n\n"
        "kept   as\nit is\n\na\tb"
    )
    assert ("tdm-reservation", "1") in page.metas
    assert not page.asks_password


@pytest.mark.parametrize(
    "body, kind, words",
    [
        (b"plain  text\n", "text/plain", "plain  text\n"),
        (b"# Title\n\n* a", "text/markdown; charset=utf-8", "# Title\n\n* a"),
        ("caf\u00e9".encode("latin-1"), "text/plain; charset=iso-8859-1", "caf\u00e9"),
        ("caf\u00e9".encode("latin-1"), "text/plain", "caf\u00e9"),
        ("caf\u00e9".encode("utf-16"), "text/plain", "caf\u00e9"),
        ("\ufeffcaf\u00e9".encode(), "", "caf\u00e9"),
        (b"x", "text/plain; charset=no-such", "x"),
        ("<p>caf\u00e9</p>".encode(), "text/html", "caf\u00e9"),
        ("<p>caf\u00e9</p>".encode("latin-1"), "text/html; charset=latin-1", "caf\u00e9"),
        ('<meta charset="iso-8859-1"><p>caf\u00e9</p>'.encode("latin-1"), "text/html", "caf\u00e9"),
        (b'<?xml version="1.0" encoding="utf-8"?><html><p>x</p></html>', "application/xhtml+xml", "x"),
        (b"<!doctype html><p>sniffed</p>", "", "sniffed"),
        (b"", "text/html", ""),
        (b"%PDF-1.7\n\x00\x01", "application/pdf", None),
        (b"\x89PNG\x00", "", None),
    ],
)  # fmt: skip
def test_words_by_kind(body: bytes, kind: str, words: str | None) -> None:
    assert text(body, kind) == words


def test_what_is_nested_without_end_is_read_all_the_same() -> None:
    assert text(b"<div>" * 50_000 + b"x", "text/html") is not None


def test_entities_are_not_followed() -> None:
    bomb = (
        b'<!DOCTYPE html [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">'
        b'<!ENTITY f SYSTEM "file:///etc/passwd">]><html><p>&b;&f;</p></html>'
    )
    words = text(bomb, "text/html")
    assert words is not None
    assert "root:" not in words
    assert "aaaaaaaaaaaaaaaaaaaa" not in words
