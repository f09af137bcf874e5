"""A shell on a node, behind a command prefix that gives its standard input and output.

Every answer ends with a line of random letters. So whatever a login prints before it is not taken
for an answer, and a shell that says nothing is told from one that has nothing to say.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import select
import shlex
import subprocess
import tempfile
import time
from collections.abc import Sequence

from busmark.errors import UserError
from busmark.processes import end_group, marked, signal_name

LOOK_S = 0.1
"""How often it is looked whether the prefix asks for a password."""
STOP_S = 2.0
BLOCK_BYTES = 1 << 16
MOST_BYTES = 16 << 20
"""Of an answer, and of what a login may print before it."""
TOLD_CHARACTERS = 300

PROMPT = re.compile(rb"(password|passphrase|passcode)[^\n]*: ?$|\(yes/no[^\n]*$", re.I)
REFUSAL = re.compile(r"permission denied|host key|password|passphrase|a terminal is required", re.I)

UNATTENDED = {"SSH_ASKPASS_REQUIRE": "never"}
"""Nobody is there to answer a dialogue."""


class NodeDown(UserError):
    """A node that cannot be used, at least for now."""


def command(prefix: Sequence[str]) -> list[str]:
    """The command that starts a shell behind a prefix."""
    return [*prefix, "sh"]


def environment() -> dict[str, str]:
    """Of that command."""
    return {**os.environ, **UNATTENDED}


def marker() -> str:
    """A word that nobody else prints."""
    return f"busmark-{secrets.token_hex(16)}"


class Shell:
    """A shell that answers one question at a time. The first error ends it."""

    def __init__(self, node: str, prefix: Sequence[str], patience_s: float) -> None:
        """Starts it and waits until it answers.

        Raises:
            NodeDown: it cannot be started, ends, asks for a password, or says nothing for
                `patience_s`; nothing of it is left.
        """
        self._node = node
        self._prefix = prefix
        self._patience_s = patience_s
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  # as long as the shell
        self._answer = bytearray()
        try:
            self._process = subprocess.Popen(
                command(prefix), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=self._errors, bufsize=0, start_new_session=True,
                env={**environment(), **marked("lab")},
            )  # fmt: skip
        except OSError as error:
            self._errors.close()
            reason = f"{command(prefix)[0]!r} cannot be started ({error.strerror})"
            raise self._error(reason) from None
        assert self._process.stdin is not None and self._process.stdout is not None
        self._input, self._output = self._process.stdin, self._process.stdout
        os.set_blocking(self._input.fileno(), False)
        self.ask(":")

    @property
    def alive(self) -> bool:
        """Whether it can be asked."""
        return not self._input.closed and self._process.poll() is None

    def ask(self, script: str) -> str:
        """What these commands print. Their own input is empty: ours is where commands come from.

        Raises:
            NodeDown: the shell has ended, says nothing for too long, or a command failed.
        """
        return self._ask(f"{{ {script}\n}} </dev/null\n")

    def give(self, script: str, data: bytes) -> None:
        """Has these commands, of one line, read so many bytes; they print "send" when they do.

        Raises:
            NodeDown: as for `ask`.
        """
        self._ask(f"{script}; ", data)

    def _ask(self, script: str, data: bytes = b"") -> str:
        if not self.alive:
            raise self._down(self._end())
        mark = marker()
        end = re.compile(f"^{mark} (.*)\n".encode(), re.M)
        self._answer = bytearray()
        self._send(f"{script}printf '\\n%s %s\\n' {mark} $?\n".encode())
        begin = 0
        while not (found := end.search(self._answer, begin)):
            begin = self._answer.rfind(b"\n") + 1
            self._receive()
            if data and self._answer.endswith(b"send\n"):
                # Not before: a shell may read its input in blocks, and took the bytes along.
                self._send(data)
                data = b""
        code = found[1].decode(errors="replace")
        if code.endswith("\r"):
            reason = "the prefix gives a terminal, which changes what passes through it"
            raise self._down(reason, "Leave the option for a terminal out, such as -t or --pty.")
        if code != "0":
            raise self._down(f"a command failed there (exit code {code})")
        # The line break before the marker is not the commands' own.
        return self._answer[: found.start() - 1].decode(errors="replace").removesuffix("\n")

    def _send(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            self._wait(self._input.fileno(), select.POLLOUT)
            try:
                rest = rest[os.write(self._input.fileno(), rest[:BLOCK_BYTES]) :]
            except BrokenPipeError:
                raise self._down(self._end()) from None
            except BlockingIOError:
                continue

    def _receive(self) -> None:
        """Some more of the answer."""
        self._wait(self._output.fileno(), select.POLLIN)
        block = os.read(self._output.fileno(), BLOCK_BYTES)
        self._answer += block
        if not block:
            raise self._down(self._end())
        if len(self._answer) > MOST_BYTES:
            raise self._down("it prints without end")

    def _wait(self, descriptor: int, event: int) -> None:
        """Until this pipe is ready, or there is no hope."""
        poll = select.poll()
        poll.register(descriptor, event)
        end = time.monotonic() + self._patience_s
        while not poll.poll(LOOK_S * 1000):
            if any(PROMPT.search(text) for text in (self._answer[-BLOCK_BYTES:], self._said())):
                raise self._down("the prefix asks for a password, and nobody is there to answer")
            if time.monotonic() > end:
                raise self._down(f"no answer within {self._patience_s:g} s")

    def _said(self) -> bytes:
        """The last of what the prefix has said on standard error."""
        size = os.fstat(self._errors.fileno()).st_size
        return os.pread(self._errors.fileno(), BLOCK_BYTES, max(0, size - BLOCK_BYTES))

    def _end(self) -> str:
        """How the process behind the prefix has ended."""
        try:
            code = self._process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            return "it has closed its output"
        return f"it ended by {signal_name(-code)}" if code < 0 else f"it ended, exit code {code}"

    def _down(self, reason: str, remedy: str = "") -> NodeDown:
        """Ends the shell; the error that says why."""
        said = b"" if self._errors.closed else self._said()
        self.close(at_once=True)
        lines = [line.strip() for line in said.decode(errors="replace").splitlines()]
        told = "; ".join(line for line in lines if line)[-TOLD_CHARACTERS:]
        return self._error(f"{reason}: {told}" if told else reason, remedy)

    def _error(self, reason: str, remedy: str = "") -> NodeDown:
        if not remedy and REFUSAL.search(reason):
            remedy = (
                "It must work without questions: for ssh install a key (ssh-copy-id), accept the "
                "host's key once, and put -o BatchMode=yes into the prefix."
            )
        tried = shlex.join(["echo", "yes", "|", *self._prefix, "cat"]).replace("'|'", "|")
        return NodeDown(
            f"the node cannot be used: {reason}",
            where=f"nodes.{self._node}",
            remedy=remedy or f"See whether this prints yes: {tried}",
        )

    def close(self, *, at_once: bool = False) -> None:
        """Lets the shell end, then ends it."""
        if self._errors.closed:
            return
        with contextlib.suppress(OSError):
            self._input.close()
        if not at_once:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(STOP_S)
        end_group(self._process.pid)
        self._process.wait()
        self._output.close()
        self._errors.close()
