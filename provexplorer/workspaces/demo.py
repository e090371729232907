"""Sign-in without a password: one button per role, in a demo workspace, from this machine only."""

from ipaddress import ip_address
from typing import Final

from django.conf import settings
from django.http import HttpRequest
from django.http.request import split_domain_port

from provexplorer.workspaces.models import Membership, Role, User

# A proxy on this machine makes every visitor look local; these headers betray it.
_FORWARDED: Final = ("X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP", "Forwarded", "Via")
_LOCAL_NAMES: Final = frozenset({"localhost", "127.0.0.1", "[::1]"})


def demo_roles(request: HttpRequest) -> list[str]:
    """The roles that can be entered by a button here, in their order; none away from loopback."""
    if not from_this_machine(request):
        return []
    return [role for role in Role.values if demo_account(request, role) is not None]


def demo_account(request: HttpRequest, role: str) -> User | None:
    """The demo's account of a role, or None where the demo does not let anybody in so.

    Only an account without password or staff rights that is named by its role and
    is a member of demo workspaces alone qualifies: a person's account never does.
    """
    if role not in Role.values or not from_this_machine(request):
        return None
    membership = (
        Membership.objects.select_related("user")
        .filter(
            workspace__is_demo=True,
            role=role,
            user__username=role,
            user__is_active=True,
            user__is_staff=False,
            user__is_superuser=False,
        )
        .exclude(user__memberships__workspace__is_demo=False)
        .order_by("pk")
        .first()
    )
    if membership is None or membership.user.has_usable_password():
        return None
    return membership.user


def from_this_machine(request: HttpRequest) -> bool:
    """Whether the request came straight from this machine, by a loopback address and name.

    Never in an installation that serves others (settings.LOOPBACK): a proxy that adds no
    header of its own could not be told from a browser here.
    """
    if not settings.LOOPBACK or any(request.headers.get(name) for name in _FORWARDED):
        return False
    try:
        remote = ip_address(request.META.get("REMOTE_ADDR", ""))
    except ValueError:  # a Unix socket has no address
        return False
    name, _ = split_domain_port(request.get_host())
    return remote.is_loopback and name in _LOCAL_NAMES
