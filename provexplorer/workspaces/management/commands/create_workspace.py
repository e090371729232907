"""Make a workspace, its first administrator and an API key."""

import getpass
import json
import sys
from argparse import ArgumentParser
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from provexplorer.workspaces.accounts import add_member, create_workspace
from provexplorer.workspaces.keys import UnknownScopeError, create_key
from provexplorer.workspaces.models import Role, User, Workspace


class Command(BaseCommand):
    """`create_workspace SLUG`: prints one JSON object; a workspace that exists is used as it is."""

    help = "Make a workspace, and as asked its administrator and an API key (shown once)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--name", help="as people read it (default: the slug)")
        parser.add_argument(
            "--admin",
            metavar="USERNAME",
            help="let this account administer it; a new one's password is asked for, "
            "or read from standard input",
        )
        parser.add_argument(
            "--key",
            metavar="SCOPES",
            help="make an API key: ingest,read,operate,edit,admin; ingest:FORMAT keeps it to one "
            "of native, openlineage, otlp, prov",
        )
        parser.add_argument(
            "--requests-per-minute",
            metavar="N",
            type=int,
            help="the key's own limit (0: none; default: as the installation is set)",
        )

    @transaction.atomic
    def handle(
        self,
        *_args: Any,
        slug: str,
        name: str | None,
        admin: str | None,
        key: str | None,
        **rest: Any,
    ) -> None:
        limit: int | None = rest["requests_per_minute"]
        if limit is not None and not 0 <= limit < 2**31:
            message = "--requests-per-minute is a whole number from 0 on"
            raise CommandError(message)
        made: dict[str, Any] = {"workspace": slug}
        try:
            workspace = Workspace.objects.filter(slug=slug).first()
            made["created"] = workspace is None
            workspace = workspace or create_workspace(slug=slug, name=name or slug)
            if admin:
                add_member(
                    workspace=workspace,
                    username=admin,
                    role=Role.ADMIN,
                    password=None if _exists(admin) else _password(),
                )
                made["admin"] = admin
            if key:
                scopes = [scope.strip() for scope in key.split(",") if scope.strip()]
                made["api_key"] = create_key(
                    workspace=workspace,
                    scopes=scopes,
                    label="create_workspace",
                    requests_per_minute=limit,
                )[1]
        except ValidationError as error:
            raise CommandError("; ".join(error.messages)) from error
        except UnknownScopeError as error:
            raise CommandError(f"unknown scope: {error}") from error
        self.stdout.write(json.dumps(made))


def _exists(username: str) -> bool:
    return User.objects.filter(username=username).exists()


def _password() -> str:
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\n")
    first = getpass.getpass("Password: ")
    if first != getpass.getpass("Again: "):
        message = "the passwords differ"
        raise CommandError(message)
    return first
