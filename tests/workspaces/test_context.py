"""What the frame of a page learns of the member: their own workspaces and nothing else."""

from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.test import RequestFactory

from provexplorer.workspaces.accounts import add_member, create_workspace
from provexplorer.workspaces.context import member
from provexplorer.workspaces.viewer import viewer_of_request

pytestmark = pytest.mark.django_db


def test_visitor_has_no_workspace() -> None:
    create_workspace(slug="alpha", name="Alpha")
    request = RequestFactory().get("/")
    request.user = AnonymousUser()
    nobody: dict[str, Any] = {
        "viewer": None,
        "workspace": None,
        "workspaces": [],
        "scopes": frozenset(),
    }
    assert member(request) == nobody
    del request.user  # an error before the session was read
    assert member(request) == nobody


def test_member_has_their_own_workspaces_in_order() -> None:
    create_workspace(slug="beta", name="Beta")
    for slug, role in (("gamma", "reader"), ("alpha", "operator")):
        membership = add_member(
            workspace=create_workspace(slug=slug, name=slug.title()),
            username="ana",
            role=role,
            password="correct horse battery",
        )
    request = RequestFactory().get("/?ws=gamma")
    request.user = membership.user
    without_page = member(request)
    alpha = {"slug": "alpha", "name": "Alpha", "role": "operator"}
    gamma = {"slug": "gamma", "name": "Gamma", "role": "reader"}
    assert without_page["workspaces"] == [alpha, gamma]
    assert without_page["workspace"] is None
    request.viewer = viewer_of_request(request)  # type: ignore[attr-defined]
    assert member(request)["workspace"] == gamma
    assert member(request)["scopes"] == {"read"}
