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

from provexplorer.workspaces.audit.recording import record
from provexplorer.workspaces.keys import revoke_key
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

    def save_model(self, request: HttpRequest, obj: Membership, form: Any, change: Any) -> None:
        super().save_model(request, obj, form, change)
        _note(request, "membership.changed" if change else "membership.added", obj)

    def delete_model(self, request: HttpRequest, obj: Membership) -> None:
        _note(request, "membership.removed", obj)
        super().delete_model(request, obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Membership]) -> None:
        for membership in queryset:
            _note(request, "membership.removed", membership)
        super().delete_queryset(request, queryset)


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
        for key in queryset.filter(revoked_at__isnull=True).select_related("workspace"):
            revoke_key(workspace=key.workspace, public_id=key.public_id, by=request.user.pk)


def _note(request: HttpRequest, verb: str, membership: Membership) -> None:
    record(
        verb, request.user.pk, workspace_id=membership.workspace_id,
        object_uid=str(membership.user_id), code=membership.role,
    )  # fmt: skip
