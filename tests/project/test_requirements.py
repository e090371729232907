"""What is installed is what is pinned, by hash, from wherever one's pip is told to look."""

import re
from importlib.metadata import version
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

CHECKOUT = Path(__file__).resolve().parents[2]
LOCKS = ("requirements-site.txt", "requirements.txt", "requirements-dev.txt")

pytestmark = pytest.mark.engine_free


def pins(lock: str) -> dict[str, str]:
    text = (CHECKOUT / lock).read_text(encoding="utf-8")
    found: dict[str, str] = {}
    for line in re.findall(r"^([^\s#].*?) \\$", text, re.MULTILINE):
        requirement = Requirement(line)
        if requirement.marker is None or requirement.marker.evaluate():
            found[requirement.name.lower()] = str(requirement.specifier).removeprefix("==")
    return found


@pytest.mark.parametrize("lock", LOCKS)
def test_every_requirement_has_its_hash_and_no_address(lock: str) -> None:
    text = (CHECKOUT / lock).read_text(encoding="utf-8")
    assert "://" not in text
    assert "--index-url" not in text
    blocks = re.split(r"^(?=[^\s#-])", text, flags=re.MULTILINE)[1:]
    assert [block for block in blocks if "--hash=sha256:" not in block] == []


@pytest.mark.parametrize(("small", "large"), [LOCKS[:2], LOCKS[1:]])
def test_sets_agree_on_versions(small: str, large: str) -> None:
    assert pins(small).items() <= pins(large).items()


def test_lock_follows_what_was_asked_for() -> None:
    for lock in LOCKS:
        asked = (CHECKOUT / lock).with_suffix(".in").read_text(encoding="utf-8")
        wanted = {
            Requirement(line).name.lower(): str(Requirement(line).specifier).removeprefix("==")
            for line in asked.splitlines()
            if line and not line.startswith(("#", "-r"))
        }
        assert wanted.items() <= pins(lock).items()


def test_tests_run_on_the_pinned_versions() -> None:
    installed = {name: version(name) for name in pins("requirements-dev.txt") if name != "uv"}
    pinned = {name: pin for name, pin in pins("requirements-dev.txt").items() if name != "uv"}
    assert installed == pinned


def test_bounds_of_the_project_hold_the_pins() -> None:
    import tomllib

    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    bounds = [*project["dependencies"], *project["optional-dependencies"]["embedded"]]
    pinned = pins("requirements.txt")
    outside = [
        bound
        for bound in bounds
        if Version(pinned[Requirement(bound).name.lower()]) not in Requirement(bound).specifier
    ]
    assert outside == []
