"""Programs that compile a type: where they come from, and what they say when they fail."""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from busmark import files, platform
from busmark.errors import UserError
from busmark.facts import PACKAGE
from busmark.launcher import completed, pip_install

CYCLONEDDS = "cyclonedds==11.0.1"
"""The Python package that turns IDL into classes which serialise themselves. Its own `idlc` does
not start on every system, so the adapter's source is used to build one."""


class ToolError(Exception):
    """A program that failed: the line that says why."""


def checkout() -> Path:
    """Return the repository: adapters are compiled from their source."""
    root = PACKAGE.parent.parent
    if not (root / "adapters").is_dir():
        raise UserError(
            "the source of the adapters is not here",
            where=str(root),
            remedy="Compile types in a checkout of Busmark (`make build`); the libraries then work "
            "everywhere.",
        )
    return root


def cache() -> Path:
    """Return where what serves every type is built once."""
    return checkout() / "target" / "user-types"


def run(
    command: Sequence[str | Path],
    *,
    log: Path,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> str:
    """Run a program and return its output, which goes into the file `log` too.

    Raises `ToolError` where it fails and `UserError` where it is not there.
    """
    try:
        code, said, _ = completed(
            [str(word) for word in command],
            folder=folder,
            environment=environment,
            together=True,
        )
    except FileNotFoundError:
        raise UserError(
            f"{command[0]} is not installed", remedy="Install it; `make build` names the package."
        ) from None
    log.parent.mkdir(parents=True, exist_ok=True)
    with files.open_lines(log) as file:
        files.append_line(file, f"$ {' '.join(map(str, command))}\n{said}\n".encode())
    if code != 0:
        raise ToolError(cause(said) or f"{command[0]} failed: {log}")
    return said


def cause(output: str) -> str:
    """Return what matters in the output of a build that failed: the first error, or CMake's
    message."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", output)  # colours
    stop = r"\n(?:Call Stack|-- Configuring)|\Z"
    message = re.search(rf"CMake Error at [^\n]*\n(.*?)(?:{stop})", text, re.DOTALL)
    # CMake breaks lines as it likes.
    parts = re.split(r"\n\s*\n", message[1]) if message else text.splitlines()
    said = [" ".join(part.split()) for part in parts if part.strip()]
    wrong = [part for part in said if re.search(r"\berror\b", part, re.IGNORECASE)]
    first = next(iter(wrong or (said[:1] if message else said[-1:])), "")
    # What a build script of cargo's says.
    return re.sub(r"^error: \S+@\S+: ", "", first)


def python_generator() -> Path:
    """Return the part of the Python package `cyclonedds` by which `idlc` makes classes."""
    found = importlib.util.find_spec("cyclonedds")
    folders = (found.submodule_search_locations if found else None) or []
    generators = [path for folder in folders for path in Path(folder).glob("_idlpy*")]
    if not generators:
        raise UserError(
            "the Python package cyclonedds is missing: it reads and writes values of IDL types",
            remedy=pip_install(CYCLONEDDS),
        )
    return generators[0]


class Idlc:
    """The IDL compiler of Cyclone DDS, of the version that the adapter holds."""

    def __init__(self, log: Path) -> None:
        """Build it where that has not been done."""
        self.log = log
        # The C library's source, as the adapter `cyclonedds` is built from it.
        manifest = checkout() / "adapters" / "cyclonedds" / "Cargo.toml"
        command = ["cargo", "metadata", "--quiet", "--locked", "--format-version", "1"]
        listed = json.loads(run([*command, "--manifest-path", manifest], log=log))
        crate = next(p for p in listed["packages"] if p["name"] == "cyclonedds-src")
        self.source = Path(crate["manifest_path"]).parent / "src" / "cyclonedds"
        self.build = cache() / f"idlc-{self.source.parent.parent.name}"
        self.program = self.build / "bin" / "idlc"
        if not self.program.is_file():
            self.build.mkdir(parents=True, exist_ok=True)
            # Another command may be building it.
            with files.opened(self.build / "lock", "a+b") as own:
                platform.lock(own, wait=True)
                if not self.program.is_file():
                    self._make()

    def _make(self) -> None:
        off = (
            "BUILD_TESTING",
            "BUILD_DDSPERF",
            "BUILD_EXAMPLES",
            "ENABLE_SSL",
            "ENABLE_SECURITY",
            "ENABLE_ICEORYX",
            "ENABLE_ICEORYX2",
        )
        options = ["-DCMAKE_BUILD_TYPE=Release", "-DBUILD_IDLC=ON", "-DBUILD_SHARED_LIBS=ON"]
        # Compiled in a third of the time: of what is linked, little runs, and briefly.
        options += ["-DCMAKE_C_FLAGS_RELEASE=-O0 -DNDEBUG", "-DENABLE_LTO=OFF"]
        options += [f"-D{name}=OFF" for name in off]
        run(["cmake", "-S", self.source, "-B", self.build, *options], log=self.log)
        targets = ["--target", "libidlc", "--target", "idlc", "--parallel", "2"]
        run(["cmake", "--build", self.build, *targets], log=self.log)

    def compile(self, idl: Path, generator: str | Path, folder: Path, *options: str | Path) -> str:
        """Run it in `folder`. Types are final where they say nothing: so every vendor has them."""
        folder.mkdir(parents=True, exist_ok=True)
        words = [self.program, "-x", "final", "-l", generator, *options, idl]
        paths = {"LD_LIBRARY_PATH": str(self.build / "lib")}
        return run(words, log=self.log, folder=folder, environment=paths)

    def included(self, idl: Path, folder: Path, *options: str | Path) -> list[Path]:
        """Return the files that it includes, by the preprocessor's line marks; the first is of
        itself. One that lies beside the file which includes it has its name alone there."""
        marks = self.compile(idl, "c", folder, "-E", *options)
        found: dict[str, Path] = {}
        here = idl
        for name in re.findall(r'^# \d+ "([^"]+)"', marks, re.MULTILINE):
            here = found.setdefault(name, here.parent / name)
        return list(found.values())[1:]

    @property
    def includes(self) -> list[Path]:
        """Folders of the headers that generated C needs."""
        parts = ("src/core/ddsc/include", "src/ddsrt/include", "src/core/include")
        folders = [root / part for root in (self.source, self.build) for part in parts]
        return [folder for folder in folders if folder.is_dir()]


def idl_compiler(log: Path) -> Idlc:
    """Return the compiler, built where it is not there yet, which takes a minute.

    Raises:
        UserError: it cannot be built.
    """
    try:
        return Idlc(log)
    except ToolError as error:
        raise UserError(
            f"idlc of Cyclone DDS cannot be built: {error}",
            remedy="Install cargo, cmake and a C compiler: `make build` does.",
        ) from None
