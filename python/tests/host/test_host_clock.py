"""What keeps a clock right, as the real daemons tell it, in namespaces of their own."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from busmark.host.clock import SCRIPT, ask, clock_sync

PATIENCE_S = 60.0

CHRONY = """
local stratum 10
pidfile /run/chrony/chronyd.pid
driftfile /run/chrony/drift
bindcmdaddress /run/chrony/chronyd.sock
cmdport 0
port 0
user root
"""
"""A reference of itself; with -x it leaves the system's clock alone."""

PTP = "[global]\nfree_running 1\nlogAnnounceInterval -3\nlogSyncInterval -3\n"
MASTER = PTP + "priority1 1\nuds_address /run/ptp4l-master\nannounceReceiptTimeout 2\n"
SLAVE = PTP + "slaveOnly 1\n"

FIRST = "ip link set lo up; mount -t tmpfs none /run; mkdir -m 750 /run/chrony; "


def said_beside(daemons: str, wanted: str, folder: Path) -> str:
    """What the script prints in namespaces with these daemons, as soon as `wanted` is in it."""
    if os.geteuid() != 0:
        pytest.skip("namespaces need root")
    asks = f'until read -r again && [ "$again" = end ]; do sh {SCRIPT}; done'
    script = f"{FIRST}{daemons} trap 'kill $(jobs -p)' EXIT; {asks}"
    process = subprocess.Popen(
        ["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc",
         "bash", "-c", script],
        cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        text=True,
    )  # fmt: skip
    assert process.stdin and process.stdout
    said, deadline = "", time.monotonic() + PATIENCE_S
    try:
        while wanted not in said:
            assert time.monotonic() < deadline, f"{wanted!r} is not in {said}"
            time.sleep(0.2)
            process.stdin.write("\n")
            process.stdin.flush()
            said = _answer(process.stdout)
        process.stdin.write("end\n")
    finally:
        process.kill()
        process.communicate()
    return said


def _answer(output: object) -> str:
    """Lines until the one that every answer has at its end here."""
    lines = []
    for line in output:  # type: ignore[attr-defined]
        lines.append(line)
        if line.startswith(("ptp-absent", "ptp \t\tversionNumber")):
            break
    return "".join(lines)


def need(*tools: str) -> None:
    missing = [tool for tool in tools if not shutil.which(tool)]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")


def test_chrony_tells_its_reference_and_its_bound(tmp_path: Path) -> None:
    """Where it is installed: that is left to the user, for it takes the place of other daemons."""
    need("chronyd", "chronyc")
    (tmp_path / "chrony.conf").write_text(CHRONY)
    said = said_beside("chronyd -x -d -f chrony.conf & ", ",Normal", tmp_path)
    found = clock_sync(said)
    assert found is not None
    assert found["daemons"] == ["chronyd"]
    chrony = found["chrony"]
    assert (chrony["reference"], chrony["stratum"], chrony["leap"]) == ("7F7F0101", 10, "Normal")
    assert chrony["bound_ns"] >= abs(chrony["offset_ns"])
    assert "chrony" not in found["absent"]


def test_ptp_tells_its_grandmaster_and_the_offset_from_it(tmp_path: Path) -> None:
    need("ptp4l", "pmc")
    for name, text in (("master", MASTER), ("slave", SLAVE)):
        (tmp_path / name).write_text(text)
    link = "ip link add name pa type veth peer name pb; ip link set pa up; ip link set pb up; "
    daemons = "ptp4l -2 -S -i pb -f master >/dev/null & ptp4l -2 -S -i pa -f slave >/dev/null & "
    said = said_beside(link + daemons, "gmPresent                  true", tmp_path)
    found = clock_sync(said)
    assert found is not None
    assert found["daemons"] == ["ptp4l"]
    assert found["ptp"]["port_state"] in ("UNCALIBRATED", "SLAVE")
    assert found["ptp"]["grandmaster"] and isinstance(found["ptp"]["offset_ns"], int)


def test_this_machine_tells_or_says_why_not() -> None:
    found = clock_sync(ask())
    assert found is not None
    for name in ("chrony", "ptp"):
        assert (found[name] is None) == (name in found["absent"])
    assert (found["synchronised"] is None) == ("kernel" in found["absent"])
    if found["synchronised"] is not None:
        assert found["error_ns"] >= 0


KERNELS = {
    "busybox": "kernel     maxerror:     16000000\nkernel     status:       64 (UNSYNC)",
    "adjtimex": "kernel          maxerror: 123\nkernel            status: 8193",
    "system call": "kernel maxerror: 5\nkernel status: 0",
}


def test_the_kernels_view_is_read_from_whoever_tells_it() -> None:
    found = {name: clock_sync(said) for name, said in KERNELS.items()}
    told = {n: (f["synchronised"], f["error_ns"]) for n, f in found.items() if f}
    assert told == {
        "busybox": (False, 16_000_000_000), "adjtimex": (True, 123_000),
        "system call": (True, 5_000),
    }  # fmt: skip


def test_chronys_signs_are_those_of_an_offset() -> None:
    """By chronyc(1) a positive correction is of a clock that is slow."""
    offsets = "1700000000.1,0.000006523,0.1,0.2,3.225,0.0,0.1,0.001,0.0005,64.2"
    found = clock_sync(f"chrony C0A80001,time.lab,3,{offsets},Normal")
    assert found is not None
    assert found["chrony"] == {
        "reference": "time.lab", "stratum": 3, "offset_ns": -6523, "bound_ns": 1_006_523,
        "frequency_ppm": 3.225, "leap": "Normal",
    }  # fmt: skip


def test_what_is_not_there_is_none_with_its_reason() -> None:
    found = clock_sync("chrony-absent chronyc is not installed\nptp-absent ptp4l does not run")
    assert found is not None
    assert (found["synchronised"], found["error_ns"], found["chrony"], found["ptp"]) == (None,) * 4
    assert found["absent"].keys() == {"kernel", "chrony", "ptp"}
    refused = clock_sync("chrony 506 Cannot talk to daemon")
    assert refused is not None and refused["absent"]["chrony"] == "506 Cannot talk to daemon"
    assert clock_sync("") is None
