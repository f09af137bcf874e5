"""A limit of processes that is met in the middle of a run ends it in words; it is resumed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from e2e_harness import (
    Lab,
    assert_complete,
    count,
    end,
    eventually,
    need_adapters,
    rows,
    scenario,
    tidy,
)

GROUPS = Path("/sys/fs/cgroup/pids")
ROUNDS = 12


@pytest.fixture
def group() -> Iterator[Path]:
    """Make a control group with room enough, for now."""
    folder = GROUPS / f"busmark-test-e2e-{os.getpid()}"
    try:
        folder.mkdir()
    except OSError as error:
        pytest.skip(f"no control group of processes: {error}")
    (folder / "pids.max").write_text("100")
    yield folder
    eventually(lambda: not (folder / "cgroup.procs").read_text(), lambda: "still in use")
    folder.rmdir()


def test_a_limit_of_processes_met_on_the_way_is_reported_and_gone_on_from(
    lab: Lab, group: Path
) -> None:
    need_adapters("udp")
    lab.scenario(scenario('adapter = "udp"', rounds=f"min = {ROUNDS}"))
    out = lab.folder / "result"
    into = ["sh", "-c", f'echo $$ > {group}/cgroup.procs && exec "$@"', "sh"]
    with tidy(lab.start("run", "scenario.toml", "--out", out, prefix=into)) as run:
        eventually(
            lambda: (out / "events.jsonl").exists() and count(out, "round_ends") >= 1,
            lambda: "no round ends",
        )
        (group / "pids.max").write_text("1")
        ended = end(run)
    assert ended.code == 2, ended.text
    assert "no more processes or threads" in ended.err or "cannot be started" in ended.err
    assert "--resume" in ended.err
    assert rows(out), "what was finished is kept"
    lab.assert_nothing_left()
    ended = lab.busmark("run", "--resume", "--out", out)
    assert ended.code == 0, ended.text
    assert_complete(out, cases=1, rounds=ROUNDS)
