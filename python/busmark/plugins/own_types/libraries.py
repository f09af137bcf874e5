"""One library for each adapter that can be compiled with the user's type."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from busmark import files
from busmark.adapters import adapter_facts, checker, environment
from busmark.launcher import completed
from busmark.plugins.own_types.source import UserType
from busmark.plugins.own_types.tools import Idlc, ToolError, cache, checkout, run
from busmark.temporary import made_beside


@dataclass(frozen=True)
class BuildOutcome:
    """The result of building one adapter."""

    name: str
    library: Path | None
    reason: str | None
    """Why there is no library."""


@dataclass(frozen=True)
class Task:
    """One adapter to be compiled."""

    name: str
    user: UserType
    idlc: Idlc
    folder: Path
    """Folder of what is generated, and of the log."""
    out: Path
    """Folder of the library."""

    @property
    def log(self) -> Path:
        """File with the commands that were run, and their output."""
        return self.folder / "log.txt"

    @property
    def library(self) -> Path:
        """Return what is to be made."""
        return self.out / f"libbusmark_{self.name}.so"


def by_cmake(task: Task) -> None:
    """Compile an adapter whose CMakeLists.txt includes adapters/user_type.cmake."""
    folder = task.folder / "cmake"
    options = {
        "CMAKE_BUILD_TYPE": "Release",
        "CMAKE_LIBRARY_OUTPUT_DIRECTORY": task.out.absolute(),
        "BUSMARK_USER_IDL": task.user.idl,
        "BUSMARK_USER_TYPE": task.user.name,
    }
    defined = [f"-D{name}={value}" for name, value in options.items()]
    source = checkout() / "adapters" / task.name
    run(["cmake", "-S", source, "-B", folder, *defined], log=task.log)
    run(["cmake", "--build", folder, "--parallel", "2"], log=task.log)


def by_idlc(task: Task) -> None:
    """Compile Cyclone DDS's: C made by its own compiler, linked into the adapter."""
    library = compile_c(task.user, task.idlc, task.folder, task.log)
    cargo(task, {"BUSMARK_USER_LIBRARY": str(library.absolute())})


def by_crate(task: Task) -> None:
    """Compile DDS in Rust: its IDL compiler is a crate, called by the adapter's build script."""
    cargo(task, {"BUSMARK_USER_IDL": str(task.user.idl)}, "--features", "user-type")


def cargo(task: Task, variables: Mapping[str, str], *options: str) -> None:
    """Compile the adapter. Its folder of build results is separate from `make build`'s, whose
    adapter has no such type."""
    target = cache() / "cargo"
    begin(target, checkout() / "target")
    added = {"CARGO_TARGET_DIR": str(target), "BUSMARK_USER_TYPE": task.user.name, **variables}
    command = ["cargo", "build", "--release", "--locked", "--lib", *options]
    folder = checkout() / "adapters" / task.name
    run(command, log=task.log, folder=folder, environment=added)
    shutil.copyfile(target / "release" / task.library.name, task.library)


COMPILED = (".rlib", ".rmeta", ".so")
"""Files that the compiler replaces and never writes into."""


def begin(target: Path, other: Path) -> None:
    """Begin a folder of build results with the dependencies that another one has: what was compiled
    for `make build` need not be compiled again, which takes minutes. Compiled files are shared."""

    def put(source: str, place: str) -> None:
        if source.endswith(COMPILED):
            os.link(source, place)
        else:
            shutil.copy2(source, place)

    if target.exists() or not (other / "release" / ".fingerprint").is_dir():
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    # Another build may begin it at the same time: the first one to be complete stays.
    with made_beside(target.parent) as made:
        for part in (".fingerprint", "build", "deps"):
            shutil.copytree(
                other / "release" / part,
                made / "release" / part,
                copy_function=put,
                ignore=shutil.ignore_patterns("*busmark*"),
            )
        with contextlib.suppress(OSError):
            made.rename(target)


BUILDERS: dict[str, Callable[[Task], None]] = {
    "cyclonedds": by_idlc,
    "fastdds": by_cmake,
    "opendds": by_cmake,
    "dustdds": by_crate,
    "zerodds": by_crate,
}
"""Adapters that can have a type of the user's."""


def candidates() -> list[str]:
    """Return every DDS adapter of this release."""
    return [name for name, adapter in adapter_facts().items() if adapter.family == "dds"]


def build(
    user: UserType, value: Path, names: Sequence[str], idlc: Idlc, out: Path
) -> Iterator[BuildOutcome]:
    """Make the library of each adapter and check that it carries the value."""
    for name in names:
        make = BUILDERS.get(name)
        if make is None:
            yield BuildOutcome(name, None, adapter_facts()[name].no_user_type)
            continue
        task = Task(name, user, idlc, (out / "build" / name).absolute(), out)
        task.library.unlink(missing_ok=True)
        task.log.unlink(missing_ok=True)
        try:
            make(task)
            check(task, value)
        except ToolError as error:
            task.library.unlink(missing_ok=True)
            yield BuildOutcome(name, None, f"{error} (all in {task.log})")
        else:
            yield BuildOutcome(name, task.library, None)


def check(task: Task, value: Path) -> None:
    """Test clause C30 over the library that was made: the vendor's code may read the type
    otherwise."""
    command: list[str | Path] = [
        checker(),
        task.library.absolute(),
        "--only",
        "c30",
        "--body",
        value,
    ]
    code, said, _ = completed([*map(str, command)], environment=environment(), together=True)
    with files.open_lines(task.log) as file:
        files.append_line(file, said.encode())
    if code != 0:
        failed = [line for line in said.splitlines() if line.startswith("FAIL")]
        text = failed[0].removeprefix("FAIL").strip() if failed else said.strip()
        raise ToolError(f"does not carry the value: {text}")


def compile_c(user: UserType, idlc: Idlc, folder: Path, log: Path) -> Path:
    """Return the folder of `libbusmark_user_sample.a`."""
    generated = folder / "generated"
    shutil.rmtree(generated, ignore_errors=True)
    generated.mkdir(parents=True)
    idl = checkout() / "idl"
    includes: list[str | Path] = ["-I", idl, "-I", user.idl.parent]
    sample = generated / "user_sample.idl"
    text = (idl / "user_sample.idl.in").read_text(encoding="utf-8")
    text = text.replace("@BUSMARK_USER_FILE@", user.idl.name)
    files.write(sample, text.replace("@BUSMARK_USER_TYPE@", user.name))
    # Without type information matching goes by name alone, as in every adapter of Busmark.
    idlc.compile(sample, "c", generated, "-t", *includes)
    # What it includes is compiled to headers of its own, which lie as the IDL files do.
    for file in idlc.included(sample, generated, *includes):
        root = next((r for r in (idl, user.idl.parent) if file.is_relative_to(r)), file.parent)
        place = generated / file.relative_to(root).parent
        idlc.compile(file, "c", place, "-t", *includes)
    objects = folder / "user_sample.o"
    headers = [word for path in (generated, *idlc.includes) for word in ("-I", path)]
    source = generated / "user_sample.c"
    run(["cc", "-O2", "-fPIC", "-w", "-c", source, *headers, "-o", objects], log=log)
    library = folder / "lib"
    library.mkdir(exist_ok=True)
    run(["ar", "rcs", library / "libbusmark_user_sample.a", objects], log=log)
    return library
