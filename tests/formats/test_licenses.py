"""Stated licences: expressions in their normal form, spellings that mean one, and words that stay words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lineage.formats.license_expressions import NoExpression, read_expression, terms_of
from lineage.formats.license_list import SUCCESSORS, license_listed
from lineage.formats.licenses import read_license

pytestmark = pytest.mark.engine_free


@pytest.mark.parametrize(
    "text",
    [
        "", "NONE", "noassertion", "MIT OR", "OR MIT", "MIT And Apache-2.0", "MIT/Apache-2.0", "MIT MIT",
        "MIT WITH Apache-2.0", "Classpath-exception-2.0", "MIT WITH", "WITH Classpath-exception-2.0",
        "(MIT", "MIT)", "()", "MIT +", "licenseref-house", "LicenseRef-", "LicenseRef-a b", "LicenseRef-a_b",
        "LicenseRef-house+", "(MIT OR ISC) WITH Classpath-exception-2.0", "GPL-2.0-only WITH additionref-x",
        "MIT, ISC", "(" * 21 + "MIT" + ")" * 21, "(" * 250 + ")" * 250, "MIT OR " * 100 + "MIT",
    ],
)  # fmt: skip
def test_what_is_no_expression_is_refused(text: str) -> None:
    with pytest.raises(NoExpression):
        read_expression(text)


def test_identifiers_that_nobody_knows_are_named() -> None:
    with pytest.raises(NoExpression) as refused:
        read_expression("MIT OR Foo-1.0 AND CC-BY WITH Bar-exception")
    assert refused.value.unknown == ("Foo-1.0", "CC-BY", "Bar-exception")


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("mit", "MIT"),
        ("cc-by-sa-4.0", "CC-BY-SA-4.0"),
        ("Apache-2.0+", "Apache-2.0+"),
        ("mit and isc", "MIT AND ISC"),
        ("GPL-2.0", "GPL-2.0-only"),
        ("GPL-2.0+", "GPL-2.0-or-later"),
        ("gpl-3.0-only+", "GPL-3.0-or-later"),
        ("LGPL-2.1+ WITH GCC-exception-3.1", "LGPL-2.1-or-later WITH GCC-exception-3.1"),
        ("GPL-2.0-with-classpath-exception", "GPL-2.0-only WITH Classpath-exception-2.0"),
        ("gpl-2.0-only with classpath-EXCEPTION-2.0", "GPL-2.0-only WITH Classpath-exception-2.0"),
        ("GPL-2.0-only WITH AdditionRef-x", "GPL-2.0-only WITH AdditionRef-x"),
        ("LicenseRef-House.Rules-1", "LicenseRef-House.Rules-1"),
        ("DocumentRef-a:LicenseRef-b", "DocumentRef-a:LicenseRef-b"),
        # AND binds before OR; parentheses stay only where they are needed.
        ("MIT OR ISC AND Zlib", "MIT OR ISC AND Zlib"),
        ("((MIT OR ISC)) AND (Zlib)", "(MIT OR ISC) AND Zlib"),
        ("MIT OR (ISC OR MIT)", "MIT OR ISC"),
        ("(MIT)", "MIT"),
    ],
)  # fmt: skip
def test_an_expression_has_one_normal_form(text: str, normal: str) -> None:
    assert str(read_expression(text)) == normal
    assert str(read_expression(normal)) == normal


def test_what_the_list_has_replaced_is_told() -> None:
    assert read_expression("GPL-2.0 OR mit").deprecated == ("GPL-2.0",)
    assert read_expression("GPL-2.0-only").deprecated == ()


def test_every_successor_is_an_expression_of_current_identifiers() -> None:
    for old, new in SUCCESSORS.items():
        listed = license_listed(old)
        assert listed is not None, old
        assert listed.deprecated, old
        assert read_expression(new).deprecated == (), old


@pytest.mark.parametrize(
    ("words", "normal"),
    [
        ("CC BY 4.0", "CC-BY-4.0"),
        ("CC-BY 4.0", "CC-BY-4.0"),
        ("cc by-nc-sa 3.0 Unported", "CC-BY-NC-SA-3.0"),
        ("CC BY-ND-NC 1.0", "CC-BY-NC-ND-1.0"),
        ("CC BY-SA 2.0 UK", "CC-BY-SA-2.0-UK"),
        ("CC0", "CC0-1.0"),
        ("CC0 1.0 Universal", "CC0-1.0"),
        ("Creative Commons Attribution 4.0 International License", "CC-BY-4.0"),
        ("Creative Commons Attribution-NonCommercial-ShareAlike 4.0", "CC-BY-NC-SA-4.0"),
        ("mit license", "MIT"),
        ("https://creativecommons.org/licenses/by/4.0/", "CC-BY-4.0"),
        ("http://creativecommons.org/licenses/by-nc-nd/3.0/de/deed.en", "CC-BY-NC-ND-3.0-DE"),
        ("https://creativecommons.org/publicdomain/zero/1.0/legalcode", "CC0-1.0"),
        ("https://www.apache.org/licenses/LICENSE-2.0.txt", "Apache-2.0"),
        ("https://www.gnu.org/licenses/gpl-3.0.en.html", "GPL-3.0-only"),
        ("https://spdx.org/licenses/BSD-3-Clause.html", "BSD-3-Clause"),
    ],
)
def test_spellings_and_addresses_mean_what_they_name(words: str, normal: str) -> None:
    read = read_license(words)
    assert (read.how, read.normal) == ("spelling", normal)


@pytest.mark.parametrize(
    "words",
    [
        "CC BY", "CC-BY", "CC BY 9.9", "Creative Commons", "All rights reserved", "Public domain", "BSD",
        "https://example.org/licenses/by/4.0/", "https://creativecommons.org/licenses/", "MIT-ish",
        "https://creativecommons.org.example.org/licenses/by/4.0/", "x" * 3_000,
    ],
)  # fmt: skip
def test_words_that_may_mean_several_stay_words(words: str) -> None:
    read = read_license(words)
    assert (read.how, read.normal) == ("unknown", "")


def test_nothing_stated_is_no_licence_but_an_address_may_be() -> None:
    for nothing in (None, "", "  ", "NONE", "NOASSERTION"):
        assert read_license(nothing).how == "unstated"
    assert read_license(None, "https://creativecommons.org/licenses/by/2.0/").normal == "CC-BY-2.0"
    assert (
        read_license("CC BY", "https://creativecommons.org/licenses/by/2.0/").normal == "CC-BY-2.0"
    )
    # Where the words are clear, the address does not change them.
    assert read_license("MIT", "https://creativecommons.org/licenses/by/2.0/").normal == "MIT"


_TERMS = st.sampled_from(["MIT", "ISC", "GPL-2.0-or-later", "Zlib+", "LicenseRef-a"])
_TREES = st.recursive(
    _TERMS,
    lambda inner: st.tuples(inner, st.sampled_from([" AND ", " OR "]), inner).map(
        lambda some: "(" + "".join(some) + ")"
    ),
    max_leaves=6,
)


@given(_TREES)
def test_a_normal_form_reads_as_itself_and_loses_no_licence(text: str) -> None:
    read = read_expression(text)
    again = read_expression(str(read))
    assert again.tree == read.tree
    assert {str(term) for term in terms_of(read.tree)} == set(
        text.replace("(", " ").replace(")", " ").split()
    ) - {"AND", "OR"}


@given(st.text(alphabet="()+ -.ANDORWITHmitGPL20", max_size=60))
def test_no_words_break_the_reading(text: str) -> None:
    assert read_license(text).how in {"expression", "spelling", "unknown", "unstated"}
