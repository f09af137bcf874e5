"""`busmark run` on a terminal."""

from __future__ import annotations

from e2e_harness import Lab, need_adapters, scenario
from terminal import Terminal


def test_a_terminal_shows_cases_time_left_estimate_and_failures(lab: Lab) -> None:
    need_adapters("udp")
    lab.scenario(scenario('adapter = "udp"\nsize = [16, 32]', rounds="min = 3"))
    text = b"".join(Terminal(lab, columns=160).painted()).decode()
    assert "median RTT/2" in text and "±" in text and "3 rounds" in text
    assert "0/2 cases done" in text and "2/2 cases done" in text
    assert "s left" in text
    lab.assert_nothing_left()
