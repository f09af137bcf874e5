"""What a node's kernel tells of it.

Its files come through the pipe, and are read by the code that reads this machine's, as are the
words of whatever keeps its clock. So a figure means the same on every node, and nothing need be
installed there.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from busmark.host import (
    Condition,
    Counters,
    Profile,
    clock,
    condition,
    counters,
    profile,
    snapshot,
    variables,
)
from busmark.host.condition import MACHINE_FILES, thread_files
from busmark.host.profile import FILES as PROFILE_FILES
from busmark.nodes.shell import Shell

ANY = r"(?!\.)[A-Za-z0-9_.-]{0,100}"
"""What `*` may stand for. As in a shell it does not begin with a point, so it is not `..`."""
VARIABLE = re.compile(r"([A-Za-z_]\w*)=", re.ASCII)


def profile_of(shell: Shell, machine: str) -> Profile:
    """The host profile of a node; `machine` is its architecture."""
    said = shell.ask(clock.SCRIPT.read_text(encoding="utf-8"))
    environment = variables(_environment(shell.ask("env")))
    own = {"architecture": machine, "python_version": None, "environment": environment}
    with _mirror(shell, PROFILE_FILES) as root:
        return {**profile(root, said), **own}


def _environment(printed: str) -> dict[str, str]:
    """Variables as `env` prints them; a line that begins none continues the value before it."""
    found: dict[str, str] = {}
    name = ""
    for line in printed.splitlines():
        if begins := VARIABLE.match(line):
            name = begins[1]
            found[name] = line[begins.end() :]
        elif name:
            found[name] += f"\n{line}"
    return found


def counters_of(shell: Shell) -> Counters:
    """Its kernel's counters, of the network as the prefix sees it."""
    with _mirror(shell, counters.FILES) as root:
        return snapshot(root=root)


def condition_of(shell: Shell, processes: Sequence[int]) -> Condition:
    """The state of the node and of these processes on it. Its wall clock and the control groups of
    the processes are not looked at."""
    with _mirror(shell, [*MACHINE_FILES, *thread_files(processes)]) as root:
        return condition(processes, root, here=False)


@contextmanager
def _mirror(shell: Shell, names: Sequence[str]) -> Iterator[Path]:
    """A folder with copies of these files; `*` stands for a part of a name, as in a shell. What
    else a node answers is left out: it has no say in what is written here."""
    asked = _asked(names)
    answer = shell.ask("busmark_read " + " ".join(f"/{name}" for name in names))
    contents: dict[str, list[str]] = {}
    for line in answer.split("\n"):
        name, colon, text = line.partition(":")
        if colon and asked.fullmatch(name):
            contents.setdefault(name.lstrip("/"), []).append(text)
    with _folder() as (folder, made):
        for name, lines in contents.items():
            path = folder / name
            # Listed first, as they are to be removed: what contains others, then what is in it.
            made += [each for each in reversed(path.parents) if folder in each.parents]
            path.parent.mkdir(parents=True, exist_ok=True)
            made.append(path)
            path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        yield folder


@contextmanager
def _folder() -> Iterator[tuple[Path, list[Path]]]:
    """A temporary folder, and the list for what is made in it. It is removed by names alone: a
    process without a free descriptor cannot look into a folder."""
    folder, made = Path(tempfile.mkdtemp(prefix="busmark-node-")), list[Path]()
    try:
        yield folder, made
    finally:
        for path in reversed([folder, *made]):
            with suppress(OSError):
                path.rmdir() if path.is_dir() else path.unlink()


def _asked(names: Sequence[str]) -> re.Pattern[str]:
    """Names that may be in the answer: none leads elsewhere or is too long for a file."""
    return re.compile("|".join("/" + re.escape(name).replace(r"\*", ANY) for name in names))
