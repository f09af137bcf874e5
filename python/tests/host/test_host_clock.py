"""What keeps a clock right, as the real daemons tell it, in namespaces of their own."""

from __future__ import annotations

from busmark.host import clock_sync

KERNELS = {
    "busybox": "kernel     maxerror:     16000000\nkernel     status:       64 (UNSYNC)",
    "adjtimex": "kernel          maxerror: 123\nkernel            status: 8193",
    "system call": "kernel maxerror: 5\nkernel status: 0",
}


def test_the_kernels_view_is_read_from_whoever_tells_it() -> None:
    found = {name: clock_sync(said) for name, said in KERNELS.items()}
    values = {n: (f["synchronised"], f["error_ns"]) for n, f in found.items() if f}
    assert values == {
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
