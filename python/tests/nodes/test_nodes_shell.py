"""What may stand between Busmark and a shell on a node."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from busmark.nodes.shell import NodeDown, Shell
from busmark.nodes.site import SCRIPT

PATIENCE_S = 30.0
"""So long nothing here takes."""


def wrapped(script: str) -> list[str]:
    """A prefix that does this before it starts the command."""
    return ["sh", "-c", f'{script}\nexec "$@"', "prefix"]


@pytest.mark.parametrize(
    "prefix",
    [
        [],
        ["env", "A=b"],
        wrapped("echo 'Welcome to lab1!'; echo; echo 'All use is logged.'"),
        wrapped("printf 'a prompt without an end> '"),
        wrapped("head -c 300000 /dev/zero | tr '\\0' x; echo"),
        wrapped("printf '\\377\\000\\n'"),
        wrapped("echo 'Last login: today' >&2"),
    ],
)
def test_a_banner_is_skipped(prefix: list[str]) -> None:
    shell = Shell("lab1", prefix, PATIENCE_S)
    assert shell.ask("echo one; printf 'two\\nthree'") == "one\ntwo\nthree"
    assert shell.ask(":") == ""
    assert shell.ask("cat") == "", "commands do not read what is for the shell"
    shell.close()
    assert not shell.alive


DOWN = [
    (["busmark-no-such-program"], 20.0, "'busmark-no-such-program' cannot be started (No such"),
    (["false"], 20.0, "it ended, exit code 1"),
    (wrapped("exit 255"), 20.0, "it ended, exit code 255"),
    (wrapped("echo 'ssh: connect to host lab1: No route to host' >&2; exit 255"), 20.0,
     "it ended, exit code 255: ssh: connect to host lab1: No route to host"),
    (wrapped("kill -9 $$"), 20.0, "it ended by SIGKILL"),
    (wrapped("exec >&-; exec sleep 1000"), 20.0, "it has closed its output"),
    (wrapped("exec sleep 1000"), 0.3, "no answer within 0.3 s"),
    (wrapped("echo hello; exec sleep 1000"), 0.3, "no answer within 0.3 s"),
    (wrapped("yes"), 20.0, "it prints without end"),
    (wrapped("printf \"root@lab1's password: \" >&2; exec sleep 1000"), 20.0,
     "asks for a password"),
    (wrapped("printf 'Enter passphrase for key: '; exec sleep 1000"), 20.0, "asks for a password"),
    (wrapped("printf 'continue connecting (yes/no/[fingerprint])? ' >&2; exec sleep 1000"), 20.0,
     "asks for a password"),
]  # fmt: skip


@pytest.mark.parametrize(("prefix", "patience_s", "says"), DOWN, ids=[says for *_, says in DOWN])
def test_a_prefix_that_leads_nowhere_is_told(
    prefix: list[str], patience_s: float, says: str
) -> None:
    with pytest.raises(NodeDown) as error:
        Shell("lab1", prefix, patience_s)
    assert says in error.value.message
    assert error.value.where == "nodes.lab1" and error.value.remedy
    if "password" in says:
        assert "BatchMode=yes" in error.value.remedy


def test_a_terminal_is_refused() -> None:
    pty = "import pty, sys; pty.spawn(sys.argv[1:])"
    with pytest.raises(NodeDown, match="gives a terminal") as error:
        Shell("lab1", [sys.executable, "-c", pty], PATIENCE_S)
    assert "-t" in error.value.remedy


def test_a_command_that_fails_ends_the_shell() -> None:
    shell = Shell("lab1", [], PATIENCE_S)
    with pytest.raises(NodeDown, match="exit code 7"):
        shell.ask("echo out of luck >&2; (exit 7)")
    assert not shell.alive
    with pytest.raises(NodeDown):
        shell.ask(":")


def test_a_shell_that_is_killed_is_noticed() -> None:
    shell = Shell("lab1", [], PATIENCE_S)
    os.kill(int(shell.ask("echo $$")), signal.SIGKILL)
    with pytest.raises(NodeDown, match="it ended by SIGKILL"):
        shell.ask(":")


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.binary(max_size=100_000), min_size=1, max_size=3))
def test_bytes_arrive_as_they_are(contents: list[bytes]) -> None:
    """Also such as a shell would take for commands."""
    shell = Shell("lab1", [], PATIENCE_S)
    path = Path(shell.ask("mktemp"))
    for content in [*contents, b"exit 3\n" * 10]:
        shell.give(f"echo send; head -c {len(content)} > {path}", content)
        assert path.read_bytes() == content
    path.unlink()
    shell.close()


TOOLS = ("cat", "chmod", "df", "find", "grep", "gzip", "head", "id", "ls", "mkdir", "mv",
         "readlink", "rm", "sha256sum", "touch", "uname")  # fmt: skip
SHELLS = [name for name in ("dash", "bash", "busybox") if shutil.which(name)]


@pytest.mark.parametrize("name", SHELLS)
def test_the_script_runs_in_this_shell(name: str, scratch: Path) -> None:
    """Nodes have the shells of their system: of Debian, of Fedora, of Alpine and containers."""
    path = scratch / "bin"
    path.mkdir()
    (path / "sh").symlink_to(shutil.which(name) or "")
    if name == "busybox":
        for tool in TOOLS:
            (path / tool).symlink_to(shutil.which(name) or "")
    shell = Shell("lab1", ["env", f"PATH={path}:{os.environ['PATH']}"], PATIENCE_S)
    shell.ask(SCRIPT.read_text(encoding="utf-8"))
    told = dict(line.split(" ", 1) for line in shell.ask("busmark_open t0").splitlines())
    assert told["cache"] == f"{scratch}/.cache/busmark/nodes" and "missing" not in told
    assert int(told["free_kib"]) > 0 and Path(told["run"]).is_dir()
    assert Path(told["run"]).stat().st_mode & 0o777 == 0o700
    assert shell.ask("busmark_missing 00/a 00/b") == "00/a\n00/b"
    read = shell.ask("busmark_read /proc/sys/kernel/ostype /proc/sys/kernel/nothing")
    assert read == "/proc/sys/kernel/ostype:Linux"
    shell.close()
    assert not Path(told["run"]).exists()
