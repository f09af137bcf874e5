"""`python -m busmark.report.notebook.kernel`: the usual Python kernel, without its one TCP port.

A kernel listens on loopback for what its child processes print. No cell of the report starts any,
and a report must not depend on a network.

The folder of the report may come from somebody else: no module and no setting is read from it. The
kernel starts in a folder of its own, imports what the cells need, and only then goes there, so that
relative paths in the cells hold.
"""

from __future__ import annotations

import os
from typing import Any

import matplotlib.pyplot  # noqa: F401  (reads a matplotlibrc of the current directory)
from ipykernel import kernelapp
from ipykernel.iostream import IOPubThread

from busmark.report.notebook.folder import VARIABLE


class QuietThread(IOPubThread):
    """Publishes what cells print, and listens to nobody."""

    def _setup_pipe_in(self) -> None:
        self._pipe_flag = False


def main() -> None:
    """Runs until its owner ends it."""
    vars(kernelapp)["IOPubThread"] = QuietThread
    kernel: Any = kernelapp.IPKernelApp.instance()
    kernel.initialize()
    os.chdir(os.environ[VARIABLE])
    kernel.start()


if __name__ == "__main__":
    main()
