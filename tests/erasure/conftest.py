"""Files are checked with the whole product: within a test's transaction no log can be emptied."""

import pytest

from lineage.erasure import places


@pytest.fixture(autouse=True)
def _files_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(places.WORK, "files", lambda _work: 0)
