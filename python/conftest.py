"""What all tests share when they run side by side (`pytest -n 2`).

Each worker process of pytest-xdist gets a network of its own with nothing but loopback, so that no
test meets another's traffic, ports or kernel counters. Tests of one file stay together, for they
share campaigns; those that make networks or clusters of their own run one after the other.
"""

from __future__ import annotations

import ctypes
import gc
import os
import re
import subprocess
import warnings
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click
import pytest
from hypothesis import HealthCheck, settings
from kept_results import unpack

from busmark.cli.main import SETTINGS, prepare_libraries

# As the command does, before numpy is imported: the last digits depend on it, and a test that calls
# the command would change it for the processes that later tests start.
prepare_libraries()

import pytest_randomly  # noqa: E402  (it imports numpy)

# How long an example takes, or making it, says nothing: others use the machine, too. The examples
# are the same in every run, so that a failure is a change's own.
settings.register_profile(
    "busmark",
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("busmark")


def _option_for_help(self: click.Command, ctx: click.Context) -> click.Option | None:
    """Return the option for help; refuse a context without the settings of `busmark`. A command
    keeps the option of the first context that asks for it, and all tests of the process after that
    would see another help than users do (`click.Context(busmark, **busmark.context_settings)`)."""
    is_ours = (getattr(self.callback, "__module__", None) or "").startswith("busmark.")
    if is_ours and ctx.help_option_names != SETTINGS["help_option_names"]:
        raise AssertionError(f"`{ctx.command_path}` has only {ctx.help_option_names} for its help")
    return _get_help_option(self, ctx)


_get_help_option = click.Command.get_help_option
click.Command.get_help_option = _option_for_help  # type: ignore[method-assign]

CLONE_NEWNET = 0x40000000

ONE_AFTER_THE_OTHER = (
    "e2e/test_e2e_causes.py", "e2e/test_e2e_clusters.py", "e2e/test_e2e_lab.py",
    "e2e/test_e2e_kills.py", "e2e/test_e2e_load.py", "e2e/test_e2e_nodes.py",
    "e2e/test_e2e_nodes_going.py", "plugins/lab/tests/live/test_lab.py",
)  # fmt: skip
"""Files that make networks, start daemons or load the machine: one group."""

LONGEST = (
    "networks", "e2e/test_e2e_user_type.py", "e2e/test_e2e_bus.py", "e2e/test_e2e_watch.py",
    "e2e/test_e2e_late.py", "e2e/test_e2e_bus_found.py", "e2e/test_e2e_packets.py",
    "nodes/test_nodes_hostile.py", "e2e/test_e2e_xrce_pack.py", "e2e/test_e2e_record.py",
    "e2e/test_e2e_one_line.py", "e2e/test_e2e_worker_faults.py",
    "e2e/test_e2e_interruption.py", "present/test_golden.py",
    "mutations/", "present/test_forms.py", "present/test_page_in_a_browser.py",
    "stats/test_stats_truth.py", "docs/test_docs_english.py",
)  # fmt: skip
"""Groups, or how their files' names begin, that begin first, whatever the order of others, or one
process would end minutes after the other."""


def pytest_addoption(pluginmanager: pytest.PytestPluginManager) -> None:
    """Run tests in random order. pytest would load the plug-in by itself, were it not switched off
    in `pyproject.toml`: before this file, and with it numpy, which would compute other last digits
    than in the processes that tests start."""
    pluginmanager.register(pytest_randomly, "order")


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, exitstatus: int, config: pytest.Config
) -> None:
    """Say how an order in which something failed is repeated."""
    if exitstatus == pytest.ExitCode.TESTS_FAILED:
        terminalreporter.line(
            f"The same order again: --randomly-seed={config.option.randomly_seed}"
        )


def pytest_configure(config: pytest.Config) -> None:
    """In a worker of pytest-xdist: enters a network of its own."""
    if not hasattr(config, "workerinput"):
        return
    # os.unshare comes with Python 3.12. Processes started by this thread inherit its network.
    if os.geteuid() or ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNET):
        warnings.warn("no network of its own for this worker: not root", stacklevel=1)
        return
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)


def group(nodeid: str) -> str:
    """Name the group of tests that run in one process, one after the other: all of a file, or of
    the files of `ONE_AFTER_THE_OTHER`. Mutations take long and share nothing: each is a group."""
    name = file(nodeid)
    if name.startswith("mutations/"):
        return nodeid
    return "networks" if name in ONE_AFTER_THE_OTHER else name


def file(nodeid: str) -> str:
    """Return the file of a test, from the folder of the tests or of the package."""
    return re.sub(r"^python/(?:tests|busmark)/", "", nodeid.partition("::")[0])


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the longest groups (`--no-loadscope-reorder`)."""

    def place(item: pytest.Item) -> int:
        names = (group(item.nodeid), file(item.nodeid))
        begun = (
            n for n, long in enumerate(LONGEST) if any(name.startswith(long) for name in names)
        )
        return next(begun, len(LONGEST))

    items.sort(key=place)


def pytest_collection_finish() -> None:
    """Thousands of collected tests, and all that they import, stay until the end: the collector of
    garbage need not look at them again and again (statsmodels calls it at every adjustment)."""
    gc.collect()
    gc.freeze()


if find_spec("xdist"):
    from xdist.scheduler import LoadScopeScheduling

    class Groups(LoadScopeScheduling):
        """Hands whole groups to processes. `--dist loadgroup` would need names of tests that can be
        changed, which pytest 9.2 has ended."""

        def _split_scope(self, nodeid: str) -> str:
            return group(nodeid)

    def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Groups:
        """Asked by pytest-xdist."""
        return Groups(config, log)

    WORKERS: dict[str, str] = {}

    def pytest_runtest_logreport(report: pytest.TestReport) -> None:
        """Refuse a group that is split: its tests would share neither campaigns nor the machine."""
        node = getattr(report, "node", None)
        if node is None:
            return
        name, worker = group(report.nodeid), node.gateway.id
        if WORKERS.setdefault(name, worker) != worker:
            raise AssertionError(f"{name} ran in {WORKERS[name]} and in {worker}")


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with real results of older versions (`kept_results.NAMES`)."""
    folder = tmp_path_factory.mktemp("kept")
    unpack(folder)
    return folder


@pytest.fixture(scope="session")
def lab_is_possible() -> None:
    """Skips what needs an emulated network where none can be made."""
    from seams import or_skip  # most tests need neither

    from busmark.plugins.lab.lab import need

    or_skip(need)


@pytest.fixture
def page_script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let pages be written where `make build` has not made the script that draws their charts: what
    they say does not depend on it."""
    from busmark.present.web import embedded

    if not embedded.SCRIPT.exists():
        script = tmp_path / "charts.js"
        script.write_text("// not built\n")
        monkeypatch.setattr(embedded, "SCRIPT", script)


@pytest.fixture(scope="session")
def captures_can_be_read() -> None:
    """Skip what reads a capture where the program that does has not been built."""
    from seams import or_skip

    from busmark.adapters import packets

    or_skip(packets)


@pytest.fixture(autouse=True, scope="session")
def _state_of_its_own(tmp_path_factory: pytest.TempPathFactory) -> None:
    """No test notes its results in the register of whoever runs the tests."""
    os.environ["XDG_STATE_HOME"] = str(tmp_path_factory.mktemp("state"))
