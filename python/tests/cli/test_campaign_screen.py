"""The screen of `busmark run --watch`: events as `busmark run --json` prints them."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from textual.pilot import Pilot

from busmark.cli.live.campaign_app import CampaignApp

SCHEMA = json.loads(
    (Path(__file__).parents[3] / "schemas" / "events.schema.json").read_text(encoding="utf-8")
)
LEFT = {"rounds_done": 1, "rounds_left": 3, "cases_done": 0, "seconds_left": 20.0, "more": True}
LIVE = {"round_trip_median_ns": 40_000.0, "round_trip_p99_ns": None, "latencies": 50,
        "rate_hz": 1234.0, "looked_at": 100, "unanswered": 7}  # fmt: skip
FOUND = {"id": "x", "severity": "warning", "title": "Two modes", "cases": ["b"]}
EVENTS: list[dict[str, Any]] = [
    {"event": "campaign_begins", "directory": "/r", "cases": ["a", "b"], "unsupported":
     [{"case": "c", "reason": "no such transport"}], "rounds_done": 0, "rounds_planned": 4,
     "expected_s": 30.0, "longest_s": 90.0, "findings": [FOUND]},
    {"event": "round_begins", "case": "b", "round": 0, "attempt": 0},
    {"event": "round_goes_on", "case": "b", "round": 0, "seconds": 2.0, "expected_s": 7.0,
     "live": LIVE},
    {"event": "round_ends", "case": "b", "round": 0, "status": "marked", "reason": "few samples",
     "statistic": "median", "value": 30_000.0, "left": LEFT, "troubles": []},
    {"event": "finding_appears", "case": "b", "finding": FOUND, "evidence": "at 5 µs and 9 µs"},
    {"event": "round_fails", "case": "a", "round": 0, "attempt": 0, "reason": "died",
     "again": False},
    {"event": "campaign_ends", "interrupted": False},
    {"event": "result_closes", "directory": "/r", "complete": True, "findings": []},
]  # fmt: skip


def text(app: CampaignApp) -> str:
    rows = app.screen._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in row).rstrip() for row in rows)


def line(app: CampaignApp, begin: str) -> str:
    return next(row for row in text(app).splitlines() if row.startswith(begin))


def test_a_campaign_is_a_line_for_each_case_and_what_was_reported_of_it() -> None:
    waiting: list[dict[str, Any]] = []
    interrupted: list[bool] = []
    over = [False]

    def take() -> tuple[list[dict[str, Any]], bool]:
        found, waiting[:] = list(waiting), []
        return found, over[0]

    app = CampaignApp(take, lambda: interrupted.append(True))

    async def says(pilot: Pilot[None], *events: dict[str, Any]) -> None:
        waiting.extend(events)
        app.tick()
        app.paint()
        await pilot.pause()

    async def run() -> None:
        async with app.run_test(size=(80, 24)) as pilot:
            assert "being planned" in text(app)
            await says(pilot, *EVENTS[:3])
            assert "0/4 rounds" in text(app) and "28 s left" in text(app)
            row = line(app, "b ")
            assert "running" in row and "1,234" in row and "20.00" in row and "7.0 %" in row
            assert "unsupported" in line(app, "c ")
            await says(pilot, *EVENTS[3:6])
            assert "1 failed" in text(app) and "failed" in line(app, "a ")
            assert "marked" in line(app, "b ")
            await pilot.press("/", "b", "enter", "home")
            assert "median of the last stored round: 15.00 µs" in text(app)
            assert "round 0 marked: few samples" in text(app) and "at 5 µs and 9 µs" in text(app)
            await pilot.press("q")
            assert interrupted and "interrupting" in text(app)
            over[0] = True
            await says(pilot, *EVENTS[6:])
        assert app.state().ended

    asyncio.run(run())


@pytest.mark.parametrize("event", EVENTS)
def test_these_are_events_as_a_run_prints_them(event: dict[str, Any]) -> None:
    jsonschema.validate(event, SCHEMA)
