"""Sign in, sign out."""

import http
from typing import Any

from django.conf import settings
from django.contrib.auth import login
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView, LogoutView
from django.http import Http404, HttpRequest, HttpResponseRedirect
from django.http.response import HttpResponse, HttpResponseBase
from django.shortcuts import resolve_url
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from provexplorer.workspaces.demo import demo_account, demo_roles
from provexplorer.workspaces.limits import LimitReached, count_sign_in
from provexplorer.workspaces.privacy import keep_private


class SignIn(LoginView):
    """The password form. Unknown name and wrong password read alike; `next` stays on the site.

    Beyond so many passwords a minute for a name, right or wrong, none is tried: 429.
    """

    authentication_form = AuthenticationForm
    template_name = "accounts/sign-in.html"

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        return keep_private(super().dispatch(request, *args, **kwargs))

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            count_sign_in(request.POST.get("username", ""))
        except LimitReached as reached:
            # The name stays in its field; nothing is checked.
            form = AuthenticationForm(
                request, initial={"username": request.POST.get("username", "")}
            )
            context = self.get_context_data(form=form, wait_seconds=reached.seconds)
            response = self.render_to_response(context, status=http.HTTPStatus.TOO_MANY_REQUESTS)
            response["Retry-After"] = str(reached.seconds)
            return response
        return super().post(request, *args, **kwargs)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(demo_roles=demo_roles(self.request), **kwargs)


class SignOut(LogoutView):
    """Ends the session; by POST only, so that no link or image signs anybody out."""

    next_page = settings.LOGIN_URL

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return keep_private(super().dispatch(request, *args, **kwargs))


@require_POST
def demo_sign_in(request: HttpRequest) -> HttpResponseBase:
    """Enter the demo in a role, by its button; 404 wherever there is no such button."""
    user = demo_account(request, request.POST.get("role", ""))
    if user is None:
        raise Http404
    # Rotates the session key, and drops the session of another account altogether.
    login(request, user)
    return keep_private(HttpResponseRedirect(_next(request)))


def _next(request: HttpRequest) -> str:
    """Where to go on: `next` if it is an address of this site, else the home page."""
    target = request.POST.get("next", "")
    safe = url_has_allowed_host_and_scheme(
        target, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return target if safe else resolve_url(settings.LOGIN_REDIRECT_URL)
