"""Sign in and out: nothing to enumerate, nowhere to be redirected, no session to fixate."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.conf import settings
from django.core.cache import cache
from django.test import Client, override_settings

from provexplorer import clock
from provexplorer.workspaces.accounts import add_member, create_demo, create_workspace
from provexplorer.workspaces.models import Membership, User

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.workspaces.urls")]

SIGN_IN, DEMO, SIGN_OUT = "/accounts/sign-in/", "/accounts/sign-in/demo/", "/accounts/sign-out/"
PASSWORD = "correct horse battery"


@pytest.fixture
def ana() -> User:
    workspace = create_workspace(slug="alpha", name="Alpha")
    return add_member(workspace=workspace, username="ana", role="reader", password=PASSWORD).user


def signed_in_as(client: Client) -> str | None:
    user_id = client.session.get("_auth_user_id")
    return User.objects.get(pk=user_id).username if user_id else None


def errors(client: Client, username: str, password: str) -> Any:
    response = client.post(SIGN_IN, {"username": username, "password": password})
    assert response.status_code == 200
    return response.context["form"].errors


def test_unknown_name_inactive_account_and_wrong_password_read_alike(
    ana: User, client: Client
) -> None:
    wrong = errors(client, "ana", "not the password")
    unknown = errors(client, "nobody", "not the password")
    ana.is_active = False
    ana.save()
    inactive = errors(client, "ana", PASSWORD)
    assert wrong
    assert wrong == unknown == inactive
    assert signed_in_as(client) is None


@pytest.mark.parametrize(
    "target", ["https://evil.example/", "//evil.example/", "/\\evil.example", "javascript:alert(1)"]
)
def test_sign_in_never_leads_to_another_site(ana: User, client: Client, target: str) -> None:
    form = {"username": "ana", "password": PASSWORD, "next": target}
    assert client.post(SIGN_IN, form)["Location"] == "/"
    create_demo()
    by_button = {"role": "reader", "next": target}
    assert client.post(DEMO, by_button, HTTP_HOST="localhost")["Location"] == "/"


def test_sign_in_leads_back_and_rotates_the_session(ana: User, client: Client) -> None:
    session = client.session
    session["kept"] = 1
    session.save()
    before = session.session_key
    form = {"username": "ana", "password": PASSWORD, "next": "/list/?ws=alpha"}
    response = client.post(SIGN_IN, form)
    assert response["Location"] == "/list/?ws=alpha"
    assert signed_in_as(client) == "ana"
    assert client.session.session_key != before


def test_sign_in_page_is_private(client: Client) -> None:
    response = client.get(SIGN_IN)
    assert response.status_code == 200
    assert response["Cache-Control"] == "private, no-store"


def test_sign_in_form_wants_a_csrf_token(ana: User) -> None:
    client = Client(enforce_csrf_checks=True)
    form = {"username": "ana", "password": PASSWORD}
    assert client.post(SIGN_IN, form).status_code == 403
    assert client.post(DEMO, {"role": "reader"}).status_code == 403


def test_sign_out_is_by_post_only_and_ends_the_session(ana: User, client: Client) -> None:
    client.force_login(ana)
    old_cookie = client.cookies[settings.SESSION_COOKIE_NAME].value
    assert client.get(SIGN_OUT).status_code == 405
    assert signed_in_as(client) == "ana"
    response = client.post(SIGN_OUT)
    assert response["Location"] == SIGN_IN
    client.cookies[settings.SESSION_COOKIE_NAME] = old_cookie
    assert client.get("/list/").status_code == 302


def test_sign_out_never_leads_to_another_site(ana: User, client: Client) -> None:
    client.force_login(ana)
    assert client.post(SIGN_OUT, {"next": "https://evil.example/"})["Location"] == SIGN_IN


@pytest.mark.parametrize(
    "extra",
    [
        {"REMOTE_ADDR": "192.0.2.7"},
        {"REMOTE_ADDR": ""},
        {"REMOTE_ADDR": "127.0.0.1", "HTTP_X_FORWARDED_FOR": "192.0.2.7"},
        {"REMOTE_ADDR": "127.0.0.1", "HTTP_FORWARDED": "for=192.0.2.7"},
        {"REMOTE_ADDR": "127.0.0.1", "HTTP_HOST": "testserver"},
    ],
)
def test_demo_has_no_buttons_away_from_loopback(client: Client, extra: dict[str, str]) -> None:
    create_demo()
    away: dict[str, Any] = {"HTTP_HOST": "localhost", **extra}
    assert client.get(SIGN_IN, **away).context["demo_roles"] == []
    assert client.post(DEMO, {"role": "admin"}, **away).status_code == 404
    assert signed_in_as(client) is None


def test_installation_for_others_has_no_buttons(client: Client) -> None:
    create_demo()
    with override_settings(LOOPBACK=False):
        assert client.get(SIGN_IN, HTTP_HOST="localhost").context["demo_roles"] == []
        assert client.post(DEMO, {"role": "admin"}, HTTP_HOST="localhost").status_code == 404


@pytest.mark.parametrize("role", ["", "root", "reader"])
def test_no_demo_no_button(client: Client, role: str) -> None:
    assert client.post(DEMO, {"role": role}, HTTP_HOST="localhost").status_code == 404


def test_a_person_s_account_is_never_entered_by_a_button(client: Client) -> None:
    workspace = create_demo()
    editor = User.objects.get(username="editor")
    editor.set_password(PASSWORD)
    editor.save()
    User.objects.filter(username="operator").update(is_staff=True)
    Membership.objects.create(
        user=User.objects.get(username="admin"),
        workspace=create_workspace(slug="alpha", name="Alpha"),
        role="admin",
    )
    Membership.objects.create(user=User.objects.create(username="b"), workspace=workspace)
    roles = client.get(SIGN_IN, HTTP_HOST="localhost").context["demo_roles"]
    assert roles == ["reader"]
    for role in ("operator", "editor", "admin"):
        assert client.post(DEMO, {"role": role}, HTTP_HOST="localhost").status_code == 404


def test_button_enters_the_demo_in_its_role(client: Client) -> None:
    create_demo()
    page = client.get(SIGN_IN, HTTP_HOST="localhost:8000")
    assert page.context["demo_roles"] == [
        "reader", "operator", "editor", "admin",
    ]  # fmt: skip
    first = client.post(DEMO, {"role": "editor", "next": "/list/"}, HTTP_HOST="localhost:8000")
    assert first["Location"] == "/list/"
    assert signed_in_as(client) == "editor"
    key = client.session.session_key
    client.post(DEMO, {"role": "reader"}, HTTP_HOST="127.0.0.1")
    assert signed_in_as(client) == "reader"
    assert client.session.session_key != key


def test_demo_account_cannot_be_entered_by_the_password_form(client: Client) -> None:
    create_demo()
    for password in ("", "admin", "!"):
        assert errors(client, "admin", password)
    assert signed_in_as(client) is None


def test_language_is_chosen_by_post_and_kept(client: Client) -> None:
    response = client.post("/accounts/language/", {"language": "pt-br", "next": "//evil.example"})
    assert "evil.example" not in response["Location"]
    assert client.cookies[settings.LANGUAGE_COOKIE_NAME].value == "pt-br"


@override_settings(SIGN_INS_PER_MINUTE=3, REDIS_URL="")
def test_beyond_so_many_passwords_a_minute_not_even_the_right_one_is_tried(
    ana: User, client: Client
) -> None:
    cache.clear()
    for name in ("ana", "ANA", " ana"):
        client.post(SIGN_IN, {"username": name, "password": "not the password"})
    refused = client.post(SIGN_IN, {"username": "ana", "password": PASSWORD})
    assert refused.status_code == 429
    assert 1 <= int(refused["Retry-After"]) <= 60
    assert 'value="ana"' in refused.content.decode()
    assert signed_in_as(client) is None
    # Another name is not concerned; nor is a name that no account has told apart.
    assert errors(client, "nobody", PASSWORD)
    for _ in range(2):
        errors(client, "nobody", PASSWORD)
    assert client.post(SIGN_IN, {"username": "nobody", "password": PASSWORD}).status_code == 429
    # The next minute begins with none.
    clock.use(lambda: datetime.now(UTC) + timedelta(minutes=1))
    try:
        client.post(SIGN_IN, {"username": "ana", "password": PASSWORD})
    finally:
        clock.use(None)
    assert signed_in_as(client) == "ana"
