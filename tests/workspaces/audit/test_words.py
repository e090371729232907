"""Every verb of the audit log is told to people, and fits its column."""

import pytest

from provexplorer.workspaces.audit import words
from provexplorer.workspaces.audit.verbs import VERBS

pytestmark = pytest.mark.engine_free
# Of AuditEntry.verb.
MOST = 40


def test_every_verb_has_its_words_and_a_group() -> None:
    assert set(words.VERBS) == set(VERBS)
    assert {verb.partition(".")[0] for verb in VERBS} == set(words.GROUPS)
    assert max(map(len, VERBS)) <= MOST
