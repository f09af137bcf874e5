"""`ros2 benchmark`: what ros2cli would load and call. ros2cli itself is in no registry."""

from __future__ import annotations

import argparse
import importlib
import sys
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="module")
def command() -> ModuleType:
    """Return the module of the entry point of the installed package."""
    (found,) = (each for each in entry_points(group="ros2cli.command") if each.name == "benchmark")
    assert found.dist and found.dist.name == "busmark"
    assert found.load().NAME == "benchmark"
    return importlib.import_module(found.module)


def run(command: ModuleType, *arguments: str) -> int:
    """Run the command as ros2cli does: one parser for all, then `main`."""
    extension = command.BenchmarkCommand()
    parser = argparse.ArgumentParser("ros2 benchmark")
    extension.add_arguments(parser, "ros2")
    code: int = extension.main(parser=parser, args=parser.parse_args(arguments))
    return code


def test_everything_is_handed_to_busmark_with_its_exit_code(
    command: ModuleType, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(command, "plan", "ros/overhead") == 0
    assert "to run, " in capfd.readouterr().out
    assert run(command, "latency", "rmw", "--sise", "64") == 2
    assert "--size" in capfd.readouterr().err


def test_a_scenario_of_ros_needs_its_name_only(
    command: ModuleType, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(command, "overhead", "--help") == 0
    assert "busmark run" in capfd.readouterr().out


def test_without_busmark_it_says_so(
    command: ModuleType, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:  # fmt: skip
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    assert run(command, "overhead") == 2
    assert "pip install busmark" in capfd.readouterr().err


def test_alone_it_shows_what_there_is(
    command: ModuleType, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(command) == 0
    assert "ros2 benchmark which-rmw" in capfd.readouterr().out
