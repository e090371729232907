"""Attribution by title, author, source and licence: what is stated, in three forms that say the same."""

from datetime import UTC, datetime

import pytest
from django.utils import translation
from markdown_it import MarkdownIt

from citations.bibliography import Publisher
from citations.exports.attribution import attribution_of, attributions_html, attributions_markdown
from citations.rights import licence_of
from tests.citations.exports.works_made import article, creator, work

pytestmark = pytest.mark.engine_free

AT = datetime(2026, 2, 1, 23, 30, tzinfo=UTC)


def test_of_a_work_that_states_nothing_all_is_missing() -> None:
    found = attribution_of(work().book)
    assert found.text == "Work without a stated title. Licence not stated."
    assert found.missing == ("title", "creator", "licence")


def test_all_that_is_stated_stands_in_one_sentence() -> None:
    found = attribution_of(article().book, AT)
    assert found.text == (
        "“Dispersal of corals” (https://doi.org/10.1234/corals) by van Beethoven, Ludwig and World "
        "Health Organization (version 2, 2003-10-17), Journal of Reefs. Licence: CC BY 4.0 "
        "(https://creativecommons.org/licenses/by/4.0/). Retrieved 2026-02-01."
    )
    assert found.missing == ()


def test_editors_are_no_authors_and_a_version_named_by_its_day_says_it_once() -> None:
    book = article(
        creators=(creator("Ed", "editor"),), container_title=None, version="2003-10-17", doi=None
    ).book
    found = attribution_of(book)
    assert found.missing == ("creator",)
    assert found.text.startswith(
        "“Dispersal of corals” (https://example.org/corals) (version 2003-10-17), Open Press. "
    )


@pytest.mark.parametrize(
    ("stated", "told"),
    [
        ("CC0-1.0", "Licence: CC0-1.0 (https://creativecommons.org/publicdomain/zero/1.0/)."),
        ("CC BY", "Licence: CC BY."),
        ("CC-BY-SA-3.0-DE", "Licence: CC BY-SA 3.0 DE (https://creativecommons.org/licenses/by-sa/3.0/de/)."),
        ("MIT OR Apache-2.0", "Licence: MIT (https://opensource.org/license/mit/) or Apache-2.0 (https://www.apache.org/licenses/LICENSE-2.0)."),
        ("LicenseRef-US-public-domain", "Public domain, as stated: US public domain."),
    ],
)  # fmt: skip
def test_a_licence_is_told_as_its_makers_write_it(stated: str, told: str) -> None:
    assert attribution_of(article(license=licence_of(stated)).book).text.endswith(f". {told}")


def test_hostile_words_are_no_markup_anywhere() -> None:
    title = "<script>*a*</script> [b](javascript:alert(1)) \u202e_c_\n# d"
    book = article(title=title, uri="javascript:alert(1)", doi=None, version=None,
                   publisher=Publisher("1. P", None, None)).book  # fmt: skip
    found = attribution_of(book)
    assert "<script>" not in found.html
    assert "javascript:alert(1)" not in "".join(part.address for part in found.parts)
    rendered = MarkdownIt("commonmark", {"html": True}).render(attributions_markdown([found]))
    assert "<script>" not in rendered
    assert "<em>" not in rendered
    assert rendered.count("<a ") == 1  # of the licence alone
    assert "U+202E" in found.text
    assert "\n" not in found.text


def test_html_and_markdown_lead_to_the_same_addresses() -> None:
    found = attribution_of(article().book, AT)
    rendered = MarkdownIt("commonmark").render(found.markdown)
    assert rendered == f"<p>{found.html}</p>\n"


def test_it_is_told_in_the_readers_language_and_says_which() -> None:
    with translation.override("pt-br"):
        assert attributions_html([]).startswith('<ul lang="pt-br">')
