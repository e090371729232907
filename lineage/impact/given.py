"""What answers cite or were given: by source, and by language, of which hidden documents tell nothing."""

from collections.abc import Collection
from typing import Any, Final

from django.db.models import Exists, OuterRef, Q, QuerySet

from lineage.models import Node, RestsOn
from lineage.types import Viewer
from lineage.vocabulary import Grade

# A cache's copy was given what its original was.
_BEFORE_IT: Final = (int(Grade.IN_CONTEXT), int(Grade.CITED))
GIVEN: Final = Q(grade__in=_BEFORE_IT) | Q(grade=Grade.SERVED, origin_grade__in=_BEFORE_IT)
# Access lists that differ; where there are more, no language is told to whom one is closed.
_MOST_LISTS: Final = 500


def given_with(**conditions: Any) -> "QuerySet[RestsOn]":
    """Within a condition on rows of answers: what those answers cite or were given."""
    return RestsOn.objects.filter(GIVEN, answer_id=OuterRef("answer_id"), **conditions)


def stating_language(viewer: Viewer) -> Q:
    """Rows whose target is a document that states a language and that the viewer may see."""
    stated = Q(target__kind="document", target__fields__language__isnull=False)
    return stated & open_documents(viewer)


def in_languages(viewer: Viewer, languages: Collection[str]) -> Q:
    """Rows of answers that cite or were given a document in one of these languages."""
    documents = given_with(target__kind="document", target__fields__language__in=list(languages))
    return Q(Exists(documents.filter(open_documents(viewer))))


def open_documents(viewer: Viewer) -> Q:
    """Rows whose target is of a version that is open to the viewer, or that nobody has described."""
    if viewer.sees_all:
        return Q()
    closed = closed_lists(viewer)
    if closed is None:
        return Q(pk__in=[])
    if not closed:
        return Q()
    lists = Q()
    for acl in closed:
        lists |= Q(fields__acl=acl)
    # Not a condition on the version itself: where it states no list, that would be neither true nor false.
    versions = Node.objects.filter(lists, pk=OuterRef("target__version_id"), resolved=True)
    return ~Q(Exists(versions))


def closed_lists(viewer: Viewer) -> list[Any] | None:
    """The access lists of the workspace's versions that have no group of the viewer; None: too many."""
    rows = Node.objects.filter(
        workspace_id=viewer.workspace_id, kind="source_version", resolved=True
    ).filter(fields__has_key="acl")
    lists = list(
        rows.order_by().values_list("fields__acl", flat=True).distinct()[: _MOST_LISTS + 1]
    )
    if len(lists) > _MOST_LISTS:
        return None
    return [acl for acl in lists if acl is not None and _closed(viewer, acl)]


def _closed(viewer: Viewer, acl: Any) -> bool:
    return not isinstance(acl, list) or viewer.groups.isdisjoint(acl)
