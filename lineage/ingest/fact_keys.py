"""Keyed hashes of facts, by which those that contradict each other are found without their words."""

import unicodedata
from collections.abc import Mapping
from typing import Final

from lineage import bulk_rows
from lineage.content.passages import digest_of, field_text
from lineage.identifiers import keyed_hash
from lineage.ingest.keys import in_chunks
from lineage.ingest.touched import Touched
from lineage.models import FactKey, Node
from provexplorer.workspaces.models import Workspace

_WORDS: Final = ("subject", "predicate", "object")


def note_facts(workspace: Workspace, touched: Touched, texts: Mapping[str, str]) -> None:
    """Bring the hashes of touched facts in line; `texts`: those of the request, by digest.

    No query where no fact is touched.
    """
    changed = [
        node
        for pk in sorted(touched.changed)
        if (node := touched.nodes.get(pk)) is not None and node.kind == "fact"
    ]
    if not changed:
        return
    said = {name: _said(workspace, changed, name, texts) for name in _WORDS}
    rows = []
    for node in changed:
        words = [said[name].get(node.pk) for name in _WORDS]
        if node.resolved and all(words):
            subject, predicate, thing = (_plain(word or "") for word in words)
            key = workspace.hash_key
            about = keyed_hash(key, "fact about", subject, predicate)
            rows.append((node.pk, workspace.pk, about, keyed_hash(key, "fact says", thing)))
    for some in in_chunks([node.pk for node in changed if node.pk not in touched.new]):
        FactKey.objects.filter(node_id__in=some).delete()
    bulk_rows.insert(FactKey, ("node_id", "workspace_id", "about", "says"), rows)


def _said(
    workspace: Workspace, facts: list[Node], name: str, texts: Mapping[str, str]
) -> dict[int, str]:
    """The words of one field, by node id: of the request where it has them, else of the content store."""
    digests = {node.pk: digest_of(node.fields.get(name)) for node in facts}
    found = {pk: texts[digest] for pk, digest in digests.items() if digest in texts}
    stored = [node for node in facts if node.pk not in found and digests[node.pk]]
    return found | (field_text(stored, name, workspace=workspace) if stored else {})


def _plain(text: str) -> str:
    """Words as they are compared: however they are composed, spaced or capitalised."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
