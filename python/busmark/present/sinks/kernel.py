"""Runs the cells of a notebook in a fresh kernel of this interpreter.

Kernel and client speak through sockets in a temporary folder (transport ipc), where also the
kernel's specification and all settings are: nothing of the user's is read, written or listened to.

`python -m busmark.present.sinks.kernel` is that kernel: the usual one of Python, without its one
TCP port, on which it would listen for what child processes print. The folder of the report may come
from somebody else, so no module is read from it: the kernel starts in a folder of its own and goes
there when it has begun, so that relative paths in the cells hold.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import nbformat
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, DeadKernelError

import busmark
from busmark import files
from busmark.errors import UserError
from busmark.launcher import python
from busmark.temporary import run_directory

KERNEL = "busmark-report"

FOLDER = "BUSMARK_NOTEBOOK_FOLDER"
"""Environment variable with the folder of the notebook."""

START_S = 300
"""A kernel that has not answered by then never will; a busy machine takes its time."""

# As for -P, no module comes from the current directory, which may be a stranger's.
COMMAND = [
    *python("-m", "busmark.present.sinks.kernel"),
    "-f",
    "{connection_file}",
    "--HistoryManager.enabled=False",
    "--IPKernelApp.ignore_cwd=True",
]


def execute(notebook: nbformat.NotebookNode, folder: Path) -> None:
    """Run all cells in place, with `folder` as the current directory.

    Raises:
        UserError: a cell fails, or the kernel ends.
    """
    with run_directory() as place:
        log = place / "kernel.log"
        begun = [0]
        client = NotebookClient(
            notebook,
            km=_manager(place),
            timeout=None,
            startup_timeout=START_S,
            record_timing=False,
            coalesce_streams=True,
            resources={"metadata": {"path": str(place)}},
            # A cell that ends the kernel has no count.
            on_cell_start=lambda cell, cell_index: begun.append(cell_index),
        )
        # Otherwise a kernel that was given to the client outlives it.
        client.owns_km = True
        try:
            with files.created(log) as printed:
                environment = _environment(place, folder)
                client.execute(env=environment, stdout=printed, stderr=printed)
        except CellExecutionError as error:
            raise _failed(notebook, begun[-1], f"{error.ename}: {error.evalue}") from None
        except (DeadKernelError, RuntimeError) as error:
            last = log.read_text(errors="replace").strip().rpartition("\n")[2] or str(error)
            raise _failed(notebook, begun[-1], f"the kernel ended ({last})") from None


def _manager(place: Path) -> AsyncKernelManager:
    spec = place / "kernels" / KERNEL
    spec.mkdir(parents=True)
    files.create(
        spec / "kernel.json",
        json.dumps({"argv": COMMAND, "display_name": KERNEL, "language": "python"}),
    )
    return AsyncKernelManager(
        kernel_name=KERNEL,
        kernel_spec_manager=KernelSpecManager(
            kernel_dirs=[str(place / "kernels")], ensure_native_kernel=False
        ),
        transport="ipc",
        ip=str(place / "socket"),
        connection_file=str(place / "connection.json"),
    )


def _environment(place: Path, folder: Path) -> dict[str, str]:
    """Return the user's environment, but so that nothing leaves traces in the home directory."""
    package = str(Path(busmark.__file__).resolve().parents[1])
    # Relative folders refer to this process, not to the report's folder.
    given = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    paths = [package, *(str(Path(path).absolute()) for path in given)]
    own = {
        "IPYTHONDIR": "ipython",
        "JUPYTER_CONFIG_DIR": "jupyter",
        "JUPYTER_DATA_DIR": "jupyter",
        "JUPYTER_RUNTIME_DIR": "jupyter",
    }
    return {
        **os.environ,
        **{name: str(place / folder) for name, folder in own.items()},
        "PYTHONPATH": os.pathsep.join(dict.fromkeys(paths)),
        FOLDER: str(folder.absolute()),
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
    }


def _failed(notebook: nbformat.NotebookNode, index: int, what: str) -> UserError:
    """Return the error of the cell that was begun last."""
    source = str(notebook.cells[index].source).partition("\n")[0]
    return UserError(
        f"cell {index + 1} failed: {what}",
        where="the notebook",
        remedy=f"The cell begins with: {source}. Other forms of report do not need it.",
    )


def main() -> None:
    """Run a kernel until its owner ends it."""
    from ipykernel import kernelapp
    from ipykernel.iostream import IOPubThread

    class QuietThread(IOPubThread):
        """Publishes what cells print, and listens to nobody."""

        def _setup_pipe_in(self) -> None:
            self._pipe_flag = False

    vars(kernelapp)["IOPubThread"] = QuietThread
    kernel: Any = kernelapp.IPKernelApp.instance()
    kernel.initialize()
    os.chdir(os.environ[FOLDER])
    kernel.start()


if __name__ == "__main__":
    main()
