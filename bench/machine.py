"""On what it was measured, and with what."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path
from typing import Any

from busmark import __version__
from busmark.host.profile import profile
from peers import versions

ROOT = Path(__file__).resolve().parent.parent
FAULTS = Path("/sys/devices/system/cpu/vulnerabilities")
KEPT = (
    "os",
    "kernel",
    "architecture",
    "virtualisation",
    "cpu_model",
    "cpus_online",
    "memory_bytes",
    "clocksource",
    "governors",
    "turbo",
    "smt_active",
    "rmem_max",
    "rmem_default",
    "wmem_default",
    "loopback_mtu",
    "load_average",
    "python_version",
)


def machine() -> dict[str, Any]:
    """Return the part of the host profile that bears on the figures, and the mitigations."""
    host = profile()
    return {**{key: host.get(key) for key in KEPT}, "mitigations": _mitigations()}


def _mitigations() -> dict[str, str] | None:
    """Return the kernel's mitigations of processor faults; some cost time at every wake-up."""
    try:
        found = {path.name: path.read_text().strip() for path in sorted(FAULTS.iterdir())}
    except OSError:
        return None
    return {name: text for name, text in found.items() if text != "Not affected"}


def software() -> dict[str, Any]:
    """Return the versions of both sides."""
    return {"busmark": __version__, "commit": _commit(), **versions()}


def now() -> str:
    """Return the current time in UTC, as in ISO 8601."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def _commit() -> str | None:
    """Return the commit of the checkout; None outside one."""
    describe = ["git", "-C", str(ROOT), "describe", "--always", "--dirty", "--abbrev=12"]
    try:
        done = subprocess.run(describe, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return None
    return done.stdout.strip() or None
