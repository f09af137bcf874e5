"""Why a worker died, from what it has printed."""

from __future__ import annotations

import pytest

from busmark.control.worker import last_words

NOTE = "note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace"


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ([], ""),
        (["a warning", "out of luck"], "out of luck"),
        (
            ["thread 'main' panicked at src/dp.rs:71:9:", "no participant", NOTE],
            "a library panicked: no participant",
        ),
        (
            ["thread 'RustDDS' (7) panicked at /x/src/dp.rs:1:2:", "called `unwrap()`", NOTE],
            "a library panicked: called `unwrap()`",
        ),
        (
            ["thread 'main' panicked at 'old words', src/dp.rs:1:2", NOTE],
            "a library panicked: old words",
        ),
    ],
)
def test_a_panic_is_its_message(lines: list[str], reason: str) -> None:
    assert last_words(lines) == reason


def test_a_limit_of_descriptors_is_reported_once() -> None:
    lines = [
        "thread 'RustDDS Participant' panicked at src/dp.rs:71:9:",
        'Os { code: 24, kind: Uncategorized, message: "Too many open files" }', NOTE,
        "thread 'main' panicked at src/dp.rs:80:9:", "poisoned", NOTE,
    ]  # fmt: skip
    reason = last_words(lines)
    assert reason.startswith("it may open no more files and sockets (ulimit -n allows ")
    assert "panicked" not in reason


def test_a_limit_of_processes_is_reported() -> None:
    lines = [
        "thread 'main' (9) panicked at src/lib.rs:7:9:",
        'failed to spawn thread: Os { code: 11, kind: WouldBlock, message: "Resource temporarily '
        'unavailable" }', NOTE,
    ]  # fmt: skip
    reason = last_words(lines)
    assert reason.startswith("it may start no more processes and threads: raise the limit")
    assert "panicked" not in reason and "pids.max" in reason
    assert last_words(["recv: Resource temporarily unavailable", "out of luck"]) == "out of luck"
