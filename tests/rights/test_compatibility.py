"""Which licences' texts may go into one adaptation; expected by the licences' own terms."""

import pytest

from lineage.formats.license_expressions import read_expression
from lineage.rights.compatibility import Conflict, conflicts_of

pytestmark = pytest.mark.engine_free


def _conflicts(*texts: str) -> tuple[Conflict, ...]:
    return conflicts_of([read_expression(text).tree for text in texts])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("CC-BY-SA-4.0", "GFDL-1.3-only"),
        ("CC-BY-SA-4.0", "ODbL-1.0"),
        ("CC-BY-SA-4.0", "CC-BY-NC-SA-4.0"),
        ("CC-BY-SA-1.0", "CC-BY-SA-4.0"),
        ("CC-BY-SA-4.0", "GPL-2.0-only"),
        ("CC-BY-SA-3.0", "GPL-3.0-only"),
        ("GPL-2.0-only", "GPL-3.0-or-later"),
        ("EPL-2.0", "GPL-3.0-only"),
        ("CC-BY-SA-4.0 AND MIT", "ODbL-1.0 AND MIT"),
        ("CC-BY-SA-4.0 OR ODbL-1.0", "GFDL-1.3-only"),
    ],
)
def test_two_that_each_want_their_own_terms_conflict(one: str, other: str) -> None:
    assert _conflicts(one, other) == (Conflict(0, 1, "share_alike"),)
    assert _conflicts(other, one) == (Conflict(0, 1, "share_alike"),)


@pytest.mark.parametrize(
    ("one", "other"),
    [("CC-BY-SA-4.0", "CC-BY-NC-4.0"), ("CC-BY-NC-ND-4.0", "CC-BY-SA-2.0"), ("ODbL-1.0", "NCGL-UK-2.0")],
)  # fmt: skip
def test_non_commercial_is_a_restriction_that_sharing_alike_forbids(one: str, other: str) -> None:
    assert _conflicts(one, other) == (Conflict(0, 1, "share_alike_non_commercial"),)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("CC-BY-4.0", "CC-BY-SA-4.0"),
        ("CC-BY-SA-4.0", "CC-BY-SA-4.0"),
        ("CC-BY-SA-2.0-UK", "CC-BY-SA-3.0-DE"),
        ("CC-BY-SA-4.0", "GPL-3.0-only"),
        ("CC-BY-NC-4.0", "CC-BY-NC-SA-4.0"),
        ("CC-BY-NC-4.0", "CC-BY-ND-4.0"),
        ("GPL-2.0-or-later", "GPL-3.0-only"),
        ("GPL-3.0-only", "AGPL-3.0-only"),
        ("LGPL-2.1-only", "GPL-3.0-only"),
        ("MPL-2.0", "GPL-2.0-only"),
        ("EUPL-1.2", "CC-BY-SA-3.0"),
        # One way to choose is enough.
        ("GFDL-1.3-only OR CC-BY-SA-4.0", "CC-BY-SA-4.0"),
        # Nothing is claimed of what nobody knows.
        ("LicenseRef-house", "CC-BY-SA-4.0"),
        ("AAL", "CC-BY-SA-4.0"),
    ],
)
def test_what_may_go_together_does_not_conflict(one: str, other: str) -> None:
    assert _conflicts(one, other) == ()
    assert _conflicts(other, one) == ()


def test_each_pair_of_many_is_told_once() -> None:
    assert _conflicts("CC-BY-4.0", "CC-BY-SA-4.0", "ODbL-1.0", "CC-BY-NC-4.0") == (
        Conflict(1, 2, "share_alike"),
        Conflict(1, 3, "share_alike_non_commercial"),
        Conflict(2, 3, "share_alike_non_commercial"),
    )


def test_a_hostile_expression_is_looked_at_within_bounds() -> None:
    # 2^18 ways to choose.
    wide = " AND ".join(f"(MIT OR LicenseRef-{number})" for number in range(18))
    assert _conflicts(wide, "CC-BY-SA-4.0") == ()
