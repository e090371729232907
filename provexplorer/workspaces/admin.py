"""Django's admin for accounts, workspaces, memberships and keys; secrets are not shown.

It shows every workspace, so it is for those who run the installation (superusers) alone: no role
in a workspace opens it.
"""

from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from provexplorer import clock
from provexplorer.workspaces.models import ApiKey, Membership, User, Workspace

admin.site.register(User, UserAdmin)


@admin.register(Workspace)
class WorkspaceAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    list_display = ("slug", "name", "is_demo", "created_at")
    # The key of all uids: whoever changed it would orphan every record.
    exclude = ("uid_key",)


@admin.register(Membership)
class MembershipAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    list_display = ("user", "workspace", "role")
    list_filter = ("workspace", "role")
    list_select_related = ("user", "workspace")


@admin.register(ApiKey)
class ApiKeyAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Keys can be seen and revoked here; the command `create_workspace --key` makes them."""

    list_display = (
        "public_id",
        "workspace",
        "label",
        "scopes",
        "requests_per_minute",
        "expires_at",
        "revoked_at",
    )
    list_filter = ("workspace",)
    list_select_related = ("workspace",)
    exclude = ("secret_hash",)
    actions = ("revoke",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_revoke_permission(self, request: HttpRequest) -> bool:
        return super().has_change_permission(request)

    @admin.action(description=_("Revoke the selected keys"), permissions=["revoke"])
    def revoke(self, request: HttpRequest, queryset: QuerySet[ApiKey]) -> None:
        queryset.filter(revoked_at__isnull=True).update(revoked_at=clock.now())
