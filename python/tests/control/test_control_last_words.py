"""Why a worker died, from what it has printed."""

from __future__ import annotations

import resource

import pytest

from busmark.control import last_words

LIMIT, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
NOTE = "note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace"
FILES = ["thread 'RustDDS Participant' panicked at src/dp.rs:71:9:",
         'Os { code: 24, kind: Uncategorized, message: "Too many open files" }', NOTE,
         "thread 'main' panicked at src/dp.rs:80:9:", "poisoned", NOTE]  # fmt: skip
AGAIN = "Resource temporarily unavailable"
TASKS = ["thread 'main' (9) panicked at src/lib.rs:7:9:",
         f'failed to spawn thread: Os {{ code: 11, kind: WouldBlock, message: "{AGAIN}" }}',
         NOTE]  # fmt: skip


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ([], ""),
        (["a warning", "out of luck"], "out of luck"),
        (["thread 'main' panicked at src/dp.rs:71:9:", "no participant", NOTE],
         "a library panicked: no participant"),
        (["thread 'RustDDS' (7) panicked at /x/src/dp.rs:1:2:", "called `unwrap()`", NOTE],
         "a library panicked: called `unwrap()`"),
        (["thread 'main' panicked at 'old words', src/dp.rs:1:2", NOTE],
         "a library panicked: old words"),
        (FILES, f"it may open no more files and sockets (ulimit -n allows {LIMIT} open files and "
                "sockets): raise it"),
        (TASKS, "it may start no more processes and threads: raise the limit (`ulimit -u`, or "
                "pids.max of the control group)"),
        ([f"recv: {AGAIN}", "out of luck"], "out of luck"),
    ],
)  # fmt: skip
def test_a_worker_that_died_has_its_reason(lines: list[str], reason: str) -> None:
    assert last_words(lines) == reason
