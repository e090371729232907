"""The facts of a source as it states them: creators, publisher, title, dates, licence.

A fact that the source does not state is None; a page says "not stated by the source".
"""

from dataclasses import dataclass

from citations.rights import Licence


@dataclass(frozen=True, slots=True)
class Creator:
    """Who made the work, in the order stated; `role` creator, editor or translator."""

    name: str | None
    role: str
    orcid: str | None
    agent_uid: str | None


@dataclass(frozen=True, slots=True)
class Publisher:
    name: str | None
    ror: str | None
    agent_uid: str | None


@dataclass(frozen=True, slots=True)
class Bibliography:
    """A version of a work with what the work itself states; the version's own statement wins.

    Dates are as stated (a year, a month, a day or an instant). `version_uid` is None where
    only the work is known, both uids where a placeholder stands for what nobody has sent yet.
    """

    source_uid: str | None
    version_uid: str | None
    resolved: bool
    title: str | None
    source_kind: str | None
    container_title: str | None
    creators: tuple[Creator, ...]
    publisher: Publisher | None
    version: str | None
    published_at: str | None
    modified_at: str | None
    valid_from: str | None
    valid_until: str | None
    license: Licence | None
    rights: str | None
    uri: str | None
    doi: str | None
    pmid: str | None
    language: str | None
    jurisdiction: str | None
    consent: str | None
