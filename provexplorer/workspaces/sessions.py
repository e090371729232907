"""Sessions and accounts as every request loads them: Django's, by statements composed once.

Django composes both statements anew at each request, which takes longer than they run.
"""

from typing import Any, Final

from django.contrib.auth.backends import ModelBackend
from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.http import HttpRequest
from django.utils import timezone

from lineage.compiled import Compiled
from provexplorer.workspaces.models import User

_SESSION: Final = Compiled(
    lambda given: Session.objects.filter(
        session_key=given.text("key"), expire_date__gt=given.instant("now")
    )
)
_USER: Final = Compiled(lambda given: User.objects.filter(pk=given.id("user")))


class SessionStore(db.SessionStore):
    """Django's sessions in the database (settings.SESSION_ENGINE names this module)."""

    def _get_session_from_db(self) -> Session | None:
        """The session that is valid now; without one the key is forgotten."""
        for session in _SESSION.instances(key=self.session_key, now=timezone.now()):
            return session
        self._session_key = None
        return None


class MemberBackend(ModelBackend):
    """Django's accounts with passwords."""

    def authenticate(
        self,
        request: HttpRequest | None,
        username: str | None = None,
        password: str | None = None,
        **more: Any,
    ) -> Any:
        """The account of this name and password; PostgreSQL would refuse to look for a NUL."""
        if "\0" in (username or ""):
            return None
        return super().authenticate(request, username=username, password=password, **more)

    def get_user(self, user_id: int) -> User | None:
        """The account of a session; None where it is gone or inactive."""
        for user in _USER.instances(user=user_id):
            return user if self.user_can_authenticate(user) else None
        return None
