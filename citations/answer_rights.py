"""Under which licences the sources of an answer are, what these ask together, and which conflict."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from citations.answer import AnswerPage
from citations.rights import Ask, Licence, licence_of
from citations.stated import stated
from lineage.formats.licenses import read_license
from lineage.models import Node
from lineage.rights.asks import Family, family_of, in_order
from lineage.rights.compatibility import Clash, conflicts_of
from lineage.types import Viewer

# Versions of sources that are looked at: those cited first.
MOST_VERSIONS: Final = 200


@dataclass(frozen=True, slots=True)
class Used:
    """A source that the answer used; not cited: it was in the context."""

    source_uid: str | None
    version_uid: str
    title: str | None
    cited: bool


@dataclass(frozen=True, slots=True)
class UnderLicence:
    """The sources under one licence; None: under none that is stated."""

    licence: Licence | None
    family: Family
    works: tuple[Used, ...]

    @property
    def named(self) -> str:
        """The licence in a word; "" for none."""
        return (self.licence.spdx or self.licence.as_stated) if self.licence else ""


@dataclass(frozen=True, slots=True)
class LicenceConflict:
    """Two licences of the answer whose texts may not go into one adaptation."""

    first: UnderLicence
    second: UnderLicence
    clash: Clash


@dataclass(frozen=True, slots=True)
class AnswerRights:
    """What the licences of an answer's sources mean together; advice, and no legal advice.

    `asks`: what at least one licence asks. `unclear`: sources whose licence is not stated, or not
    known well enough to say what it asks; that no rights are claimed is known well enough. `hidden`: sources that the viewer may not see, of which
    nothing is told. `beyond`: sources that were not looked at.
    """

    groups: tuple[UnderLicence, ...]
    asks: tuple[Ask, ...]
    conflicts: tuple[LicenceConflict, ...]
    unclear: int
    hidden: int
    beyond: int

    @property
    def works(self) -> int:
        return sum(len(group.works) for group in self.groups)

    @property
    def together(self) -> tuple[tuple[Ask, tuple[UnderLicence, ...]], ...]:
        """What is asked, each with the licences that ask it."""
        return tuple(
            (ask, tuple(g for g in self.groups if g.licence and ask in g.licence.asks))
            for ask in self.asks
        )


def answer_rights(viewer: Viewer, page: AnswerPage) -> AnswerRights:
    """Of an answer's page, closed cards will do: what is cited or was in the context, each version once.

    One query for any number of sources.
    """
    used, hidden = _used(page)
    looked_at = used[:MOST_VERSIONS]
    versions = Node.objects.filter(
        workspace_id=viewer.workspace_id,
        kind="source_version",
        uid__in=[each.version_uid for each in looked_at],
    ).order_by("pk")
    fields = dict(versions.values_list("uid", "fields"))
    groups: dict[str, list[Used]] = {}
    licences: dict[str, tuple[Licence | None, Family]] = {}
    for each in looked_at:
        said = fields.get(each.version_uid, {})
        told = [stated(said.get(name)) for name in ("license", "license_uri", "rights")]
        licence, read = licence_of(*told), read_license(told[0], told[1])
        place = read.normal or (licence.as_stated if licence else "")
        groups.setdefault(place, []).append(each)
        licences.setdefault(place, (licence, family_of(read, words=licence is not None)))
    under = tuple(UnderLicence(*licences[at], tuple(works)) for at, works in groups.items())
    return AnswerRights(
        groups=under,
        asks=in_order(ask for group in under if group.licence for ask in group.licence.asks),
        conflicts=_conflicts(list(zip(groups, under, strict=True))),
        unclear=sum(
            len(group.works)
            for group in under
            if not (group.licence and (group.licence.assessed or group.licence.public_domain))
        ),
        hidden=hidden,
        beyond=len(used) - len(looked_at),
    )


def _used(page: AnswerPage) -> tuple[list[Used], int]:
    """The versions that the answer used, those cited first, and how many sources are hidden."""
    found: dict[str, Used] = {}
    hidden = 0
    for document in page.rail.cited:
        hidden += document.hidden
        if not document.hidden and document.version_uid and document.status.code != "erased":
            uid = document.version_uid
            found.setdefault(uid, Used(document.source_uid, uid, document.title, cited=True))
    unseen = set()
    for passage in page.rail.in_context:
        if passage.hidden:
            unseen.add(passage.document_uid or passage.chunk_uid)
        elif passage.version_uid and passage.status.code != "erased":
            uid = passage.version_uid
            found.setdefault(uid, Used(passage.source_uid, uid, passage.title, cited=False))
    return list(found.values()), hidden + len(unseen)


def _conflicts(groups: Sequence[tuple[str, UnderLicence]]) -> tuple[LicenceConflict, ...]:
    trees = [
        (read.expression.tree, group)
        for normal, group in groups
        if (read := read_license(normal)).expression is not None
    ]
    return tuple(
        LicenceConflict(trees[each.first][1], trees[each.second][1], each.clash)
        for each in conflicts_of([tree for tree, _ in trees])
    )
