"""Sources of a workspace by their DOI."""

from collections import defaultdict
from collections.abc import Collection

from lineage.compiled import by_their_ids
from lineage.formats.scholarly import normal_doi
from lineage.ingest.keys import in_chunks
from lineage.ingest.search_words import bare_identifier_word
from lineage.models import Node, SearchWord
from provexplorer.workspaces.models import Workspace


def keys_by_doi(workspace: Workspace, dois: Collection[str]) -> dict[str, tuple[str, str]]:
    """(key, namespace) of the only source that states each DOI (in its normal form); others are left out."""
    words = {bare_identifier_word(doi, workspace.hash_key): doi for doi in dois}
    found: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for some in in_chunks(words):
        named = SearchWord.objects.filter(workspace=workspace, word__in=some).values("node_id")
        rows = by_their_ids(
            Node.objects.filter(pk__in=named, kind="source", resolved=True), workspace.pk
        )
        stated = rows.order_by("pk").values_list("key", "namespace", "fields__doi")
        for key, namespace, doi in stated:
            bare = normal_doi(doi) if isinstance(doi, str) else ""
            if bare in dois:
                found[bare].add((key, namespace))
    return {doi: next(iter(places)) for doi, places in found.items() if len(places) == 1}
