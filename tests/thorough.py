"""Which run this is: that of every day, or the thorough one (`make test-full`)."""

import os
from typing import Final

import pytest

THOROUGH: Final = os.environ.get("HYPOTHESIS_PROFILE") == "thorough"
long_only: Final = pytest.mark.skipif(
    not THOROUGH, reason="long: only in the thorough run (make test-full)"
)
