"""Several candidates: one table, and verdicts that do not depend on who else is compared."""

from __future__ import annotations

import sys
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

sys.path.insert(0, str(Path(__file__).parents[1] / "compare"))

from compare_results import campaign, compared

from busmark.compare import Comparison
from busmark.report.comparison.grids import MOST_BESIDE, headlines
from busmark.report.comparison.markdown import markdown
from busmark.report.comparison.shortened import LIMIT, Part, shortened
from busmark.report.comparison.terminal import show
from busmark.report.comparison.words import method
from busmark.report.html.comparison import render

FACTORS = {"base": 1.0, "second": 1.02, "third": 1.05, "fourth": 0.97, "fifth": 1.1}
CASES = [{"adapter": adapter, "size": size} for adapter in ("udp", "tcp") for size in (64, 1024)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Campaigns that differ by some per cent."""
    found = tmp_path_factory.mktemp("candidates")
    for seed, (name, factor) in enumerate(FACTORS.items(), start=1):
        campaign(found / name, factor, seed=seed, cases=CASES, rounds=5, samples=1100)
    return found


def several(folder: Path, count: int, **options: object) -> Comparison:
    names = list(FACTORS)[: count + 1]
    return compared(*(folder / name for name in names), **options)  # type: ignore[arg-type]


def test_candidates_have_columns_beside_each_other_in_one_table(folder: Path) -> None:
    (grid,) = headlines(several(folder, 2))
    assert grid.title.startswith("second and third vs. base (baseline): ")
    assert [row[:2] for row in grid.texts] == [
        ["UDP socket", "64 B"], ["UDP socket", "1 KiB"],
        ["TCP socket", "64 B"], ["TCP socket", "1 KiB"],
    ]  # fmt: skip
    assert [name for name, _ in grid.groups] == ["", "second", "third"]
    assert [head.title for head in grid.heads].count("Ratio, median RTT/2") == 2


def test_many_candidates_have_rows_below_each_other_in_one_table(folder: Path) -> None:
    comparison = several(folder, MOST_BESIDE + 1)
    (grid,) = headlines(comparison)
    assert not grid.groups and len(grid.rows) == len(CASES) * (MOST_BESIDE + 1)
    place = [head.title for head in grid.heads].index("Candidate")
    assert [row[place] for row in grid.texts[:4]] == ["second", "third", "fourth", "fifth"]


@pytest.mark.parametrize("compared_by", ["a verdict", "a gate"])
def test_another_candidate_changes_nothing_about_the_first(folder: Path, compared_by: str) -> None:
    gate = ["median.latency > 1.01"] if compared_by == "a gate" else []
    alone, with_more = (several(folder, count, fail_if=gate) for count in (1, 4))
    first = [pair for pair in with_more.pairs if pair.candidate == "second"]
    assert first == alone.pairs
    adjusted = [j.p_adjusted for j in with_more.criteria if j.candidate == "second"]
    assert adjusted == [judged.p_adjusted for judged in alone.criteria]
    assert with_more.summary[0] == alone.summary[0]


def test_what_is_corrected_for_is_said(folder: Path) -> None:
    told = method(several(folder, 2))
    assert "Holm's correction over a candidate's headline figures (4)" in told
    assert "another one changes no verdict" in told
    campaign(folder / "all", cases=[*CASES, *[{**case, "adapter": "uds"} for case in CASES[:2]]])
    within = method(compared(folder / "all", by=["adapter"]))
    assert "at most 5 % for a candidate, 10 % for all 2" in within


@pytest.mark.parametrize("width", [80, 100, 120, 200])
@pytest.mark.parametrize("count", [1, 2, 4])
def test_every_candidate_has_its_figures_at_any_width(folder: Path, width: int, count: int) -> None:
    out = StringIO()
    show(several(folder, count), Console(file=out, width=width))
    lines = out.getvalue().splitlines()
    assert all(len(line) <= width for line in lines)
    rows = [line for line in lines if " [" in line and "RTT/2" not in line]
    assert sum(line.count(" [") for line in rows) >= 2 * count * len(CASES)
    heads = next(line for line in lines if "Ratio, median" in line)
    # Neither side's own value, or both.
    names = ("base", "second") if count == 1 else ("base", "Value")
    assert len({name in heads for name in names}) == 1
    told = [line for line in lines if "Hidden: " in line]
    assert bool(told) == (names[0] not in heads)
    assert "5 rounds on either side." in lines and "Rounds" not in heads


def test_the_page_heads_each_group_with_its_candidate(folder: Path) -> None:
    page = render(several(folder, 2))
    groups = [name for name in ("second", "third") if f">{name}</th>" in page]
    assert groups == ["second", "third"] and page.count('scope="colgroup"') == 2
    assert page.count("<svg") == 2 * len(CASES)


def test_markdown_names_the_candidate_of_each_column(folder: Path) -> None:
    text = markdown(several(folder, 2))
    (head,) = [line for line in text.splitlines() if line.startswith("| Middleware")]
    assert "second: Ratio, median RTT/2" in head and "third: Ratio, median RTT/2" in head
    before, _, _ = text.partition("<details>")
    assert before.count("\n|") == 2 + len(CASES), "the table is not folded"


@pytest.mark.parametrize("times", [1, 40, 400])
def test_markdown_never_exceeds_what_a_comment_takes(folder: Path, times: int) -> None:
    found = several(folder, 4, fail_if=["p99.latency > 1.05", "median.latency > 1.01"])
    pairs = [
        pair.model_copy(update={"baseline_case": f"{pair.baseline_case}-{n}"})
        for n in range(times)
        for pair in found.pairs
    ]
    text = markdown(found.model_copy(update={"pairs": pairs}), every=True)
    assert len(text.encode()) <= LIMIT
    assert text.count("<details>") == text.count("</details>")
    last = text.splitlines()[-1]
    assert last.startswith("**Left out to stay below 65\N{NARROW NO-BREAK SPACE}536") == (times > 1)
    if times > 1:
        assert "tables of all figures" in last and "`--json` have everything" in last
    assert text.startswith("## Busmark comparison\n\n❌ **Gate failed")


def test_what_is_left_out_is_counted() -> None:
    parts = [
        Part("the title", ["# Title"]),
        Part("rows", [f"row {n}" for n in range(300)], before="head\n"),
        Part("remarks", ["- one", "- two"], before="<details>", after="</details>"),
    ]
    whole = shortened(parts, 10_000)
    assert whole.endswith("</details>\n") and "row 299" in whole and "Left out" not in whole
    text = shortened(parts, 3000)
    rows = sum(line.startswith("row ") for line in text.splitlines())
    assert 0 < rows < 300 and len(text.encode()) <= 3000
    assert f"{300 - rows} of 300 rows and 2 of 2 remarks" in text
    assert "<details>" not in text
