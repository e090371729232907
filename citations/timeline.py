"""The timeline of a source: each version with its dates and licence, and how many answers rest on it."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count

from citations.rights import Licence, licence_of
from citations.stated import stated
from citations.status import HIDDEN, Status, status_of
from lineage.cases.register import Active
from lineage.models import Node, RestsOn
from lineage.nodes.credits import credits_of
from lineage.types import Viewer
from lineage.vocabulary import Grade


@dataclass(frozen=True, slots=True)
class VersionRow:
    """A version of the work; `answers` counts the answers that rest on it by grade word.

    A version that this reader may not see has only its uid and `hidden`; its counts are empty.
    """

    uid: str
    hidden: bool
    resolved: bool
    version: str | None
    published_at: str | None
    modified_at: str | None
    valid_from: str | None
    valid_until: str | None
    occurred_at: datetime | None
    digest: str | None
    media_type: str | None
    license: Licence | None
    creators: tuple[str, ...]  # as this version states them, in its order
    status: Status
    answers: Mapping[str, int]
    since_uid: str | None = None  # the next older version that it can be compared with


def version_row(
    version: Node,
    cases: Sequence[Active],
    answers: Mapping[str, int],
    creators: tuple[str, ...],
    since_uid: str | None,
) -> VersionRow:
    """A version that the viewer may see."""
    said = version.fields
    return VersionRow(
        uid=version.uid,
        hidden=False,
        resolved=version.resolved,
        version=stated(said.get("version")),
        published_at=stated(said.get("published_at")),
        modified_at=stated(said.get("modified_at")),
        valid_from=stated(said.get("valid_from")),
        valid_until=stated(said.get("valid_until")),
        occurred_at=version.occurred_at,
        digest=version.digest or None,
        media_type=stated(said.get("media_type")),
        license=licence_of(
            stated(said.get("license")), stated(said.get("license_uri")), stated(said.get("rights"))
        ),
        creators=creators,
        status=status_of(cases),
        answers=answers,
        since_uid=since_uid,
    )


def hidden_row(version: Node) -> VersionRow:
    """A version that the viewer may not see: that there is one."""
    return VersionRow(
        uid=version.uid,
        hidden=True,
        resolved=version.resolved,
        version=None,
        published_at=None,
        modified_at=None,
        valid_from=None,
        valid_until=None,
        occurred_at=None,
        digest=None,
        media_type=None,
        license=None,
        creators=(),
        status=HIDDEN,
        answers={},
    )


def creators_of(viewer: Viewer, versions: Sequence[Node]) -> dict[int, tuple[str, ...]]:
    """The names that versions state, by node id; those that state none are left out."""
    stating = [version for version in versions if version.fields.get("creators")]
    if not stating:
        return {}
    credited = credits_of(viewer, stating)
    return {pk: tuple(each.name for each in creators) for pk, (creators, _) in credited.items()}


def grounded(node_ids: Collection[int]) -> dict[int, dict[str, int]]:
    """How many answers rest on each node, by grade word, the strongest grade first."""
    rows = (
        RestsOn.objects.filter(target_id__in=node_ids)
        .values("target_id", "grade")
        .annotate(answers=Count("pk"))
        .order_by("target_id", "-grade")
        .values_list("target_id", "grade", "answers")
    )
    counts: dict[int, dict[str, int]] = defaultdict(dict)
    for target_id, grade, answers in rows:
        counts[target_id][Grade(grade).word] = answers
    return dict(counts)
