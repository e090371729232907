from django.apps import AppConfig


class WorkspacesConfig(AppConfig):
    name = "provexplorer.workspaces"
    label = "workspaces"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        # Signals are heard from the import on.
        from provexplorer.workspaces.audit import sign_ins  # noqa: F401
