"""Histories with known changes: which are found, which fail a check, and what is kept apart."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from track_histories import GOODPUT, LOSS, MEDIAN, entry, history, noise, run

from busmark.track import HistoryEntry, TrackedHistory, read, track

pytestmark = pytest.mark.usefixtures("page_script")

AT = 15


def entries(
    name: str, level: float, step: float, n: int = 25, seed: int = 1, **more: str
) -> list[HistoryEntry]:
    """Return entries of one figure that steps by a factor at `AT`."""
    return [
        entry(number, {name: level * own * (step if number >= AT else 1.0)}, **more)  # type: ignore[arg-type]
        for number, own in enumerate(noise(n, seed))
    ]


def checked(path: Path, found: list[HistoryEntry], **options: object) -> TrackedHistory:
    history(path, found)
    return track(path, read(path), **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "level", "step", "kind"),
    [
        (MEDIAN, 5000.0, 1.04, "regression"),
        (MEDIAN, 5000.0, 0.96, "improvement"),
        (MEDIAN, 5000.0, 1.015, "small"),
        (GOODPUT, 900.0, 0.96, "regression"),
        (GOODPUT, 900.0, 1.04, "improvement"),
        (LOSS, 0.05, 1.2, "regression"),
        (LOSS, 0.05, 0.8, "improvement"),
        (LOSS, 0.001, 1.2, "small"),
    ],
)
def test_a_step_is_worse_or_better_by_the_direction_of_its_figure(
    tmp_path: Path, name: str, level: float, step: float, kind: str
) -> None:
    found = checked(tmp_path / "h.jsonl", entries(name, level, step))
    (series,) = found.series
    (one,) = series.steps
    assert one.kind == kind
    assert one.last_before == one.first_after - 1
    assert one.earliest <= AT <= one.latest
    true = step - 1 if name != LOSS else level * (step - 1)
    assert one.low <= true <= one.high
    assert one.after / one.before == pytest.approx(step, rel=0.02)
    assert one.p_value <= one.p_adjusted <= 0.01
    assert bool(found.standing) == (kind == "regression")


def test_a_regression_is_new_until_it_was_found_before(tmp_path: Path) -> None:
    every = entries(MEDIAN, 5000.0, 1.05)
    new = []
    for results in range(6, len(every) + 1):
        found = checked(tmp_path / "h.jsonl", every[:results])
        new += [results] if found.new else []
        assert run("history", "check", "--history", tmp_path / "h.jsonl").exit_code == bool(
            found.new
        )
    (first,) = new
    assert AT + 5 <= first <= AT + 8
    path = history(tmp_path / "h.jsonl", every[: first + 2])
    assert run("history", "check", "--history", path).exit_code == 0
    assert run("history", "check", "--history", path, "--new-for", 3).exit_code == 1
    assert run("history", "check", "--history", path, "--standing").exit_code == 1


def test_a_regression_that_was_mended_does_not_stand(tmp_path: Path) -> None:
    every = entries(MEDIAN, 5000.0, 1.05, 40)
    mended = [
        entry(number, {MEDIAN: one.cases[0].figures[MEDIAN].value / (1.05 if number >= 27 else 1)})
        for number, one in enumerate(every)
    ]
    found = checked(tmp_path / "h.jsonl", mended)
    (series,) = found.series
    assert [step.kind for step in series.steps] == ["regression", "improvement"]
    assert not found.standing
    path = tmp_path / "h.jsonl"
    assert run("history", "check", "--history", path, "--standing").exit_code == 0
    assert "recovered regressions: 1" in run("history", "show", "--history", path).output


def test_the_margin_is_the_users(tmp_path: Path) -> None:
    path = history(tmp_path / "h.jsonl", entries(MEDIAN, 5000.0, 1.03, 20))
    options = ("history", "check", "--history", path, "--new-for", 8)
    assert run(*options).exit_code == 1
    assert run(*options, "--worse-than", "5%").exit_code == 0
    assert run(*options, "--worse-than", "0.01").exit_code == 1


def test_machines_are_kept_apart_and_that_is_said(tmp_path: Path) -> None:
    first = entries(MEDIAN, 5000.0, 1.0, host="one")
    second = entries(MEDIAN, 7000.0, 1.0, seed=2, host="two")
    found = checked(tmp_path / "h.jsonl", [*first[:15], *second[15:]])
    assert len(found.series) == 2 and not any(series.steps for series in found.series)
    assert [(m.name, m.results) for m in found.machines] == [("one", 15), ("two", 10)]
    assert any("2 machines are kept apart: they differ in hostname" in r for r in found.remarks)
    shown = run("history", "show", "--history", tmp_path / "h.jsonl").output
    assert "Levels on one  15 results" in shown and "Levels on two  10 results" in shown


def test_another_experiment_is_another_series(tmp_path: Path) -> None:
    small = entries(MEDIAN, 5000.0, 1.0)
    large = [entry(n, {MEDIAN: 9000.0 * f}, size=1024) for n, f in enumerate(noise(25, 3))]
    found = checked(tmp_path / "h.jsonl", [*small[:12], *large[12:]])
    assert sorted(s.size or 0 for s in found.series) == [64, 1024]
    assert not any(series.steps for series in found.series)
    assert any("1 case is not in the newest result" in remark for remark in found.remarks)


def test_a_parameter_that_older_results_do_not_have_begins_no_new_series(tmp_path: Path) -> None:
    older = entries(MEDIAN, 5000.0, 1.0)
    newer = [
        entry(n, {MEDIAN: one.cases[0].figures[MEDIAN].value},
              params={"writers": 1, "payload": "octet", "load": None} if n > 10 else {})
        for n, one in enumerate(older)
    ]  # fmt: skip
    assert len(checked(tmp_path / "h.jsonl", newer).series) == 1


def test_what_else_changed_at_a_step_is_reported(tmp_path: Path) -> None:
    every = [
        entry(n, {MEDIAN: 5000.0 * f * (1.06 if n >= AT else 1)},
              kernel="6.1" if n < AT else "6.5", version="1" if n < AT else "2")
        for n, f in enumerate(noise(25, 1))
    ]  # fmt: skip
    (series,) = checked(tmp_path / "h.jsonl", every).series
    (step,) = series.steps
    assert step.first_after == AT
    assert step.besides == ["version of udp: 1 → 2", "kernel: 6.1 → 6.5"]


@pytest.mark.parametrize("factor", [1.06, 0.94])
def test_a_step_of_the_floor_fails_nothing_and_is_reported_beside_others_of_its_direction(
    tmp_path: Path, factor: float
) -> None:
    floor = entries(MEDIAN, 1000.0, factor, seed=4, adapter="null")
    udp = entries(MEDIAN, 5000.0, 1.06)
    together = [
        one.model_copy(update={"cases": [*one.cases, *other.cases]})
        for one, other in zip(udp, floor, strict=True)
    ]
    found = checked(tmp_path / "h.jsonl", together, new_for=11)
    assert [series.is_floor for series in found.series] == [False, True]
    ((series, step),) = found.new
    assert not series.is_floor
    notes = [note for note in step.besides if "null adapter" in note]
    assert len(notes) == (1 if factor > 1 else 0)


def test_a_step_far_beyond_the_noise_is_found_with_three_results_behind_it_and_in_the_middle(
    tmp_path: Path,
) -> None:
    bump = [1.1 if 5 <= n < 10 else 1.0 for n in range(16)]
    last = [1.1 if n >= 13 else 1.0 for n in range(16)]
    for name, factors in (("bump", bump), ("last", last)):
        every = [entry(n, {MEDIAN: 5000.0 * own * factors[n]})
                 for n, own in enumerate(noise(16, 1))]  # fmt: skip
        (series,) = checked(tmp_path / f"{name}.jsonl", every).series
        assert [step.first_after for step in series.steps] == ([5, 10] if name == "bump" else [13])


def test_commits_measured_later_are_put_where_they_belong(tmp_path: Path) -> None:
    every = entries(MEDIAN, 5000.0, 1.05)
    shuffled = [*every[::2], *every[1::2]]
    (series,) = checked(tmp_path / "h.jsonl", shuffled).series
    assert [int(point.commit, 16) for point in series.points] == list(range(25))
    assert len(series.steps) == 1


def test_the_document_is_what_json_prints(tmp_path: Path) -> None:
    path = history(tmp_path / "h.jsonl", entries(MEDIAN, 5000.0, 1.05))
    printed = json.loads(run("history", "show", "--history", path, "--json").stdout)
    assert TrackedHistory.model_validate(printed) == track(path, read(path))


def test_names_of_a_strangers_commits_are_text_on_the_page(tmp_path: Path) -> None:
    every = entries(MEDIAN, 5000.0, 1.05)
    hostile = "<script>alert(1)</script> | [x](y)"
    named = [
        one.model_copy(update={"commit": one.commit.model_copy(update={"subject": hostile})})
        for one in every
    ]
    path = history(tmp_path / "h.jsonl", named)
    run("history", "show", "--history", path, "--new-for", 11, "--html", tmp_path / "h.html",
        "--markdown", tmp_path / "h.md")  # fmt: skip
    page = (tmp_path / "h.html").read_text()
    assert "&lt;script&gt;alert(1)" in page and "<script>alert(1)" not in page
    text = (tmp_path / "h.md").read_text()
    assert text.count("<script") == text.count("\\<script") > 0


def test_few_results_are_said_to_be_too_few(tmp_path: Path) -> None:
    path = history(tmp_path / "h.jsonl", entries(MEDIAN, 5000.0, 1.0, 5))
    ended = run("history", "check", "--history", path)
    assert ended.exit_code == 0
    assert "? none new" in ended.output and "a series needs 10 results" in ended.output


def one_way(factor: float, bound_ns: float | None) -> list[HistoryEntry]:
    """Return results of two nodes: a one-way latency of 1 ms that steps by a factor at `AT`, with a
    bound of the clocks, or of a Busmark that did not store it."""
    own = {"latencies": {MEDIAN: "one_way"}}
    if bound_ns is not None:
        own["bounds_ns"] = {MEDIAN: bound_ns} if bound_ns else {}
    facts = {f"{node}: cpu_model": "A" for node in ("here", "b")}
    return [
        each.model_copy(
            update={
                "cases": [case.model_copy(update=own) for case in each.cases],
                "machine": each.machine.model_copy(update={"facts": facts}),
            }
        )
        for each in entries(MEDIAN, 1e6, factor)
    ]


@pytest.mark.parametrize(("factor", "bound_ns"), [(1.5, 100_000.0), (0.5, 100_000.0)])
def test_a_change_between_two_clocks_holds_their_bound(
    tmp_path: Path, factor: float, bound_ns: float
) -> None:
    plain, off = (
        checked(tmp_path / f"{bound}", one_way(factor, bound)).series[0]
        for bound in (0.0, bound_ns)
    )
    (by_one,), (by_two,) = plain.steps, off.steps
    assert {point.bound_ns for point in plain.points} == {None}
    assert {point.bound_ns for point in off.points} == {bound_ns}
    assert by_two.change == by_one.change
    # Too great before and too small after, or the other way round.
    assert by_two.low <= (by_two.after - bound_ns) / (by_two.before + bound_ns) - 1.0 < by_one.low
    assert by_two.high >= (by_two.after + bound_ns) / (by_two.before - bound_ns) - 1.0
    assert by_two.high > by_one.high


def test_a_step_within_the_bound_of_two_clocks_is_none(tmp_path: Path) -> None:
    found = [
        len(checked(tmp_path / f"{bound}", one_way(1.1, bound)).series[0].steps)
        for bound in (0.0, 20_000.0, 100_000.0)
    ]
    assert found == [1, 1, 0]


@pytest.mark.parametrize(
    ("bound_ns", "text"),
    [
        (None, "2 one-way figures between nodes are left out: an older Busmark added the result"),
        (2e6, "2 one-way figures are left out: the bound of the clocks is no smaller than"),
    ],
)
def test_a_time_whose_bound_is_unknown_or_too_wide_is_in_no_series(
    tmp_path: Path, bound_ns: float | None, text: str
) -> None:
    found = [*one_way(1.0, bound_ns)[:2], *one_way(1.0, 1000.0)[2:]]
    tracked = checked(tmp_path / "h.jsonl", found)
    (series,) = tracked.series
    assert len(series.points) == len(found) - 2
    assert [remark for remark in tracked.remarks if remark.startswith(text)]


def test_old_results_of_one_machine_need_no_bound(tmp_path: Path) -> None:
    (series,) = checked(tmp_path / "h.jsonl", entries(MEDIAN, 1e6, 1.0)).series
    assert len(series.points) == 25
