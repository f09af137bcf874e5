"""Where the worker and the adapter libraries are."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from busmark.errors import UserError

WORKER = "busmark-worker"
PATH_VARIABLE = "BUSMARK_ADAPTER_PATH"
WORKER_VARIABLE = "BUSMARK_WORKER"

PACKAGE = Path(__file__).resolve().parent.parent


def search_path() -> list[Path]:
    """Folders that may hold adapters: the user's, the installed package's, the checkout's build."""
    own = [Path(part) for part in os.environ.get(PATH_VARIABLE, "").split(os.pathsep) if part]
    return [*own, PACKAGE / "_native", PACKAGE.parent.parent / "target" / "release"]


def worker() -> Path:
    """The worker's executable."""
    named = os.environ.get(WORKER_VARIABLE)
    if named:
        if Path(named).is_file() and os.access(named, os.X_OK):
            return Path(named)
        raise UserError(
            "not an executable file",
            where=f"{WORKER_VARIABLE}={named}",
            remedy="Unset the variable, or name a busmark-worker.",
        )
    # An installed package has it beside the interpreter, also where that folder is not in PATH.
    for folder in [*search_path(), Path(sys.executable).parent]:
        if os.access(folder / WORKER, os.X_OK):
            return folder / WORKER
    found = shutil.which(WORKER)
    if found:
        return Path(found)
    raise UserError(
        f"{WORKER} is not installed",
        remedy=f"Build it with `make build`, or name it in the variable {WORKER_VARIABLE}.",
    )


def not_startable(path: Path, error: OSError) -> UserError:
    """The worker is there, but the system does not run it."""
    return UserError(
        f"the worker cannot be started ({error.strerror})",
        where=str(path),
        remedy=f"Build it again with `make build`, or name another in {WORKER_VARIABLE}.",
    )


def libraries() -> dict[str, Path]:
    """Adapters by name: the first found along the search path."""
    found: dict[str, Path] = {}
    for folder in search_path():
        for path in sorted(folder.glob("libbusmark_*.so")):
            found.setdefault(path.stem.removeprefix("libbusmark_"), path)
    return dict(sorted(found.items()))
