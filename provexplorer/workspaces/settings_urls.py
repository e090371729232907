"""Addresses under /settings/ that are about who may do what."""

from django.urls import path

from provexplorer.workspaces import settings_pages

urlpatterns = [
    path("", settings_pages.index, name="settings"),
    path("members/", settings_pages.people, name="members"),
    path("members/<str:step>", settings_pages.change_people, name="member_step"),
    path("keys/", settings_pages.api_keys, name="api_keys"),
    path("keys/revoke", settings_pages.revoke, name="api_key_revoke"),
]
