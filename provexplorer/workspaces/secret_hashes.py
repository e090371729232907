"""Secrets that are shown once and kept as a keyed hash: those of API keys and of invitations.

HMAC-SHA256 under a pepper derived from SECRET_KEY (its fallbacks are tried too, so that it can
be rotated): a copy of the database alone lets nobody in.
"""

from django.conf import settings
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.encoding import force_str


def hash_of(secret: str, salt: str) -> str:
    """What is kept of a secret; `salt` names what it is for."""
    return _hash(secret, salt, settings.SECRET_KEY)


def matches(secret: str, salt: str, kept: str) -> bool:
    """Whether the secret is the one of which this is kept; takes as long for any other, and for none."""
    found = False
    for pepper in (settings.SECRET_KEY, *map(force_str, settings.SECRET_KEY_FALLBACKS)):
        found |= constant_time_compare(_hash(secret, salt, pepper), kept)
    return found


def _hash(secret: str, salt: str, pepper: str) -> str:
    return salted_hmac(salt, secret, secret=pepper, algorithm="sha256").hexdigest()
