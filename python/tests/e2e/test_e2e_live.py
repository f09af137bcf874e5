"""What is seen of a campaign while it runs, with real workers."""

from __future__ import annotations

import json
import re
from contextlib import closing

from e2e_harness import PACKAGE_FOLDER, Lab, need_adapters, scenario
from jsonschema import Draft202012Validator
from terminal import Terminal

LONG = "duration_s = 4.2\nwarmup_s = 0.1"
"""Long enough for four looks, the last of which knows what was answered. Pings have a rate with it:
at full speed the recorder is full, and the round over, before the second look."""


def test_events_of_a_run_are_lines_by_their_schema(lab: Lab) -> None:
    need_adapters("tcp")
    text = scenario(
        'adapter = "tcp"\nsize = 16\nrate_hz = 500',
        measure=LONG,
        also='[[also]]\ntest = "throughput"\nrate_hz = 0',
        rounds="min = 1",
    )
    lab.scenario(text)
    run = lab.busmark("run", "scenario.toml", "--out", "result", "--json")
    assert run.code == 0, run.text
    lines = [json.loads(line) for line in run.out.splitlines()]
    schema = PACKAGE_FOLDER.parent / "schemas" / "events.schema.json"
    validator = Draft202012Validator(json.loads(schema.read_text(encoding="utf-8")))
    for line in lines:
        validator.validate(line)
    kinds = [line["event"] for line in lines]
    assert (kinds[0], kinds[-2], kinds[-1]) == (
        "campaign_begins", "campaign_ends", "result_closes",
    )  # fmt: skip
    assert lines[0]["directory"] == str(lab.folder / "result")
    assert kinds.count("round_begins") == kinds.count("round_ends") == lines[0]["rounds_planned"]
    for case in lines[0]["cases"]:
        live = [
            line["live"] for line in lines
            if line["event"] == "round_goes_on" and line["case"] == case and line["live"]
        ]  # fmt: skip
        assert any(each["rate_hz"] for each in live), case
        assert any(each["round_trip_median_ns"] for each in live), case
        assert any(each["looked_at"] > each["unanswered"] for each in live), case
    lab.assert_nothing_left()


def test_the_screen_shows_a_round_that_is_under_way_and_survives_a_resize(lab: Lab) -> None:
    need_adapters("udp")
    matrix = 'adapter = "udp"\nsize = 16\nrate_hz = 500'
    lab.scenario(scenario(matrix, measure=LONG, rounds="min = 1"))
    words = ("run", "scenario.toml", "--out", "result")
    with closing(Terminal(lab, *words, columns=80)) as terminal:
        terminal.shows("lost ")
        terminal.resize(50)
        resized = len(terminal.painted)
        terminal.until(lambda: terminal.process.poll() is not None)
        assert terminal.process.returncode == 0
        shown = terminal.painted
    before, after = (part.decode() for part in (shown[:resized], shown[resized:]))
    for text, width in ((before, 80), (after.partition("\x1b[J")[2], 50)):
        paintings = [each.rpartition("\r\n")[0] or each for each in text.split("\x1b[J")[:-1]]
        lines = [
            line.partition("\x1b")[0].strip("\r") for each in paintings for line in
            each.splitlines()
        ]  # fmt: skip
        painted = [x for x in lines if x.startswith(("[", "  now", "  so far", "000-"))]
        assert painted and max(map(len, painted)) < width, painted
    assert "median RTT/2" in before and re.search(r"lost \d+/\d+", before)
    assert "  so far  median RTT/2" in after
    lab.assert_nothing_left()
