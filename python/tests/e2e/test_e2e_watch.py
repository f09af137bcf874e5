"""`busmark bus watch`, `spot` and `errors` beside real participants on a real DDS: on a screen, in
a pipe, and when a participant is killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, closing

import pytest
from e2e_harness import Lab, end, eventually, need_adapters, scenario, tidy
from terminal import Terminal
from test_e2e_bus import CYCLONE, joined
from test_e2e_bus_found import FOREIGN, ddsperf


@pytest.fixture(scope="module")
def participants(shared_lab: Lab) -> Iterator[dict[int, subprocess.Popen[str]]]:
    """Start applications 3 and 4, let them measure round trips, and have an order refused."""
    need_adapters("cyclonedds")
    with ExitStack() as stack:
        started = {app: joined(shared_lab, app, stack) for app in (3, 4)}
        for words, code in (
            (("start", "transponder", "--app", "4", "--test", "7"), 0),
            (("start", "transceiver", "--app", "3", "--test", "7", "--from", "4", "--rate", "100",
              "--duration", "3000", "--timeout", "60"), 0),
            (("stop", "--app", "4", "--test", "99"), 2),
        ):  # fmt: skip
            done = shared_lab.busmark("bus", words[0], *words[1:], *CYCLONE)
            assert done.code == code, done.text
        yield started


@pytest.mark.parametrize(
    ("command", "word", "leaves"),
    [("watch", "transceiver", signal.SIGTERM), ("spot", "participant", "q"), ("errors", "99", "q")],
)
def test_a_screen_is_painted_and_left_by_a_key_or_a_signal(
    participants: object, lab: Lab, command: str, word: str, leaves: str | signal.Signals
) -> None:
    with closing(Terminal(lab, "bus", command, *CYCLONE)) as terminal:
        terminal.shows(word)
        if isinstance(leaves, str):
            terminal.press(leaves)
        else:
            terminal.process.send_signal(leaves)
        terminal.has_ended_well()
    lab.assert_nothing_left()


def test_keys_change_a_test_show_entities_and_look_at_samples(
    participants: object, lab: Lab
) -> None:
    def rate_hz() -> float:
        listed = lab.busmark("bus", "list", *CYCLONE, "--app", "3", "--json")
        ((member,),) = ([m for m in json.loads(listed.out) if m["app"] == 3],)
        return float(next(test["rate_hz"] for test in member["tests"] if test["test"] == 7))

    with ddsperf(), closing(Terminal(lab, "bus", "watch", *CYCLONE)) as terminal:
        terminal.shows("transceiver")
        terminal.press("c")
        terminal.shows("Change transceiver 7 of app 3")
        terminal.press("50\r")
        terminal.shows("changed")
        terminal.press("\x1b")
        eventually(lambda: rate_hz() == 50, lambda: f"the rate is {rate_hz()}")
        terminal.press("e")
        terminal.shows("busmark_bus_7_ping", FOREIGN)
        terminal.press("e")
        terminal.press("l")
        terminal.shows("came")
        terminal.press("q")
        terminal.has_ended_well()
    lab.assert_nothing_left()


def test_in_a_pipe_there_are_lines(participants: object, lab: Lab) -> None:
    says = {
        "watch": ("transceiver 7: answered",),
        "spot": ("app 3 (group 1): joined", "app 4 (group 1): joined"),
        "errors": ("refused: application 4 has no test 99",),
    }
    printed: dict[str, str] = {}

    def complete() -> bool:
        started = {command: lab.start("bus", command, *CYCLONE, "--for", "4") for command in says}
        printed.update({command: end(process).out for command, process in started.items()})
        return all(word in printed[command] for command, words in says.items() for word in words)

    eventually(complete, lambda: str(printed))
    assert "joined" in printed["watch"], "those who come late hear what was said before"
    assert "answered" not in printed["spot"] and "joined" not in printed["errors"]


def test_a_participant_that_is_killed_is_reported_as_gone(
    participants: dict[int, subprocess.Popen[str]], lab: Lab
) -> None:
    with tidy(lab.start("bus", "spot", *CYCLONE, "--json")) as spot:
        assert spot.stdout is not None
        text = (json.loads(line) for line in spot.stdout)
        # Who was never heard of cannot be gone.
        next(message for message in text if message.get("app") == 4)
        listed = json.loads(lab.busmark("bus", "list", *CYCLONE, "--app", "4", "--json").out)
        os.kill(listed[0]["pid"], signal.SIGKILL)
        gone = next(message for message in text if message.get("news") == "gone")
        assert gone["app"] == 4 and gone["silent_s"] > 0
        spot.send_signal(signal.SIGINT)
        assert end(spot).code == 130


def test_a_campaign_is_watched_on_a_screen(lab: Lab) -> None:
    need_adapters("udp")
    measure = "duration_s = 1\nwarmup_s = 0.1"
    lab.scenario(scenario('adapter = "udp"\nrate_hz = 500', measure=measure, rounds="min = 1"))
    words = ("run", "--watch", "scenario.toml", "--out", "result")
    with closing(Terminal(lab, *words)) as terminal:
        terminal.shows("latency-udp", "running")
        terminal.until(lambda: terminal.process.poll() is not None)
        assert terminal.process.returncode == 0, terminal.painted[-2000:]
    for options, says in (
        (("scenario.toml",), "--watch paints a terminal, and this is none"),
        (("-",), "name a SCENARIO file"),
    ):
        refused = lab.quickly("run", "--watch", *options)
        assert refused.code == 2 and says in refused.err
