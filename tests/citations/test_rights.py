"""Licences: named only where the statement is one that is known."""

import pytest

from citations.rights import Licence, licence_of

pytestmark = pytest.mark.engine_free


def test_nothing_stated_is_nothing_shown() -> None:
    assert licence_of(None) is None
    assert licence_of("", "", "  ") is None


@pytest.mark.parametrize(
    ("stated", "shown"),
    [
        ("CC BY", "CC BY"),
        ("CC-BY", "CC-BY"),
        ("CC-BY-9.9", "CC-BY-9.9"),
        ("cc-by-4.0", "cc-by-4.0"),
        ("MIT OR Apache-2.0", "MIT OR Apache-2.0"),
        ("LicenseRef-CC-BY", "CC BY"),
        ("LicenseRef-house-rules", "house rules"),
    ],
)
def test_what_is_not_known_stands_as_stated(stated: str, shown: str) -> None:
    assert licence_of(stated) == Licence(shown, None, None, (), None, expression=stated)


def test_a_reference_is_shown_in_the_words_of_the_source() -> None:
    assert licence_of("LicenseRef-CC-BY", None, "CC BY, as the article header says") == Licence(
        "CC BY, as the article header says", None, None, (), None, expression="LicenseRef-CC-BY"
    )
    assert licence_of(None, "https://example.org/l", "All rights reserved") == Licence(
        "All rights reserved", None, None, (), "https://example.org/l"
    )


def test_public_domain_is_told() -> None:
    found = licence_of("LicenseRef-US-public-domain")
    assert found == Licence(
        "US public domain",
        None,
        None,
        (),
        None,
        public_domain=True,
        expression="LicenseRef-US-public-domain",
    )


@pytest.mark.parametrize(
    ("spdx", "name", "asks", "url"),
    [
        (
            "CC-BY-4.0",
            "Creative Commons Attribution 4.0 International",
            ("attribution", "changes"),
            "https://creativecommons.org/licenses/by/4.0/",
        ),
        (
            "CC-BY-NC-SA-3.0",
            "Creative Commons Attribution-NonCommercial-ShareAlike 3.0 Unported",
            ("attribution", "changes", "non_commercial", "share_alike"),
            "https://creativecommons.org/licenses/by-nc-sa/3.0/",
        ),
        (
            "CC-BY-ND-2.5",
            "Creative Commons Attribution-NoDerivatives 2.5 Generic",
            ("attribution", "no_derivatives"),
            "https://creativecommons.org/licenses/by-nd/2.5/",
        ),
        ("MIT", "MIT License", ("notice",), "https://opensource.org/license/mit/"),
        (
            "Apache-2.0",
            "Apache License 2.0",
            ("notice", "changes"),
            "https://www.apache.org/licenses/LICENSE-2.0",
        ),
    ],
)
def test_known_licences_have_a_name_and_what_they_ask(
    spdx: str, name: str, asks: tuple[str, ...], url: str
) -> None:
    found = licence_of(spdx)
    assert found is not None
    assert (found.as_stated, found.spdx, found.name, found.asks, found.url) == (
        spdx,
        spdx,
        name,
        asks,
        url,
    )


def test_a_dedication_asks_nothing_and_the_stated_address_wins() -> None:
    assert licence_of("CC0-1.0", "https://example.org/cc0") == Licence(
        "CC0-1.0",
        "CC0-1.0",
        "Creative Commons Zero v1.0 Universal",
        (),
        "https://example.org/cc0",
        public_domain=True,
        expression="CC0-1.0",
    )
