"""Identifiers in one form each; expectations from the DOI Handbook, orcid.org and ror.org."""

import pytest

from lineage.formats.scholarly import normal_doi, normal_orcid, normal_pmid, normal_ror

pytestmark = pytest.mark.engine_free


@pytest.mark.parametrize(
    ("written", "doi"),
    [
        ("10.1371/journal.pbio.0000010", "10.1371/journal.pbio.0000010"),
        ("https://doi.org/10.1371/JOURNAL.pbio.0000010", "10.1371/journal.pbio.0000010"),
        ("http://dx.doi.org/10.1000%2FABC", "10.1000/abc"),
        # Percent signs are its own where it did not come as an address.
        ("10.1000/a%2Fb", "10.1000/a%2fb"),
        ("doi: 10.1000/ABC.", "10.1000/abc"),
        ("info:doi/10.1000/1", "10.1000/1"),
        ("(10.1000/1)", ""),
        ("10.1000/1),", "10.1000/1"),
        ("10.1016/s0140-6736(97)11096-0", "10.1016/s0140-6736(97)11096-0"),
        (
            "10.1002/(SICI)1097-4636(199823)43:4<338::AID-JBM2>3.0.CO;2-B",
            "10.1002/(sici)1097-4636(199823)43:4<338::aid-jbm2>3.0.co;2-b",
        ),
        # Only ASCII letters are folded.
        ("10.1000/ÄB", "10.1000/Äb"),
        ("10.1000/a b", ""),
        ("10.1000/a\0", ""),
        ("10.1000/", ""),
        ("unavailable", ""),
        ("0", ""),
        ("", ""),
        ("10.1000/" + "x" * 600, ""),
    ],
)
def test_doi(written: str, doi: str) -> None:
    assert normal_doi(written) == doi
    assert normal_doi(doi) == doi


@pytest.mark.parametrize(
    ("written", "pmid"),
    [
        ("37476288.0", "37476288"),
        ("37476288", "37476288"),
        ("PMID: 0123", "123"),
        ("https://pubmed.ncbi.nlm.nih.gov/37476288/", "37476288"),
        ("0", ""),
        ("0.0", ""),
        ("12.5", ""),
        ("123456789012", ""),
        ("", ""),
    ],
)
def test_pmid(written: str, pmid: str) -> None:
    assert normal_pmid(written) == pmid


@pytest.mark.parametrize(
    ("written", "orcid"),
    [
        ("http://orcid.org/0000-0001-7754-0804", "0000-0001-7754-0804"),
        ("0000000218250097", "0000-0002-1825-0097"),
        ("https://orcid.org/0000-0002-9079-593x", "0000-0002-9079-593X"),
        ("0000-0002-1825-0098", ""),
        ("someone", ""),
    ],
)
def test_orcid(written: str, orcid: str) -> None:
    assert normal_orcid(written) == orcid


@pytest.mark.parametrize(
    ("written", "ror"),
    [
        ("https://ror.org/02mhbdp94", "https://ror.org/02mhbdp94"),
        ("02MHBDP94", "https://ror.org/02mhbdp94"),
        ("https://ror.org/02mhbdp95", ""),
        ("grid.5170.3", ""),
    ],
)
def test_ror(written: str, ror: str) -> None:
    assert normal_ror(written) == ror
