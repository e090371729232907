"""The command `provexplorer`: demo, up, load, history, notices, verify, manage."""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from provexplorer.embedded.data_folder import AlreadyRunning, DataFolder
from provexplorer.embedded.environment import default_folder, site_environment
from provexplorer.embedded.ports import PortTaken


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; its exit status."""
    parser = _parser()
    given = parser.parse_args(_with_fingerprint(sys.argv[1:] if arguments is None else arguments))
    if given.command == "verify":
        return verify(given.file, key=given.key)
    path: Path = given.data_dir or default_folder()
    if given.command in ("demo", "up"):
        return serve(
            DataFolder.at(path),
            port=given.port,
            demo=given.command == "demo",
            browser=not given.no_browser,
        )
    command = _command_of(given)
    if _wants_store(command) and not _was_started(path):
        print(
            f"Nothing was ever started in {path.absolute()}: start it with "
            f"`provexplorer up --data-dir {path}`, or name another folder with --data-dir.",
            file=sys.stderr,
        )
        return 1
    return manage(DataFolder.at(path), command)


def _with_fingerprint(arguments: Sequence[str]) -> list[str]:
    """The arguments of `verify` with its key as one word: one fingerprint in 64 begins like an option."""
    if "verify" in arguments[:1] and "--key" in arguments[:-1]:
        at = arguments.index("--key")
        return [*arguments[:at], f"--key={arguments[at + 1]}", *arguments[at + 2 :]]
    return list(arguments)


def serve(folder: DataFolder, *, port: int | None, demo: bool, browser: bool) -> int:
    """Start the site with all it needs and stay until it is stopped.

    A site that runs here already is what was asked for: it is told, and the status is 0.
    """
    from provexplorer.embedded.supervisor import Supervisor

    try:
        return Supervisor(folder=folder, port=port, demo=demo, browser=browser).run()
    except AlreadyRunning as running:
        where = f"at {running.address}" if running.address else "(it is still starting)"
        print(f"Provexplorer already runs {where} on {folder.path}")
        return 0
    except PortTaken as taken:
        print(f"Port {taken.port} is in use; choose another with --port", file=sys.stderr)
    return 1


def manage(folder: DataFolder, arguments: Sequence[str]) -> int:
    """Run one of Django's commands on the servers of the data folder, running or not."""
    os.umask(0o077)
    os.environ.update(site_environment(folder) | folder.serving())
    from django.core.management import execute_from_command_line

    execute_from_command_line(["provexplorer manage", *arguments])
    return 0


def verify(file: Path, *, key: str | None) -> int:
    """Say who signed a capsule or a certificate, if all of it is as it was signed; needs no store and no network."""
    from citations.exports.capsule_file import NotGenuine

    try:
        told, fingerprint = _verified(file.read_bytes())
    except OSError as error:
        print(f"{file}: {error.strerror}", file=sys.stderr)
        return 2
    except NotGenuine as problem:
        print(f"NOT GENUINE: {problem}", file=sys.stderr)
        return 1
    if key is not None and key != fingerprint:
        print(
            f"NOT GENUINE: it is signed by another key, {fingerprint}, not by {key}.",
            file=sys.stderr,
        )
        return 1
    print("\n".join(told))
    print(f"Signed by the key with the fingerprint {fingerprint}")
    if key is None:
        print("Whose key that is only its owner can say: compare it, or give it with --key.")
    return 0


def _verified(content: bytes) -> tuple[tuple[str, ...], str]:
    """What a genuine file says of itself, and whose key has signed it. Raises NotGenuine."""
    from citations.exports import capsule_file, signed_json

    if content[:1] == b"{":
        signed = signed_json.verify(content)
        case = signed.document
        named = f"{case.get('case')}, {case.get('kind')}, {case.get('state')}"
        told = (
            "Genuine: every byte is as it was signed.",
            f"Certificate of the case {named}, certified {case.get('certified_at')}",
        )
        return told, signed.fingerprint
    found = capsule_file.verify(content)
    told = (
        f"Genuine: every byte is as it was signed, {len(found.parts)} parts.",
        f"Answer {found.answer}, exported {found.exported_at}",
    )
    return told, found.fingerprint


def _command_of(given: argparse.Namespace) -> list[str]:
    """The management command that was asked for."""
    if given.command == "load":
        return _load_arguments(given)
    if given.command == "notices":
        named = [] if given.workspace is None else [f"--workspace={given.workspace}"]
        return ["notices", *named, "--", *given.files]
    if given.command == "history":
        return _history_arguments(given)
    arguments: list[str] = given.arguments
    return arguments


