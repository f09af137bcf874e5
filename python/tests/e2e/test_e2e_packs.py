"""Packs by their names: run, compared with their document, and reported again."""

from __future__ import annotations

import json

from e2e_harness import DOMAIN, Lab, need_adapters, rows

TINY = (
    "also=[]", "measure.duration_s=0.05", "measure.warmup_s=0.0", "rounds.min=2",
    "criteria.min_samples=1", "criteria.match_timeout_s=60", f"run.domain={DOMAIN}",
)  # fmt: skip


def settings(*more: str) -> list[str]:
    return [word for setting in (*TINY, *more) for word in ("--set", setting)]


def test_middlemeasure_runs_by_its_name_and_is_compared(lab: Lab) -> None:
    need_adapters("tcp", "udp")
    two = settings('matrix.test=["latency", "throughput"]', "matrix.size=1024")
    ended = lab.busmark("run", "middlemeasure-2010", "--out", "result", *two)
    assert ended.code == 0, ended.text
    assert {row["status"] for row in rows(lab.folder / "result")} == {"ok"}
    report = lab.folder / "result" / "report"
    assert f"Comparison: {report.relative_to(lab.folder) / 'comparison.html'}" in ended.out
    assert 'href="comparison.html"' in (report / "report.html").read_text(encoding="utf-8")
    page = (report / "comparison.html").read_text(encoding="utf-8")
    assert "TCP carries more than UDP to a single receiver" in page
    assert "This campaign has no such case: adapter rti" in page
    again = lab.busmark("report", "result", "--out", "again")
    assert again.code == 0, again.text
    assert 'href="report.html"' in (lab.folder / "again" / "comparison.html").read_text("utf-8")
    lab.assert_nothing_left()


def test_perftest_runs_and_has_its_tables_in_its_columns(lab: Lab) -> None:
    need_adapters("cyclonedds")
    few = settings("matrix.adapter=cyclonedds", "matrix.size=[32, 1024, 40000]",
                   "measure.duration_s=0.2", "measure.probe_every=10")  # fmt: skip
    ended = lab.busmark("run", "perftest-2023", "--out", "result", *few)
    assert ended.code == 0, ended.text
    page = (lab.folder / "result" / "report" / "comparison.html").read_text(encoding="utf-8")
    assert "As samples grow, fewer of them arrive per second" in page
    shown = lab.busmark("show", "result", "--document")
    assert shown.code == 0, shown.text
    for title in ("1A: publisher", "2B: subscriber", "3A: publisher", "4B: subscriber"):
        assert title in shown.out and title in page
    assert "99.9999 %" in shown.out and "Avg samples/s" in shown.out
    found = json.loads(lab.busmark("show", "result", "--json").out)
    tests = {test["mode"]: test for test in found["perftest"]}
    assert [row["length"] for row in tests["throughput"]["publisher"]] == [32, 1024, 40000]
    lab.assert_nothing_left()
