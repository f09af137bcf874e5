"""A shell on a node, behind a command prefix that gives its standard input and output.

Every answer ends with a line of random letters. So whatever a login prints before it is not taken
for an answer, and a shell that does not answer can be distinguished from one that has nothing to
say.
"""

from __future__ import annotations

import os
import re
import select
import shlex
import tempfile
import time
from collections.abc import Sequence

from busmark.errors import UserError
from busmark.launcher import MOST_PRINTED, Launched, Start, marker
from busmark.processes import signal_name

LOOK_S = 0.1
"""Pause between two looks for whether the prefix asks for a password."""
STOP_S = 2.0
BLOCK_BYTES = 1 << 16
TAIL_CHARACTERS = 300
TAIL_CODE = 20
ANSWERS = 2
"""Times its patience that an answer may take in all: one that comes byte by byte never ends."""

PROMPT = re.compile(rb"(password|passphrase|passcode)[^\n]*: ?$|\(yes/no[^\n]*$", re.I)
REFUSAL = re.compile(r"permission denied|host key|password|passphrase|a terminal is required", re.I)

UNATTENDED = {"SSH_ASKPASS_REQUIRE": "never"}
"""Variables that keep programs from asking questions, which nobody would answer."""


class NodeDown(UserError):
    """A node that cannot be used, at least for now."""


def command(prefix: Sequence[str]) -> list[str]:
    """Return the command that starts a shell behind a prefix."""
    return [*prefix, "sh"]


def environment() -> dict[str, str]:
    """Return the environment of that command."""
    return {**os.environ, **UNATTENDED}


class Shell:
    """A shell that answers one question at a time. The first error ends it."""

    def __init__(self, node: str, prefix: Sequence[str], patience_s: float) -> None:
        """Start it and wait until it answers.

        Raises:
            NodeDown: it cannot be started, ends, asks for a password, or says nothing for
                `patience_s`; nothing of it is left.
        """
        self._node = node
        self._prefix = prefix
        self._patience_s = patience_s
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  # as long as the shell
        self._answer, self._looked = bytearray(), 0
        self._until = 0.0
        try:
            start = Start(command(prefix), environment())
            self._process = Launched(start, "lab", stderr=self._errors)
        except OSError as error:
            self._errors.close()
            reason = f"{command(prefix)[0]!r} cannot be started ({error.strerror or error})"
            raise self._error(reason) from None
        self._input, self._output = self._process.input, self._process.output
        os.set_blocking(self._input.fileno(), False)
        self.ask(":")

    @property
    def alive(self) -> bool:
        """Return whether it can be asked."""
        return not self._input.closed and self._process.returncode is None

    def ask(self, script: str) -> str:
        """Return what these commands print. Their own input is empty: ours is where commands come
        from.

        Raises:
            NodeDown: the shell has ended, says nothing for too long, or a command failed.
        """
        return self._ask(f"{{ {script}\n}} </dev/null\n")

    def give(self, script: str, data: bytes) -> None:
        """Have these commands, of one line, read this many bytes; they print "send" when they do.

        Raises:
            NodeDown: as for `ask`.
        """
        self._ask(f"{script}; ", data)

    def _ask(self, script: str, data: bytes = b"") -> str:
        if not self.alive:
            raise self._down(self._end())
        mark = marker()
        self._answer, self._looked = bytearray(), 0
        self._until = time.monotonic() + ANSWERS * self._patience_s
        self._send(f"{script}printf '\\n%s %s\\n' {mark} $?\n".encode())
        while (found := self._end_of_answer(mark)) is None:
            self._receive()
            if data and self._answer.endswith(b"send\n"):
                # Not before: a shell may read its input in blocks, and took the bytes along.
                self._send(data)
                data = b""
                self._until = time.monotonic() + ANSWERS * self._patience_s
        answer, code = found
        if code.endswith("\r"):
            reason = "the prefix gives a terminal, which changes what passes through it"
            raise self._down(reason, "Leave the option for a terminal out, such as -t or --pty.")
        if code != "0":
            raise self._down(f"a command failed there (exit code {code[:TAIL_CODE]})")
        return answer

    def _end_of_answer(self, mark: str) -> tuple[str, str] | None:
        """Return the answer and the exit code behind it, when they are there. However long a line
        is, each byte is looked at once."""
        word = f"\n{mark} ".encode()
        at = self._answer.find(word, max(0, self._looked - len(word)))
        self._looked = len(self._answer) if at < 0 else at + len(word)
        end = self._answer.find(b"\n", self._looked) if at >= 0 else -1
        if end < 0:
            return None
        # The line break before the marker is not the commands' own.
        answer = self._answer[:at].decode(errors="replace").removesuffix("\n")
        return answer, self._answer[self._looked : end].decode(errors="replace")

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
        """Receive more of the answer; raise `NodeDown` if nothing more comes, or too much."""
        self._wait(self._output.fileno(), select.POLLIN)
        block = os.read(self._output.fileno(), BLOCK_BYTES)
        self._answer += block
        if not block:
            raise self._down(self._end())
        if len(self._answer) > MOST_PRINTED:
            raise self._down("it prints without end")
        if time.monotonic() > self._until:
            raise self._down(f"an answer has no end within {ANSWERS * self._patience_s:g} s")

    def _wait(self, descriptor: int, event: int) -> None:
        """Wait until this pipe is ready; raise `NodeDown` if there is no hope."""
        poll = select.poll()
        poll.register(descriptor, event)
        end = min(time.monotonic() + self._patience_s, self._until)
        while not poll.poll(LOOK_S * 1000):
            if any(PROMPT.search(text) for text in (self._answer[-BLOCK_BYTES:], self._said())):
                raise self._down("the prefix asks for a password, and nobody is there to answer")
            # What it says on standard error is kept, and has an end too.
            if os.fstat(self._errors.fileno()).st_size > MOST_PRINTED:
                raise self._down("it prints without end on standard error")
            if time.monotonic() > end:
                if end == self._until:
                    raise self._down(
                        f"an answer has no end within {ANSWERS * self._patience_s:g} s"
                    )
                raise self._down(f"no answer within {self._patience_s:g} s")

    def _said(self) -> bytes:
        """Return the last output of the prefix on standard error."""
        size = os.fstat(self._errors.fileno()).st_size
        return os.pread(self._errors.fileno(), BLOCK_BYTES, max(0, size - BLOCK_BYTES))

    def _end(self) -> str:
        """Return how the process behind the prefix has ended."""
        code = self._process.wait(STOP_S)
        if code is None:
            return "it has closed its output"
        return f"it ended by {signal_name(-code)}" if code < 0 else f"it ended, exit code {code}"

    def _down(self, reason: str, remedy: str = "") -> NodeDown:
        """End the shell; return the error that says why."""
        said = b"" if self._errors.closed else self._said()
        self.close(at_once=True)
        lines = [line.strip() for line in said.decode(errors="replace").splitlines()]
        text = "; ".join(line for line in lines if line)[-TAIL_CHARACTERS:]
        return self._error(f"{reason}: {text}" if text else reason, remedy)

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
        """Let the shell end, then end it."""
        if self._errors.closed:
            return
        self._process.stop(0.0 if at_once else STOP_S)
        self._errors.close()
