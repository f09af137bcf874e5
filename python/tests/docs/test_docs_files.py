"""Files are read and written, and processes started, at one place each (docs/security.md)."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from docs_pages import ROOT

PACKAGE = ROOT / "python" / "busmark"
MODULES = {
    path.relative_to(PACKAGE).as_posix(): path
    for path in sorted(PACKAGE.rglob("*.py"))
    if "tests" not in path.relative_to(PACKAGE).parts
}

WRITING = {"write_text", "write_bytes", "touch", "symlink_to", "copyfile", "copytree", "copy2"}
"""Methods and functions that write a file."""
MAKING = {"mkdtemp", "mkstemp", "NamedTemporaryFile", "TemporaryDirectory", "TemporaryFile"}
READING = {"read_text", "read_bytes"}

WRITES = {
    "cli/adapter.py": "copies the headers of the contract into a folder that it has made",
    "control/worker.py": "touches the log before the worker starts, to see that it can be made",
    "nodes/shell.py": "a file without a name",
    "plugins/imports/read.py": "a result that is made beside its place, which it takes as a whole",
    "plugins/own_types/libraries.py": "build folders of a checkout, and the library made there",
    "plugins/own_types/value.py": "an empty module in a folder that it has made",
    "store/named.py": "the register of results is links",
    "temporary.py": "the door of short-lived folders",
}
"""Modules that write without the door, each with its reason."""
READS = {
    "store/columns.py": "a table of the package",
    "cli/adapter.py": "an example of the package",
    "compare/stored.py": "the package's own code",
    "findings/registry.py": "texts beside the module of a rule",
    "control/around.py": "what the launcher has bounded",
    "control/companions/counters.py": "what the launcher has bounded",
    "control/worker.py": "what the launcher has bounded",
    "host/profile.py": "a script of the package",
    "host/proc.py": "files of the kernel",
    "nodes/site.py": "scripts of the package",
    "platform.py": "files of the kernel",
    "plugin.py": "metadata of installed packages",
    "plugins/lab/lab.py": "what root has written in /run",
    "plugins/own_types/libraries.py": "a template of the checkout",
    "plugins/own_types/source.py": "classes that it has made",
    "plugins/papers/pother_2008/tables.py": "a table of the package",
    "plugins/papers/published.py": "documents and tables of the package",
    "present/sinks/gnuplot.py": "a style of the package",
    "present/sinks/kernel.py": "what its own kernel has printed",
    "present/web/__init__.py": "scripts of the package",
    "present/web/embedded.py": "a script of the package",
}
"""Modules that read without the door, each with its reason."""
STARTS = {
    "cli/adapter.py": "the suite has the terminal",
    "estimate/all_cases.py": "pickles of its own, on both pipes",
    "ros2cli.py": "the command has the terminal",
}
"""Modules that start processes without the launcher, each with its reason."""


def calls(path: Path) -> Iterator[tuple[str, ast.Call]]:
    """Yield the calls of a module, by the last part of their names."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            name = node.func
            if isinstance(name, ast.Attribute):
                yield name.attr, node
            elif isinstance(name, ast.Name):
                yield name.id, node


def opens_to_write(call: ast.Call) -> bool:
    """Return whether an `open` has a mode that writes."""
    words = [*call.args, *(word.value for word in call.keywords if word.arg == "mode")]
    modes = (word.value for word in words if isinstance(word, ast.Constant))
    return any(isinstance(mode, str) and set(mode) & set("wax+") for mode in modes)


def puts_in_place(call: ast.Call) -> bool:
    """Return whether it is `shutil.move`, or `replace` of a path: of a text it has two values."""
    match call.func:
        case ast.Attribute(value=ast.Name(id="shutil"), attr="move"):
            return True
        case ast.Attribute(value=ast.Name(), attr="replace"):
            return len(call.args) == 1 and not call.keywords
    return False


def modules_calling(names: set[str], *, opening: bool) -> set[str]:
    """Return the modules with such a call; `opening`: and those that open a file to write."""
    return {
        module
        for module, path in MODULES.items()
        if module not in ("files.py", "cli/output.py")
        for name, call in calls(path)
        if name in names
        or (opening and name == "open" and opens_to_write(call))
        or (opening and puts_in_place(call))
    }


def test_every_file_is_written_by_one_door() -> None:
    # What `replacing` yields is written by whoever has it.
    assert modules_calling(WRITING | MAKING, opening=True) == {*WRITES}


def test_every_file_is_read_by_one_door() -> None:
    assert modules_calling(READING, opening=False) == {*READS}


def test_every_process_is_started_by_the_launcher() -> None:
    assert modules_calling({"Popen"}, opening=False) | {
        module
        for module, path in MODULES.items()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Import) and any(n.name == "subprocess" for n in node.names)
    } == {*STARTS, "launcher.py"}


def test_a_child_in_python_takes_no_module_from_the_current_directory() -> None:
    """Its command is made by `launcher.python`, which has -P."""
    assert {
        module
        for module, path in MODULES.items()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr == "executable"
    } == {"launcher.py"}
