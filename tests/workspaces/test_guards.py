"""The guards before pages: what is foreign answers exactly like what does not exist."""

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from pytest_django.fixtures import DjangoAssertNumQueries

from lineage.models import Case, Node, UidAlias
from lineage.types import NotFound
from provexplorer import clock
from provexplorer.workspaces.models import Membership, User, Workspace
from provexplorer.workspaces.privacy import PrivateByDefault
from provexplorer.workspaces.viewer import viewer_for_uid, viewer_of_request
from tests.workspaces.urls import NEW_UID, editing, thing

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.workspaces.urls")]

UNKNOWN, FOREIGN, OWN, ALIAS = (f"doc_{letter * 26}" for letter in "ufoa")
OWN_CASE, FOREIGN_CASE = "cas_" + "o" * 26, "cas_" + "f" * 26


def document(workspace: Workspace, uid: str) -> Node:
    return Node.objects.create(
        workspace=workspace, kind="document", key="d", uid=uid, recorded_at=clock.now()
    )


def a_case(workspace: Workspace, uid: str) -> Case:
    return Case.objects.create(
        workspace=workspace, uid=uid, kind="correction", created_at=clock.now()
    )


@pytest.fixture
def ana() -> User:
    """An operator of `alpha` and a reader of `gamma`; `beta` is not hers."""
    user = User.objects.create_user("ana")
    alpha, beta, gamma = (
        Workspace.objects.create(slug=slug, name=slug.title())
        for slug in ("alpha", "beta", "gamma")
    )
    Membership.objects.create(user=user, workspace=gamma, role="reader")
    Membership.objects.create(user=user, workspace=alpha, role="operator", groups=["staff"])
    UidAlias.objects.create(workspace=alpha, uid=ALIAS, node=document(alpha, OWN))
    document(beta, FOREIGN)
    a_case(alpha, OWN_CASE)
    a_case(beta, FOREIGN_CASE)
    return user


@pytest.fixture
def signed_in(ana: User, client: Client) -> Client:
    client.force_login(ana)
    return client


def request_of(user: User | None, path: str = "/") -> HttpRequest:
    request = RequestFactory().get(path)
    request.user = user or AnonymousUser()
    return request


@pytest.mark.parametrize(
    "uid",
    [UNKNOWN, FOREIGN, FOREIGN_CASE, "cas_" + "u" * 26, "", "doc_", "xyz_" + "a" * 26, "' OR"],
)
def test_uid_that_is_not_ours_is_not_found(ana: User, uid: str) -> None:
    with pytest.raises(NotFound) as caught:
        viewer_for_uid(request_of(ana), uid)
    assert caught.value.args == ()


