"""The workspace that a command is to work on: the one named, else the only one there is."""

from typing import Final

from django.utils.translation import gettext as _

from provexplorer.workspaces.models import Workspace

# More slugs than these are no help in a sentence.
_MOST_TOLD: Final = 20


class WorkspaceUnclear(Exception):
    """No workspace by that name, none at all, or several to choose from; the text says which."""


def chosen_workspace(slug: str | None) -> Workspace:
    """The workspace named `slug`; without one, the only workspace. Raises WorkspaceUnclear."""
    if slug is not None:
        named = Workspace.objects.filter(slug=slug).first()
        if named is None:
            raise WorkspaceUnclear(
                _("There is no workspace “%(slug)s”.") % {"slug": slug} + _existing()
            )
        return named
    found = list(Workspace.objects.order_by("slug")[:2])
    if len(found) == 1:
        return found[0]
    if not found:
        message = "There is no workspace yet: make one with create_workspace SLUG."
        raise WorkspaceUnclear(message)
    message = f"There are several workspaces: say which with --workspace SLUG.{_existing()}"
    raise WorkspaceUnclear(message)


def _existing() -> str:
    """A sentence that names the workspaces; nothing where there is none."""
    slugs = list(
        Workspace.objects.order_by("slug").values_list("slug", flat=True)[: _MOST_TOLD + 1]
    )
    if not slugs:
        return ""
    more = ", …" if len(slugs) > _MOST_TOLD else ""
    return f" There are: {', '.join(slugs[:_MOST_TOLD])}{more}."
