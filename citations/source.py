"""The source page: the work, its versions in time, what was said about it, and what it grounds."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from citations.bibliography import Bibliography
from citations.rights import Licence
from citations.status import Notice, Status
from lineage.types import JsonValue, Warned


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
    status: Status
    answers: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class AcquisitionRow:
    """One response from the source's origin, as recorded."""

    uid: str
    version_uid: str
    uri: str | None
    final_uri: str | None
    http_status: int | None
    etag: str | None
    last_modified: str | None
    fetched_at: str | None
    media_type: str | None
    rights_signals: JsonValue


@dataclass(frozen=True, slots=True)
class SourcePage:
    """A source as this reader may see it; hidden: without title, identifiers and creators."""

    uid: str
    hidden: bool
    resolved: bool
    bibliography: Bibliography | None
    status: Status
    notices: tuple[Notice, ...]
    versions: tuple[VersionRow, ...]  # newest first
    versions_total: int
    acquisitions: tuple[AcquisitionRow, ...]  # newest first
    acquisitions_total: int
    answers: Mapping[str, int]  # of the work as a whole, each answer once by its strongest grade
    recorded_at: datetime
    flags: tuple[Warned, ...]
    attributes: Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True)
class WorkOfCreator:
    """A work attributed to an agent; hidden works keep their place without a title."""

    source_uid: str
    hidden: bool
    title: str | None
    role: str
    version_uid: str | None  # where the version states it, not the work


@dataclass(frozen=True, slots=True)
class CreatorPage:
    uid: str
    hidden: bool
    name: str | None
    agent_kind: str | None
    orcid: str | None
    ror: str | None
    works: tuple[WorkOfCreator, ...]
    works_total: int
    attributes: Mapping[str, JsonValue]
