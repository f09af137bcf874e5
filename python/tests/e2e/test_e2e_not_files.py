"""What is no regular file is neither waited for nor read without end, wherever one is expected."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest
from e2e_harness import Lab, scenario
from kept_results import unpack
from seams import run

from busmark.cli.main import busmark as top
from busmark.cli.options import Adapters
from busmark.cli.places import Directory

IN_RESULT = {
    "manifest.json": ("show", "run --resume --out"),
    "cases.jsonl": ("show", "run --resume --out"),
    "events.jsonl": ("show", "run --resume --out"),
    ".lock": ("list", "run --resume --out"),
    "report/gnuplot/.busmark-files": ("report --to gnuplot",),
}
"""Files of a result, and commands that open them."""
MAY_DO_WITHOUT = {("list", ".lock"), ("show", "events.jsonl")}


def plant(path: Path, kind: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    if kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/zero")


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kept")
    unpack(folder)
    return folder / "first" / "result"


@pytest.fixture
def result(kept: Path, lab: Lab) -> Iterator[Path]:
    copy = lab.folder / "result"
    shutil.copytree(kept, copy)
    yield copy
    shutil.rmtree(copy)


@pytest.mark.parametrize(
    ("kind", "name", "command"),
    [("device", "manifest.json", "show"), ("device", "cases.jsonl", "show"),
     *(("pipe", name, command) for name, commands in IN_RESULT.items() for command in commands)],
)  # fmt: skip
def test_in_a_result(lab: Lab, result: Path, kind: str, name: str, command: str) -> None:
    plant(result / name, kind)
    ended = lab.busmark(*command.split(), result)
    if (command, name) in MAY_DO_WITHOUT:
        assert ended.code == 0, ended.text
    else:
        assert ended.code == 2 and Path(name).name in ended.err, ended.text


# Every option and argument of every command that takes a path, found in click's own description of
# them: a new one is walked over at once.

Shape = tuple[tuple[str, ...], str]
"""A command's words, and the name of one of its parameters."""


def commands(
    command: click.Command, context: click.Context, words: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Yield every command below this one, with the words that call it."""
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            if below := command.get_command(context, name):
                own = click.Context(below, parent=context)
                yield from commands(below, own, (*words, name))
    else:
        yield words, command


def takes_a_path(parameter: click.Parameter) -> bool:
    return isinstance(parameter.type, (click.Path, Directory, Adapters))


ELSEWHERE = {("quickstart", "out"): "asks every adapter first; run has the same option"}
"""Not walked over, each with its reason."""
COMMANDS = dict(commands(top, click.Context(top)))
SHAPES = [
    (words, parameter.name or "")
    for words, command in COMMANDS.items()
    for parameter in command.params
    if takes_a_path(parameter) and (*words, parameter.name) not in ELSEWHERE
]
SOUND = {
    "adapter": "udp", "adapters": "udp", "baseline": "udp", "candidate": "tcp",
    "directory": "result",
    "file": "sound.toml", "idl": "sound.toml", "name": "udp", "names": "udp", "out": "new",
    "paths": "sound.csv", "place": "result", "scenario": "sound.toml", "sides": "result",
    "app": "1", "group": "1", "kind": "latency", "test": "1", "topic": "nothing",
    "value": "sound.toml", "folders": ".", "idls": "sound.toml", "seconds": "0.1s",
}  # fmt: skip
"""Values of what a line has besides the planted one, by the name of the parameter."""
NOT_UTF_8 = os.fsdecode(b"planted\xff")
WATCHDOG_S = 60


def fifo(path: Path) -> None:
    os.mkfifo(path)


def device(path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("making a device needs root")
    os.mknod(path, 0o666 | stat.S_IFCHR, os.makedev(1, 5))  # /dev/zero


def endpoint(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as own:
        own.bind(str(path))


def dangling(path: Path) -> None:
    path.symlink_to(path.with_name("nowhere"))


def full_folder(path: Path) -> None:
    path.mkdir()
    (path / "mine").write_text("mine")


def sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(20 << 30)


def closed(path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may read every file")
    path.write_text("mine")
    path.chmod(0)


def strange(path: Path) -> None:
    path.with_name(NOT_UTF_8).write_text("mine")


def line(words: tuple[str, ...], wanted: str, planted: str) -> list[str]:
    """Return a line of the command with the planted path in the place of one parameter, and sound
    values where it needs some."""
    options, arguments = [], []
    for parameter in COMMANDS[words].params:
        name = parameter.name or ""
        if name == wanted:
            value = planted
        elif parameter.required or name in (
            "adapters",
            "directory",
            "place",
            "sides",
            "scenario",
            "seconds",
        ):
            value = SOUND[name]
        else:
            continue
        if isinstance(parameter, click.Option):
            options += [parameter.opts[0], value]
        else:
            arguments.append(value)
    if wanted == "folder":
        options += ["--to", "csv"]
    return [*words, *options, *arguments]


def alarm(_: int, __: object) -> None:
    raise AssertionError("hangs")


@pytest.fixture(scope="module")
def place(kept: Path) -> Iterator[Path]:
    """Make a folder with sound files and a result. No adapter can be asked: nothing is measured."""
    folder = kept.parent.parent
    (folder / "result").symlink_to(kept)
    (folder / "sound.toml").write_text(scenario('adapter = "udp"'))
    (folder / "sound.csv").write_text("no table of any tool\n")
    before = signal.signal(signal.SIGALRM, alarm)
    yield folder
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize(
    "plant", [fifo, device, endpoint, dangling, full_folder, sparse, closed, strange]
)
@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: "-".join((*shape[0], shape[1])))
def test_every_path_that_a_command_takes(
    place: Path, monkeypatch: pytest.MonkeyPatch, shape: Shape, plant: Callable[[Path], None]
) -> None:
    """It ends, in words, and leaves what is there."""
    monkeypatch.chdir(place)
    monkeypatch.setenv("BUSMARK_WORKER", shutil.which("false") or "")
    path = place / "planted"
    plant(path)
    try:
        before = path.lstat() if plant is not strange else None
        given = "./" + (NOT_UTF_8 if plant is strange else path.name)
        signal.alarm(WATCHDOG_S)
        ended = run(*line(*shape, given))
        signal.alarm(0)
        assert ended.code in (0, 1, 2), ended.text
        if ended.code == 2:
            # What the suite says, a process of its own prints.
            by_suite = shape[0] == ("adapter", "check") and not ended.text
            # Or for what else is wrong with the line, which is said of a sound path, too.
            sound = (f"./{value}" for value in (SOUND.get(shape[1], "new"), "new"))
            assert (
                by_suite
                or "planted" in ended.text
                or any(run(*line(*shape, each)).text == ended.text for each in sound)
            ), ended.text
        if before and plant is not sparse:
            now = path.lstat()
            assert (now.st_ino, now.st_mode) == (before.st_ino, before.st_mode), "replaced"
    finally:
        signal.alarm(0)
        for each in (path, place / NOT_UTF_8, place / "nowhere", place / "new"):
            shutil.rmtree(each) if each.is_dir() and not each.is_symlink() else each.unlink(
                missing_ok=True
            )
