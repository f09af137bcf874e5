"""What ros2cli loads by the entry point `benchmark`."""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from collections.abc import Sequence

PACK = "ros"
"""Folder of the scenarios that answer questions on ROS 2."""

DESCRIPTION = """Measure ROS 2's middleware with Busmark.

ros2 benchmark which-rmw     runs the scenario ros/which-rmw
ros2 benchmark latency rmw   is busmark latency rmw, and so with every other command of busmark
"""


class BenchmarkCommand:
    """Measure middleware: latency, loss, CPU."""

    NAME = "benchmark"
    EXTENSION_POINT_VERSION = "0.1"

    def add_arguments(
        self,
        parser: argparse.ArgumentParser,
        cli_name: str,
        *,
        argv: Sequence[str] | None = None,
    ) -> None:
        """Take everything behind `ros2 benchmark`."""
        parser.formatter_class = argparse.RawDescriptionHelpFormatter
        parser.description = DESCRIPTION
        parser.add_argument(
            "arguments",
            nargs=argparse.REMAINDER,
            help="a scenario of ROS 2, or a command of busmark",
        )

    def main(self, *, parser: argparse.ArgumentParser, args: argparse.Namespace) -> int:
        """Return the exit code of busmark; 2 where it is not installed."""
        given = list(args.arguments)
        command = _command()
        if command is None:
            print("ros2 benchmark: no busmark is here: pip install busmark", file=sys.stderr)
            return 2
        if not given:
            parser.print_help()
            return 0
        if _is_scenario(command, given[0]):
            given = ["run", f"{PACK}/{given[0]}", *given[1:]]
        return subprocess.run([command, *given], check=False).returncode


def _command() -> str | None:
    """Return the program, beside this Python or in PATH; None where it is in neither."""
    from busmark.launcher import programs

    beside = programs() / "busmark"
    return str(beside) if beside.is_file() else shutil.which("busmark")


def _is_scenario(command: str, name: str) -> bool:
    listed = subprocess.run(
        [command, "plan", f"{PACK}/{name}", "--json"], capture_output=True, check=False
    )
    return not name.startswith("-") and listed.returncode == 0
