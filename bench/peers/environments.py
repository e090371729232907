"""Virtual environments of the peers, outside the checkout, made on first use and kept for the next."""

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

REQUIREMENTS: Final = {"phoenix": "arize-phoenix==20.26.1", "mlflow": "mlflow==3.17.2"}
DEFAULT_FOLDER: Final = Path(tempfile.gettempdir()) / "provexplorer-bench-peers"
_SECONDS: Final = 900


class NotInstalled(Exception):
    """A peer could not be installed; says why."""


def python_of(name: str, folder: Path) -> Path:
    """The interpreter of a peer's environment, everything installed; raises NotInstalled."""
    requirement = REQUIREMENTS[name]
    place = folder / name
    python, done = place / "bin" / "python", place / requirement
    if done.exists():
        return python
    folder.mkdir(parents=True, exist_ok=True)
    try:
        for command in (
            [sys.executable, "-m", "venv", "--clear", str(place)],
            [str(python), "-m", "pip", "install", "--quiet", "--no-cache-dir", requirement],
        ):
            print(" ".join(command), file=sys.stderr, flush=True)
            subprocess.run(command, check=True, capture_output=True, timeout=_SECONDS)
    except subprocess.CalledProcessError as failed:
        raise NotInstalled(f"{requirement}: {failed.stderr.decode()[-500:]}") from failed
    except subprocess.TimeoutExpired as failed:
        raise NotInstalled(f"{requirement}: not within {_SECONDS} s") from failed
    done.touch()
    return python
