"""Run the conformance suite of adapters under valgrind's memcheck: `make sanitize`.

Prints what memcheck found, adapter by adapter: how often, what, and where. What the suite itself
says does not count here, for deadlines pass where everything takes twenty times as long. The exit
code is 1 if memory was used that is not the process's own; values that nobody has set are listed,
and are no failure: libraries send padding.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from busmark.adapters import environment

ROOT = Path(__file__).resolve().parents[1]
CHECKER = ROOT / "target/valgrind/release/busmark-check"
"""Compiled so that it asks the C library for the time: memcheck hides the kernel's own page."""
PATIENCE = ("--patience-ms", "60000", "--load-ms", "60000", "--hang-ms", "120000")
MEMCHECK = (
    "valgrind",
    "--trace-children=yes",
    "--fair-sched=yes",
    "--vgdb=no",
    "--quiet",
    "--error-limit=no",
    "--num-callers=40",
    "--trace-children-skip=*/nats-server",
)
"""Servers written in Go have a memory management of their own, which memcheck takes for misuse."""
LINE = re.compile(r"==\d+== ?(.*)")
FRAME = re.compile(r" +(?:at|by) 0x[0-9A-F]+: (.*)")
HARMLESS = ("uninitialised", "Conditional jump", "Use of uninit")
RUN = re.compile(r"(pass|fail|skip) ")
OURS = re.compile(r"busmark|_adapter::")
LIBRARY = re.compile(
    r"vgpreload|libc\.so|\?\?\?|\(in /usr/lib/ld|operator (new|delete)|^(malloc|free)|pthread_|"
    r"std::|core::|alloc::|/library/"
)


def errors(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield each error of a process, with its first stack."""
    kind, frames = "", list[str]()
    for line in text.splitlines():
        found = LINE.match(line)
        sentence = found[1] if found else ""
        if frame := FRAME.match(sentence):
            frames.append(frame[1])
        elif frames or not sentence.strip():
            if kind and frames:
                yield kind, frames
                kind = ""
            frames = []
        if sentence and not sentence.startswith(" ") and not frame:
            kind = sentence.strip()
    if kind and frames:
        yield kind, frames


def place(frames: list[str]) -> str:
    """Return the first function outside the C, C++ and Rust libraries, and whether we called it."""
    at = next((frame for frame in frames if not LIBRARY.search(frame)), frames[0])
    below = "" if OURS.search(at) or any(map(OURS.search, frames)) else ", in a thread of its own"
    return f"{re.sub(r'[(<].*?[)>](?= |$)', '', at).strip()}{below}"


def compiled(name: str) -> Path:
    """Return the library of an adapter. One that asks the kernel itself is compiled again, as the
    checker is."""
    manifest = ROOT / "adapters" / name.replace("_", "-") / "Cargo.toml"
    lock = manifest.with_name("Cargo.lock")
    if not lock.is_file() or 'name = "rustix"' not in lock.read_text(encoding="utf-8"):
        return ROOT / f"target/release/libbusmark_{name}.so"
    subprocess.run(
        [
            "cargo",
            "build",
            "--quiet",
            "--release",
            "--locked",
            "--manifest-path",
            manifest,
            "--target-dir",
            CHECKER.parents[1],
        ],
        check=True,
        env={**os.environ, "RUSTFLAGS": "--cfg rustix_use_libc"},
    )
    found: Path = next(CHECKER.parent.glob(f"lib*_{name}.so"))
    return found


def check(name: str, limit_s: float) -> bool:
    """Run the suite of one adapter and print the errors; return whether memory was misused."""
    library = compiled(name)
    with tempfile.TemporaryDirectory(prefix="busmark-sanitize-") as folder:
        command = [*MEMCHECK, f"--log-file={folder}/%p.log", str(CHECKER), str(library), *PATIENCE]
        # A session of its own, to end the processes of the suite with it.
        suite = subprocess.Popen(
            command,
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
            env=environment(),
        )
        try:
            text = suite.communicate(timeout=limit_s)[0].strip().splitlines()
            last = text[-1] if text else "it said nothing"
        except subprocess.TimeoutExpired:
            os.killpg(suite.pid, signal.SIGKILL)
            text = [line for line in suite.communicate()[0].splitlines() if RUN.match(line)]
            last = f"not finished within {limit_s:g} s; {len(text)} tests ended"
        found: Counter[tuple[str, str]] = Counter()
        for log in Path(folder).glob("*.log"):
            for kind, frames in errors(log.read_text(errors="replace")):
                found[kind, place(frames)] += 1
    print(f"{name}: {len(found)} places; the suite: {last}")
    for line in text:
        if line.startswith("FAIL "):
            print(f"  {line}")
    for (kind, where), number in found.most_common():
        print(f"  {number} x {kind}: {where}")
    sys.stdout.flush()
    return any(not any(word in kind for word in HARMLESS) for kind, _ in found)


def main() -> int:
    """Check all adapters that are built, or those that are named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("adapters", nargs="*")
    parser.add_argument("--limit", type=float, default=1800, help="seconds for each adapter")
    asked = parser.parse_args()
    libraries = [
        path.stem.removeprefix("libbusmark_")
        for path in sorted((ROOT / "target/release").glob("libbusmark_*.so"))
    ]
    misused = [check(name, asked.limit) for name in asked.adapters or libraries]
    return int(any(misused))


if __name__ == "__main__":
    sys.exit(main())
