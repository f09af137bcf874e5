"""A pack by its name: run, compared with its document, and reported again."""

from __future__ import annotations

import json

from e2e_harness import DOMAIN, Lab, need_adapters

TINY = (
    "also=[]", "matrix.adapter=cyclonedds", "matrix.size=[32, 1024, 40000]",
    "measure.duration_s=0.2", "measure.warmup_s=0.0", "measure.probe_every=10", "rounds.min=2",
    "criteria.min_samples=1", "criteria.match_timeout_s=60", f"run.domain={DOMAIN}",
)  # fmt: skip


def test_perftest_runs_and_has_its_tables_in_its_columns(lab: Lab) -> None:
    need_adapters("cyclonedds")
    few = [word for setting in TINY for word in ("--set", setting)]
    ended = lab.busmark("run", "perftest-2023", "--out", "result", *few)
    assert ended.code == 0, ended.text
    report = lab.folder / "result" / "report"
    assert f"Comparison: {report.relative_to(lab.folder) / 'comparison.html'}" in ended.out
    assert 'href="comparison.html"' in (report / "report.html").read_text(encoding="utf-8")
    page = (report / "comparison.html").read_text(encoding="utf-8")
    assert "As samples grow, fewer of them arrive per second" in page
    again = lab.busmark("report", "result", "--out", "again")
    assert again.code == 0, again.text
    assert 'href="report.html"' in (lab.folder / "again" / "comparison.html").read_text("utf-8")
    shown = lab.busmark("show", "result", "--document")
    assert shown.code == 0, shown.text
    for title in ("1A: publisher", "2B: subscriber", "3A: publisher", "4B: subscriber"):
        assert title in shown.out and title in page
    assert "99.9999 %" in shown.out and "Avg samples/s" in shown.out
    found = json.loads(lab.busmark("show", "result", "--json").out)
    streams = [case for case in found["cases"] if case["test"] == "throughput"]
    halves = {case["size"]: case["plugins"]["papers"]["halves"] for case in streams}
    assert [size for size, half in halves.items() if half[0]["publisher"]] == [32, 1024, 40000]
    lab.assert_nothing_left()
