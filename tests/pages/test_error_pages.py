"""Each error has a page with a next action, in both languages, and none of them needs anything that may be away."""

import pytest
from django.template.loader import render_to_string
from django.test import Client, RequestFactory
from django.utils.translation import override
from django.views.defaults import server_error

from provexplorer.workspaces.models import Workspace

pytestmark = pytest.mark.one_pair

CODES = ("400", "403", "403_csrf", "404", "410", "429", "500", "503")
PAGES = (*((code, code[:3]) for code in CODES), ("store_busy", "503"))
TOMBSTONE = {
    "uid": "doc_" + "a" * 26,
    "reason": "erasure",
    "at": "2026-03-01",
    "case_uid": "cas_" + "a" * 26,
}


@pytest.mark.parametrize("language", ["en", "pt-br"])
@pytest.mark.parametrize(("name", "code"), PAGES)
def test_every_error_page_offers_a_next_action(name: str, code: str, language: str) -> None:
    with override(language):
        page = render_to_string(f"{name}.html", TOMBSTONE if name == "410" else {})
    assert f'<html lang="{language}">' in page
    assert f'<p class="code">{code}</p>' in page
    assert '<a class="button first" href="' in page


def test_the_page_of_a_failure_asks_no_database() -> None:
    # Without the mark django_db any query would raise.
    response = server_error(RequestFactory().get("/"))
    assert response.status_code == 500
    assert b"Something failed on our side" in response.content


@pytest.mark.django_db
def test_an_address_that_does_not_exist_is_the_same_page_for_everybody(
    workspace: Workspace,
) -> None:
    response = Client().get("/no/such/address")
    assert response.status_code == 404
    assert "There is nothing here" in response.content.decode()


@pytest.mark.django_db
def test_a_form_without_its_token_says_that_it_has_expired() -> None:
    response = Client(enforce_csrf_checks=True).post("/accounts/sign-in/", {"username": "x"})
    assert response.status_code == 403
    assert "This form has expired" in response.content.decode()
