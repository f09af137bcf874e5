"""Licences and known vulnerabilities of all dependencies: `make audit`.

Vulnerabilities are looked up by `cargo audit`, `pip-audit` and `npm audit`, in databases of
advisories. Where a program is missing or its database cannot be reached, that is said, and is no
finding. The exit code is 1 if something was found.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LIMIT_S = 600
UNREACHABLE = re.compile(
    r"couldn't fetch|failed to (fetch|connect|lookup)|could not resolve|connection (refused|error)|"
    r"max retries|timed out|unreachable|proxy|audit endpoint|\b(403|404|405|502|503) ",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Audit:
    """One look-up.

    Attributes:
        program: that it needs.
        get: the command that installs it.
    """

    what: str
    program: str
    get: str
    command: Sequence[str]


def audits() -> list[Audit]:
    """Return one audit for the pinned packages of Python, one for the lock file of the page's
    scripts, and one for each lock file of Rust."""
    own = str(ROOT / "packaging/requirements.lock")
    python = Audit(
        "Python",
        "pip-audit",
        "pip install pip-audit",
        ["pip-audit", "--disable-pip", "--require-hashes", "-r", own],
    )
    scripts = Audit(
        "the page's scripts",
        "npm",
        "apt-get install npm",
        ["npm", "audit", "--package-lock-only", "--prefix", str(ROOT / "packaging/scripts")],
    )
    locks = [ROOT / "Cargo.lock", *sorted(ROOT.glob("adapters/*/Cargo.lock"))]
    return [python, scripts] + [
        Audit(
            str(lock.relative_to(ROOT)),
            "cargo-audit",
            "cargo install --locked cargo-audit",
            ["cargo", "audit", "--file", str(lock)],
        )
        for lock in locks
    ]


def run(audit: Audit) -> bool:
    """Run an audit and print its outcome; return whether something was found."""
    try:
        ended = subprocess.run(audit.command, capture_output=True, text=True, timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        print(f"{audit.what}: NOT CHECKED: {audit.program} took more than {LIMIT_S} s")
        return False
    said = ended.stdout + ended.stderr
    if ended.returncode == 0:
        print(f"{audit.what}: no known vulnerability")
        return False
    if UNREACHABLE.search(said):
        reason = next(line for line in said.splitlines() if UNREACHABLE.search(line)).strip()
        print(f"{audit.what}: NOT CHECKED: the advisory database cannot be reached: {reason}")
        return False
    print(f"{audit.what}: {audit.program} exits with {ended.returncode}\n{said.strip()}")
    return True


def main() -> int:
    """Check the licences first, for they need no network, then all else; return the exit code."""
    wrong = subprocess.run([sys.executable, str(ROOT / "tools/licences.py")]).returncode
    found, missing = [], set()
    for audit in audits():
        if shutil.which(audit.program):
            found.append(run(audit))
        elif audit.program not in missing:
            missing.add(audit.program)
            print(f"{audit.program}: NOT CHECKED: it is not installed ({audit.get})")
    return 1 if wrong or any(found) else 0


if __name__ == "__main__":
    sys.exit(main())