def test_foreign_and_unknown_uid_cost_the_same_queries(
    ana: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for uid in (UNKNOWN, FOREIGN):
        with django_assert_num_queries(1), pytest.raises(NotFound):
            viewer_for_uid(request_of(ana), uid)


def test_nobody_signed_in_is_not_found(ana: User) -> None:
    with pytest.raises(NotFound):
        viewer_for_uid(request_of(None), OWN)
    with pytest.raises(NotFound):
        viewer_of_request(request_of(None))


def test_inactive_member_is_not_found(ana: User) -> None:
    ana.is_active = False
    with pytest.raises(NotFound):
        viewer_of_request(request_of(ana))


@pytest.mark.parametrize("slug", ["beta", "delta", "", "%00"])
def test_workspace_of_others_is_not_found(ana: User, slug: str) -> None:
    with pytest.raises(NotFound):
        viewer_of_request(request_of(ana, f"/?ws={slug}"))


@pytest.mark.parametrize("uid", [OWN, ALIAS, OWN_CASE])
def test_object_page_takes_the_workspace_of_its_object(ana: User, uid: str) -> None:
    viewer = viewer_for_uid(request_of(ana, "/?ws=gamma"), uid)
    assert viewer.slug == "alpha"
    assert viewer.scopes == {"read", "operate"}
    assert viewer.groups == {"staff"}
    assert viewer.user_id == ana.pk
    assert viewer.sees_all is False


def test_list_page_takes_the_named_workspace_else_the_first(ana: User) -> None:
    assert viewer_of_request(request_of(ana)).slug == "alpha"
    assert viewer_of_request(request_of(ana, "/?ws=gamma")).slug == "gamma"
    assert viewer_of_request(request_of(ana, "/?ws=gamma"), "alpha").slug == "alpha"


def test_admin_sees_all(ana: User) -> None:
    Membership.objects.filter(user=ana, workspace__slug="alpha").update(role="admin")
    assert viewer_of_request(request_of(ana)).sees_all is True


def test_page_hides_foreign_moved_and_missing_alike(ana: User) -> None:
    for path in (f"/things/{FOREIGN}/", f"/things/{UNKNOWN}/", f"/things/{OWN}/?is=missing"):
        with pytest.raises(Http404) as caught:
            thing(request_of(ana, path), uid=path.split("/")[2])
        assert caught.value.args == ()


def test_page_above_the_role_is_forbidden(ana: User) -> None:
    with pytest.raises(PermissionDenied):
        editing(request_of(ana))
    Membership.objects.filter(user=ana, workspace__slug="alpha").update(role="editor")
    assert editing(request_of(ana)).status_code == 200


@pytest.mark.parametrize("path", ["/list/?ws=alpha", f"/things/{OWN}/", f"/things/{UNKNOWN}/"])
def test_visitor_is_sent_to_sign_in_and_back(ana: User, client: Client, path: str) -> None:
    response = client.get(path)
    assert response.status_code == 302
    back = path.replace("?", "%3F").replace("=", "%3D")
    assert response["Location"] == f"/accounts/sign-in/?next={back}"


def test_visitor_s_fragment_sends_the_whole_page_to_sign_in(ana: User, client: Client) -> None:
    response = client.get(
        f"/things/{OWN}/",
        headers={"HX-Request": "true", "HX-Current-URL": "https://evil.example/list/?ws=alpha"},
    )
    assert response["HX-Redirect"] == "/accounts/sign-in/?next=%2Flist%2F%3Fws%3Dalpha"
    assert response.content == b""


@pytest.mark.parametrize("path", ["/list/", f"/things/{OWN}/", f"/things/{OWN}/?is=moved"])
def test_page_is_private_and_varies(signed_in: Client, path: str) -> None:
    response = signed_in.get(path)
    assert response["Cache-Control"] == "private, no-store"
    assert set(response["Vary"].split(", ")) >= {"Cookie", "HX-Request", "Accept-Language"}


def test_whatever_says_nothing_of_caching_is_private() -> None:
    silent = PrivateByDefault(lambda _: HttpResponse(status=404))(request_of(None))
    assert silent["Cache-Control"] == "private, no-store"
    assert silent["Vary"] == "Cookie, HX-Request, Accept-Language"
    public = HttpResponse(headers={"Cache-Control": "public, max-age=60"})
    assert PrivateByDefault(lambda _: public)(request_of(None))["Cache-Control"] == (
        "public, max-age=60"
    )


def test_moved_uid_leads_on_with_its_query(signed_in: Client) -> None:
    response = signed_in.get(f"/things/{ALIAS}/?is=moved&tab=2")
    assert response.status_code == 301
    assert response["Location"] == f"/things/{NEW_UID}/?is=moved&tab=2"


def test_erased_object_shows_its_tombstone(signed_in: Client) -> None:
    response = signed_in.get(f"/things/{OWN}/?is=erased")
    assert response.status_code == 410
    content = response.content.decode()
    assert OWN in content
    assert f"/cases/{'cas_' + 'a' * 26}" in content
    assert response["Cache-Control"] == "private, no-store"
