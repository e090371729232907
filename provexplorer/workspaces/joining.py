"""`/accounts/invitations/TOKEN`: come in by an invitation, with an account or by making one; and one's own password."""

from typing import Any

from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.forms import BaseUserCreationForm
from django.contrib.auth.views import PasswordChangeView
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render, resolve_url
from django.urls import reverse_lazy
from django.utils.translation import gettext as _

from provexplorer.workspaces import invitations
from provexplorer.workspaces.audit.sign_ins import password_changed
from provexplorer.workspaces.limits import LimitReached, count_sign_in
from provexplorer.workspaces.models import User
from provexplorer.workspaces.privacy import keep_private


class AccountForm(BaseUserCreationForm):  # type: ignore[type-arg]
    """A name and a password, twice."""

    class Meta:
        model = User
        fields = ("username",)


class ChangePassword(PasswordChangeView):
    """One's own password, which ends one's other sessions."""

    template_name = "accounts/password.html"
    success_url = reverse_lazy("home")

    def form_valid(self, form: Any) -> HttpResponse:
        messages.success(self.request, _("The password was changed."))
        with transaction.atomic():
            response = super().form_valid(form)
            if isinstance(self.request.user, User):
                password_changed(self.request.user)
        return response


def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Shows into which workspace and as what; whoever is signed in joins, others make an account first.

    404 alike for a token that was never given and for one that is over.
    """
    found = invitations.opened(token)
    if found is None:
        raise Http404
    user = request.user if isinstance(request.user, User) else None
    form = AccountForm(request.POST if request.method == "POST" and user is None else None)
    status = 200
    if request.method == "POST":
        try:
            count_sign_in(found.public_id)
            if user is None and form.is_valid():
                user = form.save()
                login(request, user, backend="provexplorer.workspaces.sessions.MemberBackend")
            if user is not None:
                return keep_private(_join(request, token, user))
            status = 422
        except LimitReached:
            status = 429
    context = {"invitation": found, "form": form, "token": token, "too_often": status == 429}
    return keep_private(render(request, "accounts/invitation.html", context, status=status))


def _join(request: HttpRequest, token: str, user: User) -> HttpResponse:
    try:
        membership = invitations.accept(token, user)
    except invitations.AlreadyMember:
        messages.info(request, _("You are a member already; the invitation is still open."))
        return HttpResponseRedirect(resolve_url("home"))
    if membership is None:
        raise Http404
    return HttpResponseRedirect(f"{resolve_url('home')}?ws={membership.workspace.slug}")
