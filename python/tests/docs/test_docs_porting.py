"""What is asked of the operating system alone stays where docs/porting.md says that it is."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from docs_pages import ROOT

PACKAGE = ROOT / "python" / "busmark"
CRATES = ROOT / "crates"

MODULES = {"ctypes", "fcntl", "resource", "termios"}
CALLS = {"killpg", "pidfd_open", "sched_getaffinity", "sched_setaffinity", "sched_setscheduler",
         "setns", "unshare"}  # fmt: skip
FILES = ("/proc", "/sys/")

PORTED = ("platform.py", "host/")
"""What another system has in its own way."""
LINUX = ("lab/", "load/there.py", "nodes/", "findings/rules/")
"""What exists on Linux only: labs, the shell of a node, and remedies as text."""

SYSTEM_CRATES = re.compile(r"\b(rustix|nix|libc|thread_priority)::|\"/(proc|sys)/")
PORTED_RUST = ("busmark-measure/src/clock.rs", "busmark-worker/src/platform/")
LINUX_RUST = ("busmark-forwarder/", "busmark-conformance/")
OF_ADAPTERS = ("busmark-adapter/src/",)


def used(tree: ast.AST) -> Iterator[str]:
    """Yield the modules, calls and files of the system that a module uses."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in MODULES)
        elif isinstance(node, ast.ImportFrom) and node.module in MODULES:
            yield node.module
        elif isinstance(node, ast.Attribute) and node.attr in CALLS:
            yield node.attr
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Path":
            texts = (word for arg in node.args for word in ast.walk(arg))
            yield from (
                str(text.value)
                for text in texts
                if isinstance(text, ast.Constant) and str(text.value).startswith(FILES)
            )


def test_python_asks_the_system_in_one_module() -> None:
    found = {
        path.relative_to(PACKAGE).as_posix(): sorted(set(used(ast.parse(path.read_text("utf-8")))))
        for path in PACKAGE.rglob("*.py")
        if "tests" not in path.parts[len(PACKAGE.parts) :]
    }
    assert found["platform.py"]
    elsewhere = {
        name: asked
        for name, asked in found.items()
        if asked and not name.startswith((*PORTED, *LINUX))
    }
    assert elsewhere == {}


def test_rust_asks_the_system_in_one_module_of_the_worker_and_one_of_the_clock() -> None:
    found = {
        path.relative_to(CRATES).as_posix()
        for path in CRATES.glob("*/src/**/*.rs")
        if SYSTEM_CRATES.search(path.read_text("utf-8"))
    }
    assert any(name.startswith(PORTED_RUST[1]) for name in found)
    assert {
        n for n in found if not n.startswith((*PORTED_RUST, *LINUX_RUST, *OF_ADAPTERS))
    } == set()


def test_the_page_names_them() -> None:
    page = (ROOT / "docs" / "porting.md").read_text("utf-8")
    for place in ("python/busmark/platform.py", "python/busmark/host/", PORTED_RUST[0],
                  f"crates/{PORTED_RUST[1]}"):  # fmt: skip
        assert (
            place in page
            and (ROOT / "crates" / place if place[0] == "b" else ROOT / place).exists()
        )
