"""`python -m busmark.report.notebook.kernel`: the usual Python kernel, without its one TCP port.

A kernel listens on loopback for what its child processes print. No cell of the report starts any,
and a report must not depend on a network.
"""

from __future__ import annotations

from ipykernel import kernelapp
from ipykernel.iostream import IOPubThread


class QuietThread(IOPubThread):
    """Publishes what cells print, and listens to nobody."""

    def _setup_pipe_in(self) -> None:
        self._pipe_flag = False


def main() -> None:
    """Runs until its owner ends it."""
    vars(kernelapp)["IOPubThread"] = QuietThread
    kernelapp.launch_new_instance()


if __name__ == "__main__":
    main()
