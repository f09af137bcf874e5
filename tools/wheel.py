"""A wheel in dist/: built twice and compared, and used in an environment of its own.

    python tools/wheel.py [--from-scratch] [--whole]

Both builds use what is compiled already, which compares the packing; with --from-scratch the second
one compiles everything again (some fifteen minutes). In a fresh environment, outside the checkout,
the wheel is installed with its dependencies, and `busmark quickstart` runs: short, or whole with
--whole. The exit code is 1 if the wheels differ or something fails.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BILL = "busmark.cdx.json"
SHORT = ("rounds.min=1", "rounds.max=1", "measure.duration_s=0.2", "measure.warmup_s=0.1")
"""Settings of a quickstart that shows no more than that it runs."""


def build(folder: Path) -> Path:
    """Build a wheel of this checkout in the folder."""
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation"]
    # pip starts `maturin` by its name, and whoever calls us may not have activated the environment.
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    subprocess.run(
        [*command, "-w", str(folder), str(ROOT)], check=True, env=os.environ | {"PATH": path}
    )
    (wheel,) = folder.glob("busmark-*.whl")
    return wheel


def from_scratch(folder: Path) -> Path:
    """Build a wheel by compiling everything; what was compiled before is back afterwards."""
    target, aside = ROOT / "target", ROOT / "target.before"
    target.rename(aside)
    try:
        return build(folder)
    finally:
        if target.exists():
            target.rename(folder / "target")
        aside.rename(target)


def members(wheel: Path) -> dict[str, str]:
    """Return the digest of each file in a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        return {name: hashlib.sha256(archive.read(name)).hexdigest() for name in archive.namelist()}


def same(first: Path, second: Path) -> bool:
    """Return whether two wheels are equal, byte for byte; print what differs."""
    if first.read_bytes() == second.read_bytes():
        print(f"{first.name}: two builds are equal, byte for byte")
        return True
    one, other = members(first), members(second)
    names = [name for name in sorted({*one, *other}) if one.get(name) != other.get(name)]
    print(f"{first.name}: two builds differ in " + (", ".join(names) or "order or times"))
    return False


def count_parts(wheel: Path) -> int:
    """Count the components in the bill of materials of a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (each for each in archive.namelist() if each.endswith(f"/sboms/{BILL}"))
        return len(json.loads(archive.read(name))["components"])


def use(wheel: Path, settings: tuple[str, ...]) -> None:
    """Install a wheel into a fresh environment and run the first command of a new user."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run([sys.executable, "-m", "venv", str(folder / "venv")], check=True)
        programs = folder / "venv" / "bin"
        subprocess.run([str(programs / "pip"), "install", "-q", str(wheel)], check=True)
        options = [word for setting in settings for word in ("--set", setting)]
        command = [str(programs / "busmark"), "quickstart", "--out", "result", *options]
        # Nothing of this environment, which has a checkout's package.
        environment = {"PATH": f"{programs}:/usr/bin:/bin", "HOME": name, "LC_ALL": "C.UTF-8"}
        subprocess.run(command, cwd=folder, env=environment, check=True)
        if not (folder / "result" / "report" / "report.html").exists():
            raise SystemExit("busmark quickstart left no report")


def main() -> int:
    """Build two wheels, compare them and use one; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--from-scratch", action="store_true", help="compile for the second one")
    parser.add_argument("--whole", action="store_true", help="the whole quickstart")
    arguments = parser.parse_args()
    dist = ROOT / "dist"
    dist.mkdir(exist_ok=True)
    for old in dist.glob("busmark-*.whl"):
        old.unlink()
    wheel = build(dist)
    with tempfile.TemporaryDirectory(dir=dist) as name:
        again = from_scratch if arguments.from_scratch else build
        equal = same(wheel, again(Path(name)))
    print(f"{wheel.name}: {count_parts(wheel)} components in its bill of materials")
    use(wheel, () if arguments.whole else SHORT)
    print(f"{wheel.name}: busmark quickstart runs in a fresh environment")
    print(f"SHA-256 {hashlib.sha256(wheel.read_bytes()).hexdigest()}")
    return 0 if equal else 1


if __name__ == "__main__":
    sys.exit(main())
