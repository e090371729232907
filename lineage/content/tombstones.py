"""By what erased contents are known again: digests that tell nothing to who has the databases alone.

They are made under a key derived from the master key, so that nobody without it can find out
by guessing what was erased. lineage.content.screening compares what is sent with them.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from lineage.compiled import Compiled
from lineage.content.folded import folded_digest
from lineage.content.keys import in_batches, master_key
from lineage.content.store import Keyed
from lineage.identifiers import keyed_hash, text_digest
from lineage.models import ErasedNode, ErasedText
from provexplorer.workspaces.models import Workspace

# From this length on (code points) a text is refused wherever it is sent again; below it, many
# would say the same by chance.
LEAST_REFUSED: Final = 64
# So much of it must be left once it is folded: a line of dashes is like any other.
_LEAST_FOLDED: Final = 32
# How a digest begins that no longer tells of what.
ERASED: Final = "erased:"
# Stands for a code point that was erased; the length and all offsets stay.
MASK: Final = "█"
# Kinds that carry the text of a source itself.
OF_A_SOURCE: Final = frozenset(
    {"source", "source_version", "acquisition", "document", "part", "chunk", "fact", "embedding"}
)
_PURPOSE: Final = b"provexplorer: digests of what was erased, 1"

_ANY: Final = Compiled(
    lambda given: ErasedNode.objects.filter(workspace_id=given.id("workspace")).values_list("pk")[
        :1
    ]
)


@lru_cache(maxsize=4)
def _derived(master: bytes) -> bytes:
    return HKDF(algorithm=SHA256(), length=32, salt=None, info=_PURPOSE).derive(master)


def keyed_digest(workspace: Keyed, digest: str) -> str:
    """The digest of a content as tombstones have it; one that is keyed already stays. "" of "".

    Raises MasterKeyError.
    """
    if not digest or digest.startswith(ERASED):
        return digest
    return ERASED + keyed_hash(_derived(master_key()), workspace.hash_key.hex(), digest)


def has_erased(workspace_id: int) -> bool:
    """Whether the workspace has any tombstone: where it has none, nothing is compared."""
    return bool(_ANY.rows(workspace=workspace_id))


def buried_as(text: str) -> list[str]:
    """The digests under which an erased text is refused from now on; none of a short one."""
    return recognised_by(text) if len(text) >= LEAST_REFUSED else []


def recognised_by(text: str) -> list[str]:
    """The digests to look for where a text is sent: as it is, and folded (lineage.content.folded).

    The folded one of shorter texts, too: white space may have made the erased one longer.
    """
    found = [text_digest(text)] if len(text) >= LEAST_REFUSED else []
    if len(text) >= _LEAST_FOLDED and (digest := folded_digest(text, least=_LEAST_FOLDED)):
        found.append(digest)
    return found


def repeats(workspace: Workspace, strings: Iterable[str]) -> bool:
    """Whether one of these strings is an erased text of 64 code points or more, as a whole."""
    if not has_erased(workspace.pk):
        return False
    digests = {digest for one in strings for digest in recognised_by(one)}
    for some in in_batches({keyed_digest(workspace, digest) for digest in digests}):
        rows = ErasedText.objects.filter(workspace=workspace, digest__in=some)
        if rows.filter(erasure__lifted_at__isnull=True).exists():
            return True
    return False
