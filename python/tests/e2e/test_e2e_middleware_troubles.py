"""What real middleware fails with: reported per case, in its own words, while the campaign
continues."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from e2e_harness import Lab, need_adapters, rows, scenario

MEASURE = "duration_s = 0.05\nwarmup_s = 0.01"
ROUNDS = "min = 1\nretries = 0"


def reason(lab: Lab, also: str, criteria: str = "min_samples = 1", *prefix: str) -> str:
    """Reason of the failed round of the second matrix; the first matrix's must have worked."""
    need_adapters("null")
    ended = lab.campaign(
        scenario(
            'adapter = "null"',
            measure=MEASURE,
            rounds=ROUNDS,
            criteria=criteria,
            also=f"[[also]]\n{also}",
        ),
        prefix=prefix,
        code=1,
    )
    worked, failed = sorted(rows(lab.folder / "result"), key=lambda row: row["adapter"] != "null")
    assert (worked["adapter"], worked["status"]) == ("null", "ok")
    assert failed["status"] == "failed"
    said = str(failed["reason"])
    assert said.split(":")[0] in ended.text
    lab.assert_nothing_left()
    return said


def test_a_server_whose_program_is_missing(lab: Lab) -> None:
    need_adapters("mqtt")
    program = shutil.which("mosquitto", path=f"{os.environ['PATH']}:/usr/sbin")
    if os.geteuid() != 0 or program is None:
        pytest.skip("hiding the program of the server needs root, and the program")
    hidden = f'mount --bind /dev/null {Path(program).resolve()} && exec "$@"'
    said = reason(lab, 'adapter = "mqtt"', "min_samples = 1",
                  "unshare", "--mount", "sh", "-c", hidden, "sh")  # fmt: skip
    assert "the server mosquitto is not installed: apt-get install mosquitto" in said


def test_a_writer_that_never_matches_is_reported_with_both_views(lab: Lab) -> None:
    need_adapters("cyclonedds", "dustdds")
    # One announces itself to the ports of loopback only, the other to a multicast group.
    criteria = "min_samples = 1\nmatch_timeout_s = 1.0"
    said = reason(lab, 'adapter = "cyclonedds"\npeer = "dustdds"', criteria)
    assert said.startswith("unmatched")
    assert "passive" in said
    assert "active" in said
    assert "matched 0 of 1 within 1 s" in said


def test_a_write_that_fails_says_why_in_the_adapters_words(lab: Lab) -> None:
    need_adapters("reference")
    said = reason(lab, 'adapter = "reference"\noption.reference.fail = "1"')
    assert "write failed after 0 samples" in said
    assert "fails on purpose (option fail)" in said
    logs = "".join(path.read_text() for path in (lab.folder / "result/logs").glob("*"))
    assert "reference: warning: injects faults on purpose: fail=1" in logs
