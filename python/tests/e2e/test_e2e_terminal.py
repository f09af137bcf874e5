"""`busmark run` on a terminal."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

from e2e_harness import Lab, need_adapters, scenario


def test_a_terminal_shows_cases_time_left_estimate_and_failures(lab: Lab) -> None:
    need_adapters("udp")
    lab.scenario(scenario('adapter = "udp"\nsize = [16, 32]', rounds="min = 3"))
    terminal, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "busmark", "run", "scenario.toml", "--out", "result"],
        cwd=lab.folder, env={**lab.environment, "TERM": "xterm"}, stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=theirs, start_new_session=True,
    )  # fmt: skip
    os.close(theirs)
    shown = b""
    while True:
        try:
            shown += os.read(terminal, 65536)
        except OSError:  # nobody has the other end any more
            break
    os.close(terminal)
    assert process.wait() == 0
    text = shown.decode()
    assert "round trip median" in text and "±" in text and "3 rounds" in text
    assert "0/2 cases done" in text and "2/2 cases done" in text
    assert "s left" in text
    lab.assert_nothing_left()
