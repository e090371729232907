"""What requests for corrections are about, by the names that pages give it."""

from collections.abc import Collection, Mapping

from lineage.cases.request import Asked
from lineage.models import Node
from lineage.pages.names import MOST_NAMED, name_of, nodes_of
from lineage.types import Viewer


def named_about(viewer: Viewer, asked: Collection[Asked]) -> Mapping[str, str]:
    """The name of what each request is about, by its uid: of a citation, what the claim says.

    A marker ("[1]") tells nothing outside of its answer.
    """
    uids = {each.about_uid for each in asked}
    if not uids:
        return {}
    citations = Node.objects.filter(
        workspace_id=viewer.workspace_id, uid__in=sorted(uids), kind="citation"
    ).order_by("uid")
    claims = dict(citations.values_list("uid", "parent__uid")[:MOST_NAMED])
    known = nodes_of(viewer, uids | {claim for claim in claims.values() if claim})
    told = {uid: claims.get(uid) or uid for uid in uids}
    return {uid: name_of(known[told[uid]]) for uid in uids if told[uid] in known}
