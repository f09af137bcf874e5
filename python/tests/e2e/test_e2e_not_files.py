"""What is no regular file is neither waited for nor read without end, wherever one is expected."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from e2e_harness import Lab
from kept_results import unpack

IN_RESULT = {
    "manifest.json": ("show", "run --resume --out"),
    "cases.jsonl": ("show", "run --resume --out"),
    "events.jsonl": ("show", "run --resume --out"),
    ".lock": ("list", "run --resume --out"),
    "report/gnuplot/.busmark-files": ("report --to gnuplot",),
}
"""Files of a result, and commands that open them."""
MAY_DO_WITHOUT = {("list", ".lock"), ("show", "events.jsonl")}
NAMED = {
    "run": ("run", "NAME", "--out", "new"),
    "plan": ("plan", "NAME"),
    "import": ("import", "NAME", "--out", "new"),
    "capture": ("capture", "analyse", "NAME"),
    "replay": ("replay", "NAME"),
    "history": ("track", "show", "--history", "NAME"),
}


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


@pytest.mark.parametrize("command", NAMED)
def test_as_an_argument(lab: Lab, command: str) -> None:
    plant(lab.folder / "planted", "pipe")
    words = ("planted" if word == "NAME" else word for word in NAMED[command])
    ended = lab.busmark(*words)
    assert ended.code == 2 and "planted" in ended.err, ended.text
    assert not (lab.folder / "new").exists()
