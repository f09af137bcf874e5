"""What keeps the clock of a machine right: the kernel's own view, chrony, PTP.

`SCRIPT` asks, here or by a node's shell; what it prints is read here. So both are asked alike.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterable
from itertools import pairwise
from math import gcd
from pathlib import Path
from typing import Any

from busmark.host import proc
from busmark.launcher import PrintsWithoutEnd, completed

SCRIPT = Path(__file__).with_name("clock.sh")

PATIENCE_S = 10.0
UNSYNCHRONISED = 0x40
"""STA_UNSYNC of adjtimex(2)."""
US = 1000
NS = 1e9

CHRONY_FIELDS = 14
"""Fields of `chronyc -c tracking`: identifier and name of the reference, stratum, its time, offset
of the system's clock, last and RMS offset, frequency, residual, skew, root delay, root dispersion,
update interval, leap status (chronyc(1))."""


def ask(script: str) -> str:
    """Return what a script of the shell prints on this machine; empty where it cannot be run."""
    try:
        return completed(["sh", "-c", script], within_s=PATIENCE_S)[1]
    except (OSError, PrintsWithoutEnd):
        return ""


def clock_sync(said: str) -> dict[str, Any] | None:
    """Return what `SCRIPT` printed, as it is stored; None if it printed nothing.

    `synchronised` and `error_ns` (its maximum) are the kernel's; `chrony` and `ptp` have offsets in
    ns, positive where this clock is ahead. What is absent is None, with the reason in `absent`.
    """
    found: dict[str, list[str]] = {}
    for line in said.splitlines():
        name, _, text = line.strip().partition(" ")
        found.setdefault(name, []).append(text)
    if not any(found):
        return None
    kernel = "\n".join(found.get("kernel", []))
    status, error_us = _number(r"status: +(\d+)", kernel), _number(r"maxerror: +(\d+)", kernel)
    absent = {}
    if status is None:
        absent["kernel"] = "neither adjtimex nor busybox nor python3 is there to ask it"
    chrony = _chrony(found.get("chrony", []))
    if chrony is None:
        absent["chrony"] = "; ".join(
            found.get("chrony-absent") or found.get("chrony") or ["silent"]
        )
    ptp = _ptp("\n".join(found.get("ptp", [])))
    if ptp is None:
        absent["ptp"] = "; ".join(found.get("ptp-absent", ["ptp4l does not answer pmc"]))
    return {
        "synchronised": None if status is None else not status & UNSYNCHRONISED,
        "error_ns": None if error_us is None else error_us * US,
        "daemons": found.get("daemon", []),
        "timesyncd": "synchronised" if "timesyncd" in found else None,
        "chrony": chrony,
        "ptp": ptp,
        "ptp_clocks": found.get("ptp-clock", []),
        "absent": absent,
    }


def _number(pattern: str, text: str) -> int | None:
    found = re.search(pattern, text)
    return proc.to_int(found[1]) if found else None


def _chrony(lines: list[str]) -> dict[str, Any] | None:
    fields = lines[-1].split(",") if lines else []
    if len(fields) != CHRONY_FIELDS:
        return None
    try:
        slow_s, delay_s, dispersion_s = (proc.to_float(fields[at]) for at in (4, 10, 11))
        parts_per_million = proc.to_float(fields[7])
    except ValueError:
        return None
    return {
        "reference": fields[1] or fields[0],
        "stratum": proc.to_int(fields[2]),
        # By how much the clock is slow; one that is behind has a negative offset here.
        "offset_ns": round(-slow_s * NS),
        # "|system_time_offset| + root_dispersion + 0.5 * root_delay" bounds the error (chronyc(1)).
        "bound_ns": round((abs(slow_s) + dispersion_s + delay_s / 2) * NS),
        "frequency_ppm": parts_per_million,
        "leap": fields[13],
    }


def _ptp(text: str) -> dict[str, Any] | None:
    state = re.search(r"portState +(\S+)", text)
    if not state:
        return None
    present = re.search(r"gmPresent +(\S+)", text)
    master = re.search(r"gmIdentity +(\S+)", text)
    away = bool(present and present[1] == "true")
    return {
        "port_state": state[1],
        "grandmaster": master[1] if master and away else None,
        "offset_ns": _number(r"master_offset +(-?\d+)", text) if away else None,
    }


READINGS = 4000
SHARE = 0.95
"""Share of the differences that must lie on the steps: the kernel corrects its clock now and
then."""


def clock_step_ns() -> int | None:
    """Return by how many ns CLOCK_MONOTONIC counts, as differences of readings show it; None where
    it did not advance. A clock whose step is not a whole number of ns counts as one of 1 ns."""
    readings = [time.clock_gettime_ns(time.CLOCK_MONOTONIC) for _ in range(READINGS)]
    return step(later - earlier for earlier, later in pairwise(readings))


def step(differences: Iterable[int]) -> int | None:
    """Return the greatest number of which the most frequent of these are all multiples."""
    counts = Counter(each for each in differences if each > 0)
    needed, found, common = SHARE * counts.total(), 0, 0
    for value, count in counts.most_common():
        common, found = gcd(common, value), found + count
        if found >= needed:
            break
    return common or None
