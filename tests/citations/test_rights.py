"""Licences: named only where the statement means one that is known."""

import pytest

from citations.rights import Licence, LicencePart, licence_of

pytestmark = pytest.mark.engine_free


def test_nothing_stated_is_nothing_shown() -> None:
    assert licence_of(None) is None
    assert licence_of("", "", "  ") is None
    assert licence_of("NOASSERTION") is None


@pytest.mark.parametrize(
    ("stated", "shown"),
    [
        ("CC BY", "CC BY"),
        ("CC-BY", "CC-BY"),
        ("CC-BY-9.9", "CC-BY-9.9"),
        ("MIT And ISC", "MIT And ISC"),
        ("LicenseRef-CC-BY", "CC BY"),
        ("LicenseRef-house-rules", "house rules"),
        ("DocumentRef-a:LicenseRef-house-rules", "house rules"),
    ],
)
def test_what_is_not_known_stands_as_stated(stated: str, shown: str) -> None:
    found = licence_of(stated)
    assert found == Licence(shown, None, None, (), None, expression=stated)
    assert found is not None
    assert not found.assessed


def test_a_reference_is_shown_in_the_words_of_the_source() -> None:
    assert licence_of("LicenseRef-CC-BY", None, "CC BY, as the article header says") == Licence(
        "CC BY, as the article header says", None, None, (), None, expression="LicenseRef-CC-BY"
    )
    assert licence_of(None, "https://example.org/l", "All rights reserved") == Licence(
        "All rights reserved", None, None, (), "https://example.org/l"
    )
    assert licence_of(None, "https://example.org/l") == Licence(
        "https://example.org/l", None, None, (), "https://example.org/l"
    )


def test_public_domain_is_told() -> None:
    assert licence_of("LicenseRef-US-public-domain") == Licence(
        "US public domain", None, None, (), None, True, "LicenseRef-US-public-domain"
    )


@pytest.mark.parametrize(
    ("words", "public"),
    [
        ("Public domain (US federal government work)", True),
        ("Not subject to copyright; in the public domain", True),
        ("This work is not in the public domain", False),
        ("No longer public domain: see the notice", False),
        ("It isn't in the Public-Domain yet", False),
        ("LicenseRef-not-public-domain", False),
    ],
)
def test_words_that_deny_the_public_domain_are_not_taken_for_it(words: str, public: bool) -> None:
    found = licence_of(words)
    assert found is not None
    assert found.public_domain is public


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
        (
            "CC-BY-NC-ND-3.0-DE",
            "Creative Commons Attribution Non Commercial No Derivatives 3.0 Germany",
            ("attribution", "non_commercial", "no_derivatives"),
            "https://creativecommons.org/licenses/by-nc-nd/3.0/de/",
        ),
        ("MIT", "MIT License", ("notice",), "https://opensource.org/license/mit/"),
        (
            "Apache-2.0",
            "Apache License 2.0",
            ("notice", "changes"),
            "https://www.apache.org/licenses/LICENSE-2.0",
        ),
        (
            "AGPL-3.0-or-later",
            "GNU Affero General Public License v3.0 or later",
            ("notice", "changes", "share_alike", "source_code", "network_use"),
            "https://spdx.org/licenses/AGPL-3.0-or-later.html",
        ),
        ("ODbL-1.0", "Open Data Commons Open Database License v1.0", ("attribution", "share_alike"),
         "https://opendatacommons.org/licenses/odbl/1-0/"),
    ],
)  # fmt: skip
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
    assert found.assessed
    assert not found.stated_otherwise


def test_a_dedication_asks_nothing_and_the_stated_address_wins() -> None:
    found = licence_of("CC0-1.0", "https://example.org/cc0")
    assert found == Licence(
        "CC0-1.0",
        "CC0-1.0",
        "Creative Commons Zero v1.0 Universal",
        (),
        "https://example.org/cc0",
        public_domain=True,
        expression="CC0-1.0",
        assessed=True,
    )


def test_a_listed_licence_that_nobody_has_read_asks_something_unknown() -> None:
    found = licence_of("AAL")
    assert found is not None
    assert (found.spdx, found.name, found.asks) == ("AAL", "Attribution Assurance License", ())
    assert not found.assessed


@pytest.mark.parametrize(
    ("stated", "address", "spdx"),
    [
        ("CC BY 4.0", None, "CC-BY-4.0"),
        ("cc-by-4.0", None, "CC-BY-4.0"),
        ("https://creativecommons.org/licenses/by/4.0/", None, "CC-BY-4.0"),
        ("GPL-2.0", None, "GPL-2.0-only"),
        ("CC BY", "https://creativecommons.org/licenses/by/2.0/", "CC-BY-2.0"),
    ],
)
def test_another_spelling_is_read_and_shown_beside(
    stated: str, address: str | None, spdx: str
) -> None:
    found = licence_of(stated, address)
    assert found is not None
    assert (found.spdx, found.as_stated, found.expression) == (spdx, stated, stated)
    assert found.stated_otherwise


def test_of_a_choice_only_what_each_asks_is_asked() -> None:
    found = licence_of("MIT OR Apache-2.0")
    assert found is not None
    assert (found.spdx, found.name, found.operator) == ("MIT OR Apache-2.0", None, "OR")
    assert found.asks == ("notice",)
    assert [(part.text, part.asks) for part in found.parts] == [
        ("MIT", ("notice",)),
        ("Apache-2.0", ("notice", "changes")),
    ]


def test_of_several_at_once_all_is_asked() -> None:
    found = licence_of("CC-BY-4.0 AND (MIT OR ODbL-1.0)")
    assert found is not None
    assert (found.operator, found.assessed) == ("AND", True)
    # Of the choice within nothing is asked in any case.
    assert found.asks == ("attribution", "changes")
    assert found.parts[1] == LicencePart("MIT OR ODbL-1.0", None, (), None, chooses=True)


def test_with_an_own_reference_among_them_nothing_is_complete() -> None:
    found = licence_of("CC-BY-4.0 AND LicenseRef-house")
    assert found is not None
    assert (found.spdx, found.assessed, found.asks) == (None, False, ())
    assert [(part.text, part.assessed, part.url) for part in found.parts] == [
        ("CC-BY-4.0", True, "https://creativecommons.org/licenses/by/4.0/"),
        ("LicenseRef-house", False, None),
    ]
