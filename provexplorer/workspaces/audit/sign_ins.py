"""Who signs in and out, and whoever is not let in: written to the logs of the account's workspaces."""

from typing import Any, Final

from django.contrib.auth.signals import user_logged_in, user_logged_out, user_login_failed
from django.dispatch import receiver

from provexplorer import clock
from provexplorer.workspaces.audit.recording import NOBODY, By, record
from provexplorer.workspaces.models import Membership, User

_MOST_WORKSPACES: Final = 200
_LONGEST_NAME: Final = 150


@receiver(user_logged_in)
def signed_in(user: User, **_: Any) -> None:
    _record("session.began", user, user.pk)


@receiver(user_logged_out)
def signed_out(user: User | None, **_: Any) -> None:
    """Of a session that had ended already there is nobody to name."""
    if isinstance(user, User):
        _record("session.ended", user, user.pk)


def password_changed(user: User) -> None:
    """Somebody has changed their own password."""
    _record("account.password_changed", user, user.pk)


@receiver(user_login_failed)
def refused(credentials: dict[str, Any], **_: Any) -> None:
    """The name that was typed is not kept: it may be a password in the wrong field.

    For names that no account has there is one entry a minute, of the installation: whoever
    tries names does not fill the log.
    """
    name = str(credentials.get("username", ""))[:_LONGEST_NAME]
    user = None if "\0" in name else User.objects.filter(username=name).first()
    if user is None:
        record("session.refused", NOBODY, once=f"refused:{int(clock.now().timestamp()) // 60}")
    else:
        _record("session.refused", user, NOBODY)


def _record(verb: str, user: User, by: By) -> None:
    """In the log of each of the account's workspaces; of the installation where it has none."""
    mine = Membership.objects.filter(user=user).order_by("workspace_id")
    for workspace_id in list(mine.values_list("workspace_id", flat=True)[:_MOST_WORKSPACES]) or [0]:
        record(verb, by, workspace_id=workspace_id, object_uid=str(user.pk))
