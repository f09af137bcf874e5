"""Which rounds a campaign runs, how often it tries, when it has enough, how it is resumed."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest
from control_fakes import Log, begin, conduct, scenario

from busmark.control.campaign import Campaign, Left, default_directory
from busmark.control.events import (
    CampaignBegins,
    CampaignEnds,
    Event,
    RoundBegins,
    RoundEnds,
    RoundFails,
)
from busmark.errors import RoundError
from busmark.store import Result
from busmark.store.writer import ResultWriter

Patch = pytest.MonkeyPatch


def steady(_case: str, _times: int) -> int:
    return 1000


def restless(_case: str, times: int) -> int:
    return 1000 * (1 + times % 2)


def test_every_case_has_every_round(tmp_path: Path, monkeypatch: Patch) -> None:
    writer = begin(tmp_path / "r")
    runner, log, complete = conduct(writer, scenario(), steady, monkeypatch)
    writer.close()
    assert complete
    expected = {f"{case:03d}-x.r{number:03d}" for case in range(3) for number in range(3)}
    assert set(runner.calls) == expected and len(runner.calls) == 9
    assert set(Result(tmp_path / "r").cases["status"]) == {"ok"}
    kinds = [type(event) for event in log.events]
    assert kinds == [CampaignBegins, *[RoundBegins, RoundEnds] * 9, CampaignEnds]


def test_a_steady_case_stops_at_the_target_and_a_restless_one_goes_on(
    tmp_path: Path, monkeypatch: Patch
) -> None:
    writer = begin(tmp_path / "r", cases=2)
    asked = scenario(max=7, target=0.05)
    runner, _, _ = conduct(
        writer, asked, lambda c, t: (steady if c == "000-x" else restless)(c, t), monkeypatch
    )
    writer.close()
    assert sum(call.startswith("000-x") for call in runner.calls) == 3
    assert sum(call.startswith("001-x") for call in runner.calls) == 7


def test_without_a_target_there_are_as_many_rounds_as_asked_for(
    tmp_path: Path, monkeypatch: Patch
) -> None:
    writer = begin(tmp_path / "r", cases=1)
    runner, _, _ = conduct(writer, scenario(max=7), restless, monkeypatch)
    writer.close()
    assert len(runner.calls) == 3


def test_a_failed_round_is_tried_again_up_to_the_limit(tmp_path: Path, monkeypatch: Patch) -> None:
    def fails(case: str, times: int) -> int | RoundError:
        return RoundError("died", "gone") if case == "001-x" and times < 4 else 1000

    writer = begin(tmp_path / "r", cases=2)
    runner, log, complete = conduct(writer, scenario(retries=2), fails, monkeypatch)
    writer.close()
    assert complete
    calls = [call for call in runner.calls if call.startswith("001-x")]
    assert calls == ["001-x.r000"] * 3 + ["001-x.r001"] * 2 + ["001-x.r002"]
    rows = {row["round"]: row for row in Result(tmp_path / "r").cases.to_dicts()
            if row["case"] == "001-x"}  # fmt: skip
    assert [(rows[n]["status"], rows[n]["attempt"]) for n in range(3)] == [
        ("failed", 2), ("ok", 1), ("ok", 0),
    ]  # fmt: skip
    assert rows[0]["reason"] == "died: gone"
    assert rows[0]["failed_s"] > 0 and rows[1]["failed_s"] > 0 and rows[2]["failed_s"] is None
    again = [event.again for event in log.events if isinstance(event, RoundFails)]
    assert again == [True, True, False, True]


def test_going_on_runs_what_is_missing_and_gives_failed_rounds_another_chance(
    tmp_path: Path, monkeypatch: Patch
) -> None:
    def fails(case: str, times: int) -> int | RoundError:
        return RoundError("hung", "asleep") if case == "001-x" else 1000

    writer = begin(tmp_path / "r", cases=2)
    conduct(writer, scenario(), fails, monkeypatch)
    writer.close()
    before = Result(tmp_path / "r").cases
    writer = ResultWriter.resume(tmp_path / "r")
    runner, _, _ = conduct(writer, scenario(), steady, monkeypatch)
    writer.close()
    assert runner.calls == ["001-x.r000", "001-x.r001", "001-x.r002"]
    after = Result(tmp_path / "r").cases
    assert set(after["status"]) == {"ok"}
    assert after.filter(case="000-x").equals(before.filter(case="000-x"))
    assert after.filter(case="001-x")["attempt"].to_list() == [2, 2, 2]
    assert after["order"].n_unique() == 6


def test_a_round_whose_node_is_gone_comes_after_those_that_can_be_run(
    tmp_path: Path, monkeypatch: Patch
) -> None:
    def gone(case: str, times: int) -> int | RoundError:
        return RoundError("node", "gone") if case == "001-x" and times in (0, 2, 3) else 1000

    asked = scenario(min=2, retries=1)
    asked.run.hang_s = 0.001
    writer = begin(tmp_path / "r")
    runner, log, _ = conduct(writer, asked, gone, monkeypatch)
    writer.close()
    assert len(runner.calls) == 8
    assert (runner.calls[3], runner.calls[7]) == ("001-x.r000", "001-x.r001")
    # What could not begin was no attempt; what could not begin later either has failed.
    rows = Result(tmp_path / "r").cases.filter(case="001-x").sort("round")
    assert rows["status"].to_list() == ["ok", "failed"]
    assert rows["attempt"].to_list() == [0, 0]
    assert [e.again for e in log.events if isinstance(e, RoundFails)] == [True, True, False]
    writer = ResultWriter.resume(tmp_path / "r")
    runner, _, _ = conduct(writer, asked, steady, monkeypatch)
    writer.close()
    assert runner.calls == ["001-x.r001"]


def test_a_round_that_misses_a_criterion_is_marked_and_not_tried_again(
    tmp_path: Path, monkeypatch: Patch
) -> None:
    asked = scenario()
    asked.criteria.min_samples = 1000
    writer = begin(tmp_path / "r", cases=1)
    runner, _, _ = conduct(writer, asked, steady, monkeypatch)
    writer.close()
    assert len(runner.calls) == 3
    table = Result(tmp_path / "r").cases
    assert set(table["status"]) == {"marked"}
    assert table["reason"][0].startswith(
        "20 samples, at least 1000 are asked for (criteria.min_samples)"
    )
    assert Result(tmp_path / "r").samples("000-x", 0).height == 20


def test_a_listener_that_goes_away_changes_nothing(tmp_path: Path, monkeypatch: Patch) -> None:
    class Gone(Log):
        def on(self, event: Event) -> None:
            raise BrokenPipeError

    from control_fakes import Runner

    monkeypatch.setattr("busmark.control.campaign.RoundRunner", lambda *_, **__: Runner(steady))
    writer = begin(tmp_path / "r")
    other = Log()
    assert Campaign(scenario(), {}, writer, [Gone(), other]).run()
    writer.close()
    assert Result(tmp_path / "r").cases.height == 9
    assert isinstance(other.events[-1], CampaignEnds)


def test_listeners_are_told_of_an_end_by_an_error(tmp_path: Path, monkeypatch: Patch) -> None:
    from control_fakes import Runner

    def breaks(_case: str, _times: int) -> int:
        raise ZeroDivisionError

    monkeypatch.setattr("busmark.control.campaign.RoundRunner", lambda *_, **__: Runner(breaks))
    writer = begin(tmp_path / "r")
    log = Log()
    with pytest.raises(ZeroDivisionError):
        Campaign(scenario(), {}, writer, [log]).run()
    writer.close()
    assert log.events[-1] == CampaignEnds(interrupted=True)


def test_a_directory_has_a_name_that_every_system_takes() -> None:
    assert default_directory("Größe & Latenz / 1").name.startswith("größe---latenz---1-")
    assert len(default_directory("x" * 1000).name.encode()) < 255
    assert len(default_directory("漢" * 1000).name.encode()) < 255
    assert "/" not in default_directory("../../etc").name


def test_what_is_left_is_a_view_of_the_order_of_the_sweep() -> None:
    first, later = cast(Any, ["a", "b", "c"]), cast(Any, ["d"])
    left = Left(first, later, begin=2)
    assert (len(left), list(left), list(left)) == (2, ["c", "d"], ["c", "d"])
    assert "c" in left and "a" not in left
    assert not Left(first, begin=3) and not Left()
