"""Build backend: maturin, with the adapters built first so that the wheel carries them.

maturin packs the worker (a program) and the Python package. Each adapter is a cargo workspace of
its own, so that its dependencies never touch the core's lock file; they are built here and put
where `busmark.adapters` looks first. So are the scripts that the report page draws its charts with.

From the same sources in the same place, with the same compilers, two wheels are the same, byte for
byte: their times are the last commit's, or SOURCE_DATE_EPOCH. Among its metadata a wheel has a bill
of materials (PEP 770).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import entry_points
import maturin
import sbom
from maturin import (
    build_sdist,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]

ROOT = Path(__file__).resolve().parent.parent
NATIVE = ROOT / "python" / "busmark" / "_native"
BILL = ROOT / "dist" / "busmark.cdx.json"
"""Not below `target`, which may be a link to elsewhere: maturin takes files of the project only."""


def build_wheel(directory: str, settings: Any = None, metadata: Any = None) -> str:
    """Build a wheel with worker, adapters and package."""
    NATIVE.mkdir(exist_ok=True)
    try:
        for adapter in adapters():
            for file in build(adapter):
                shutil.copy2(file, NATIVE)
        for program in build_programs():
            shutil.copy2(program, NATIVE)
        for facts in (ROOT / "adapters").glob("*/adapter.toml"):
            (folder := NATIVE / "adapters" / facts.parent.name).mkdir(parents=True, exist_ok=True)
            shutil.copy2(facts, folder)
        # What `busmark adapter new` copies.
        shutil.copytree(ROOT / "abi", NATIVE / "abi", dirs_exist_ok=True)
        subprocess.run([ROOT / "packaging" / "scripts" / "bundle.sh", sbom.CHARTS], check=True)
        # Not before: where these differ, build scripts compile their C once more.
        os.environ.setdefault("SOURCE_DATE_EPOCH", str(last_change()))
        os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        BILL.parent.mkdir(exist_ok=True)
        sbom.write(BILL, adapters())
        os.environ["MATURIN_PEP517_ARGS"] = f"--sbom-include {BILL.relative_to(ROOT)}"
        name: str = maturin.build_wheel(directory, settings, metadata)
        entry_points.add(Path(directory) / name)
        return name
    finally:
        # In a checkout adapters are used from the build folder, which is never stale.
        shutil.rmtree(NATIVE)
        BILL.unlink(missing_ok=True)


def build_editable(directory: str, settings: Any = None, metadata: Any = None) -> str:
    """Build an editable wheel of the package; `make build` builds the adapters."""
    name: str = maturin.build_editable(directory, settings, metadata)
    entry_points.add(Path(directory) / name)
    return name


def last_change() -> int:
    """Return the last commit's time; without a repository, the earliest that a wheel can have."""
    command = ["git", "-C", str(ROOT), "log", "-1", "--format=%ct"]
    try:
        return int(subprocess.check_output(command, stderr=subprocess.DEVNULL))
    except (OSError, ValueError, subprocess.CalledProcessError):
        return sbom.EARLIEST


def adapters() -> list[Path]:
    """Return the folders of the adapters that are built by cargo and make a library."""
    manifests = sorted((ROOT / "adapters").glob("*/Cargo.toml"))
    return [m.parent for m in manifests if 'crate-type = ["cdylib"' in m.read_text()]


def build(adapter: Path) -> list[Path]:
    """Build one adapter; return its library and the programs that it starts."""
    # cargo reads .cargo/config.toml from the current folder upwards: build from within.
    subprocess.run(["cargo", "build", "--release", "--locked"], cwd=adapter, check=True)
    built = ROOT / "target" / "release"
    programs = [built / each.stem for each in sorted(adapter.glob("src/bin/*.rs"))]
    return [built / f"libbusmark_{adapter.name.replace('-', '_')}.so", *programs]


def build_programs() -> list[Path]:
    """Build the programs beside the worker: the conformance suite, a lab's forwarder, the reader of
    captures, and participants on a bus. Return their paths."""
    # As the Makefile builds them.
    for packages in (
        ("busmark-bus", "busmark-forwarder", "busmark-packets"),
        ("busmark-conformance",),
    ):
        chosen = [word for package in packages for word in ("-p", package)]
        subprocess.run(["cargo", "build", "--release", "--locked", *chosen], cwd=ROOT, check=True)
    programs = ("busmark-bus", "busmark-check", "busmark-forwarder", "busmark-packets")
    return [ROOT / "target" / "release" / name for name in programs]
