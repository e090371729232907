"""Which workspace a graph node belongs to, as the graph says it.

The graph knows a workspace by a keyed hash, not by its number or slug: two
installs that share a server do not clash, and the graph alone tells nothing
about who the workspace is.
"""

from dataclasses import dataclass

from lineage.identifiers import keyed_hash
from lineage.types import NotFound
from provexplorer.workspaces.models import Workspace


@dataclass(frozen=True, slots=True)
class Scope:
    """A workspace: its number in the relational store, its key, its code in the graph."""

    workspace_id: int
    hash_key: bytes
    code: str


def scope_of(workspace_id: int) -> Scope:
    """The scope of a workspace. Raises NotFound when there is none."""
    workspace = Workspace.objects.filter(pk=workspace_id).only("uid_key").first()
    if workspace is None:
        raise NotFound(str(workspace_id))
    return Scope(workspace_id, workspace.hash_key, workspace_code(workspace.hash_key))


def workspace_code(hash_key: bytes) -> str:
    """What stands in the graph's `workspace` property."""
    return keyed_hash(hash_key, "workspace")