def _history_arguments(given: argparse.Namespace) -> list[str]:
    """The management command `history` with the options that were given."""
    options = ("workspace", "keys", "namespace", "address", "license")
    named = [f"--{name}={value}" for name in options if (value := getattr(given, name)) is not None]
    named += [f"--match={pattern}" for pattern in given.match or ()]
    return ["history", *named, *(["--records"] if given.records else []), "--", *given.places]


def _load_arguments(given: argparse.Namespace) -> list[str]:
    """The management command `load` with the options that were given."""
    options = {
        "--workspace": given.workspace,
        "--format": given.format,
        "--namespace": given.namespace,
    }
    # With "=", so that a value may begin with a dash; "--" ends the options likewise.
    named = [f"{name}={value}" for name, value in options.items() if value is not None]
    return ["load", *named, "--", *given.files]


def _wants_store(command: Sequence[str]) -> bool:
    """Whether a management command can only work where the site's stores have been made."""
    return bool(command) and not {*command} & {"help", "--help", "-h", "check", "migrate"}


def _was_started(path: Path) -> bool:
    """Whether there is a relational store: the folder's own, or one of its own address."""
    return bool(os.environ.get("DATABASE_URL")) or (path / "provexplorer.sqlite3").exists()


def _parser() -> argparse.ArgumentParser:
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument(
        "--data-dir",
        type=Path,
        metavar="DIR",
        help="where data, secrets and logs lie (default: PROVEXPLORER_DATA_DIR, else var/)",
    )
    server = argparse.ArgumentParser(add_help=False, parents=[shared])
    server.add_argument(
        "--port", type=int, metavar="N", help="port on 127.0.0.1 (default: 8000 or the next free)"
    )
    server.add_argument("--no-browser", action="store_true", help="do not open a browser")
    parser = argparse.ArgumentParser(
        prog="provexplorer",
        description="Provenance of RAG answers: which source stood behind what.",
    )
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("demo", parents=[server], help="serve with real demo data and accounts")
    commands.add_parser("up", parents=[server], help="serve without demo data")
    load = commands.add_parser("load", parents=[shared], help="store records or traces from files")
    load.add_argument("files", nargs="+", metavar="FILE", help="a file, or - for standard input")
    load.add_argument(
        "--workspace", metavar="SLUG", help="workspace to load into (default: the only one)"
    )
    load.add_argument(
        "--format",
        choices=("records", "otlp", "openinference", "langfuse", "crossref"),
        help="native records as JSON Lines (default), traces: OTLP, or exported by Langfuse; "
        "or works of Crossref",
    )
    load.add_argument(
        "--namespace",
        metavar="COLLECTION",
        help="of the chunks that traces name without saying their collection",
    )
    notices = commands.add_parser(
        "notices", parents=[shared], help="read retractions and corrections from files"
    )
    notices.add_argument("files", nargs="+", metavar="FILE", help="a file, or - for standard input")
    notices.add_argument(
        "--workspace", metavar="SLUG", help="workspace to read into (default: the only one)"
    )
    _add_history(commands, shared)
    check = commands.add_parser("verify", help="check a capsule or a certificate, offline")
    check.add_argument(
        "file", type=Path, metavar="FILE", help="a capsule or a case's certificate, as exported"
    )
    check.add_argument(
        "--key", metavar="FINGERPRINT", help="the key that must have signed it (default: any)"
    )
    command = commands.add_parser(
        "manage", parents=[shared], help="run a management command on the data folder's servers"
    )
    command.add_argument("arguments", nargs=argparse.REMAINDER, metavar="COMMAND …")
    return parser


def _add_history(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]",
    shared: argparse.ArgumentParser,
) -> None:
    history = commands.add_parser(
        "history", parents=[shared], help="load the versions, renames and deletions of documents"
    )
    history.add_argument(
        "places", nargs="+", metavar="FILE|FOLDER", help="rows as JSON Lines, or a git repository"
    )
    history.add_argument(
        "--workspace", metavar="SLUG", help="workspace to load into (default: the only one)"
    )
    history.add_argument(
        "--keys", choices=("address", "path"), help="what versions have as their key"
    )
    history.add_argument("--namespace", metavar="NAME", help="of versions and documents")
    history.add_argument(
        "--address", metavar="URL", help="of a repository: what a path follows to be an address"
    )
    history.add_argument("--license", metavar="SPDX", help="of a repository's documents")
    history.add_argument(
        "--match", action="append", metavar="PATTERN", help="which files of a repository"
    )
    history.add_argument(
        "--records", action="store_true", help="print the native records instead of loading them"
    )


if __name__ == "__main__":
    sys.exit(main())
