"""What tests of nodes share: an sshd of their own, nodes that can be switched off."""

from __future__ import annotations

import json
import os
import shutil

import pytest
from e2e_harness import HERE, Lab, marked, scenario, strike

SHORT = "duration_s = 0.1\nwarmup_s = 0.02\nmax_samples = 5000"

ALONE = ["unshare", "--net", "sh", "-c", 'ip link set lo up; exec "$@"', "sh"]
"""Prefix of commands that have a loopback of their own."""

OF_NODE = "BUSMARK_TEST_NODE"
"""Variable of all that runs on a node which can be switched off: its name."""


def need_root() -> None:
    if os.geteuid() != 0:
        pytest.skip("a private network needs root")


def beside_sshd(lab: Lab) -> list[str]:
    """Return the prefix of commands that have an sshd of their own."""
    missing = [tool for tool in ("sshd", "ssh", "ssh-keygen", "setpriv")
               if not shutil.which(tool, path=f"{os.environ['PATH']}:/usr/sbin")]  # fmt: skip
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)} (openssh-server)")
    return ["unshare", "--net", "--mount", "sh", str(HERE / "with_sshd.sh"), str(lab.scratch)]


def ssh(lab: Lab, host: str) -> str:
    return f"ssh -F {lab.scratch}/ssh_config -o BatchMode=yes {host}"


def on_nodes(nodes: dict[str, str], matrix: str, *, measure: str = SHORT, rounds: str = "min = 1",
             groups: dict[str, str] | None = None, run: str = "") -> str:  # fmt: skip
    tables = "\n".join(
        f"[nodes.{name}]\nprefix = {json.dumps(prefix)}\n"
        f"group = {json.dumps((groups or {}).get(name, ''))}"
        for name, prefix in nodes.items()
    )
    return scenario(matrix, measure=measure, rounds=rounds, run=run, also=tables)


class Switch:
    """A node that can be switched off, and on again."""

    def __init__(self, lab: Lab, name: str) -> None:
        self.name = name
        # Another test may have a node of this name at the same time.
        self._mark = f"{lab.mark}.{name}"
        self._flag = lab.scratch / name
        self.on()

    @property
    def prefix(self) -> str:
        text = f'echo "{self.name} is switched off" >&2; exit 255'
        script = f'test -e {self._flag} || {{ {text}; }}; exec "$@"'
        return f"env {OF_NODE}={self._mark} sh -c '{script}' sh"

    def on(self) -> None:
        self._flag.touch()

    def off(self) -> list[str]:
        """End everything on the node at once: its shell, its workers, what reads its counters.
        Return their commands."""
        self._flag.unlink()
        ended = []
        for process, command in self.processes().items():
            ended.append(command)
            strike(process)
        return ended

    def processes(self) -> dict[int, str]:
        return marked(OF_NODE, self._mark)
