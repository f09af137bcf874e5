"""The document of a comparison: what its tables and charts say, and how sinks show it."""

from __future__ import annotations

import io
import re
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from compare_results import Builder, campaign, compared, flood, rows, section, tables

from busmark.compare import Comparison
from busmark.present.blocks.changes import MOST_BESIDE, headlines
from busmark.present.blocks.comparison import document, views
from busmark.present.charts.look import look_of
from busmark.present.charts.shapes import Bars
from busmark.present.document import Chart
from busmark.present.markup import Part
from busmark.present.sinks import markdown as as_markdown
from busmark.present.sinks.junit import junit
from busmark.present.sinks.markdown import LIMIT, shortened
from busmark.present.sinks.page import page as as_page
from busmark.present.sinks.terminal import show
from busmark.present.width import RoomyConsole

sys.path.insert(0, str(Path(__file__).parents[1] / "compare"))


Golden = Callable[[str, str], None]

MARKUP = "</script><b>|`x`*_[a](b)"

CASES = ({"adapter": "null"}, {"adapter": "udp"}, {"adapter": "udp", "size": 1024})

FACTORS = {"base": 1.0, "second": 1.02, "third": 1.05, "fourth": 0.97, "fifth": 1.1}

SOCKETS = [{"adapter": adapter, "size": size} for adapter in ("udp", "tcp") for size in (64, 1024)]

GATE = ["median.latency > 1.02", "median.latency > 1.5", "p99.9.latency > 1.1", "loss > 1%"]


@pytest.fixture(scope="module")
def comparison(tmp_path_factory: pytest.TempPathFactory) -> Comparison:
    """With everything in it: a floor, a throughput, what is left out, criteria of each outcome."""
    folder = tmp_path_factory.mktemp("comparison")
    for seed, factor in ((1, 1.0), (2, 1.05)):
        build = Builder(folder / f"s{seed}", seed=seed)
        flood(build, [400_000 / factor, 401_000 / factor, 399_000 / factor])
        build.case("zenoh", "unsupported", MARKUP, adapter="zenoh")
        build.findings.append({
            "id": "x", "severity": "warning", "title": MARKUP, "cause": "", "evidence": "",
            "remedy": "",
        })  # fmt: skip
        campaign(build.directory, factor, seed=seed, cases=CASES, build=build,
                 busmark_version=f"0.{seed}.0")  # fmt: skip
    return relocated(compared(folder / "s1", folder / "s2", fail_if=GATE))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Campaigns that differ by some per cent."""
    found = tmp_path_factory.mktemp("candidates")
    for seed, (name, factor) in enumerate(FACTORS.items(), start=1):
        campaign(found / name, factor, seed=seed, cases=SOCKETS, rounds=5, samples=1100)
    return found


def relocated(found: Comparison) -> Comparison:
    """The same wherever the tests run."""
    sides = [side.model_copy(update={"directory": Path(side.directory).name})
             for side in (found.baseline, *found.candidates)]  # fmt: skip
    return found.model_copy(update={"baseline": sides[0], "candidates": sides[1:]})


def several(folder: Path, count: int, **options: object) -> Comparison:
    names = list(FACTORS)[: count + 1]
    return compared(*(folder / name for name in names), **options)  # type: ignore[arg-type]


def printed(found: Comparison, width: int | None, *, every: bool = False) -> str:
    """As a terminal of this width shows it; None: as a pipe gets it."""
    out = io.StringIO()
    console = RoomyConsole(file=out, width=width or 80, force_terminal=width is not None,
                           color_system=None)  # fmt: skip
    show(document(found, every=every), console)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def markdown(found: Comparison, *, every: bool) -> str:
    return as_markdown.markdown(document(found, every=every))


def html(found: Comparison, *, every: bool) -> str:
    return as_page(views(found, every=every).whole())


def of_comparison(found: Comparison, *, every: bool) -> str:
    return junit(views(found, every=every).own["tests"]())


def plain(page: str) -> str:
    """The text of a page, a line for each row of a table and each paragraph."""
    body = page[page.index("<body>") :]
    body = re.sub(r"<script.*?</script>", "", body, flags=re.DOTALL)
    body = re.sub(r"</(tr|p|h\d|figcaption|summary|caption)>", "\n", body)
    lines = (" ".join(line.split()) for line in re.sub(r"<[^>]+>", " ", body).splitlines())
    return "\n".join(line for line in lines if line) + "\n"


def test_a_comparison_is_as_reviewed(comparison: Comparison, folder: Path, golden: Golden) -> None:
    golden("compare-80.txt", printed(comparison, 80, every=True))
    golden("compare-pipe.txt", printed(comparison, None))
    golden("compare.md", markdown(comparison, every=False))
    golden("compare-page.txt", plain(html(comparison, every=False)))
    golden("compare-two-80.txt", printed(relocated(several(folder, 2)), 80))
    golden("compare-four-80.txt", printed(relocated(several(folder, 4)), 80))


@pytest.mark.parametrize("name", ["first", "before-participants"])
def test_results_of_older_versions_are_as_reviewed(kept: Path, name: str, golden: Golden) -> None:
    found = compared(kept / name / "result", by=["size"])
    golden(f"compare-kept-{name}-80.txt", printed(relocated(found), 80))


@pytest.mark.parametrize("width", [40, 60, 80, 120, 200])
def test_no_line_is_wider_than_the_terminal(
    comparison: Comparison, folder: Path, width: int
) -> None:
    for found in (comparison, several(folder, 2), several(folder, 4)):
        lines = printed(found, width, every=True).splitlines()
        assert not [line for line in lines if len(line) > width]


def test_the_gate_counts_its_cases_and_names_the_worst(comparison: Comparison) -> None:
    gate, *_ = document(comparison).sections
    assert gate.title == "Gate" and gate.summary.startswith("✗ failed: 2 missed, 3 undecided")
    (table,) = gate.tables
    shown = rows(table)
    assert [row["Criterion"] for row in shown] == [
        f"{s} {c}" for s, c in zip("✗✓?✓", GATE, strict=True)
    ]
    for row in shown:
        own = [judged for judged in comparison.criteria if judged.criterion == row["Criterion"][2:]]
        counts = Counter(judged.outcome for judged in own)
        assert [row[title] for title in ("Met", "Missed", "?")] == [
            str(counts[outcome]) for outcome in ("met", "missed", "undecided")
        ]  # fmt: skip
    missed = [j for j in comparison.criteria if j.outcome == "missed" and j.pair is not None]
    ratios = [comparison.pairs[j.pair or 0].changes[0].change for j in missed]
    worst = max(ratio.value for ratio in ratios if ratio)
    first = table.columns[[column.title for column in table.columns].index("At worst")].cells[0]
    assert first.value == worst


def test_the_answer_counts_each_figure(comparison: Comparison) -> None:
    (table,) = section(comparison, "Answer").tables
    counted = {
        row["Figure"]: [row[t] for t in ("Better", "Worse", "=", "?")] for row in rows(table)
    }
    names = {"median.latency": "Median RTT/2", "p99.latency": "p99 RTT/2",
             "goodput.throughput": "Goodput"}  # fmt: skip
    assert counted == {
        names[of.name]: [str(n) for n in (of.better, of.worse, of.equivalent, of.undecided)]
        for of in comparison.summary[0].figures
    }
    assert counted["Median RTT/2"] == ["0", "2", "0", "0"]


def test_every_ratio_of_the_tables_and_charts_is_the_model_s(comparison: Comparison) -> None:
    for part in headlines(comparison):
        (table,) = part.tables
        pairs = [pair for pair in comparison.pairs if pair.test == part.key.partition("-")[0]]
        ratios = next(column for column in table.columns if column.kind == "ratio").cells
        (chart,) = (block for block in part.blocks if isinstance(block, Chart))
        (shape,) = chart.shapes
        assert isinstance(shape, Bars)
        ends = [line.ends[0][0] for line in shape.references]
        assert ends == [1.0, pytest.approx(1.02), pytest.approx(1 / 1.02)]
        for pair, cell, bar in zip(pairs, ratios, shape.rows, strict=True):
            assert pair.headline is not None and pair.headline.change is not None
            change = pair.headline.change
            assert (cell.value, cell.low, cell.high) == (change.value, change.low, change.high)
            assert (bar.value, bar.low, bar.high) == (change.value, change.low, change.high)


def test_the_floor_is_marked_and_in_no_verdict(comparison: Comparison) -> None:
    table = tables(comparison)[0]
    (place,) = [n for n, row in enumerate(table.rows) if row.role == "floor"]
    assert "(floor)" in str(table.columns[0].cells[place].value)
    assert not any(column.cells[place].verdict for column in table.columns)


def test_candidates_have_columns_beside_each_other_many_have_rows(folder: Path) -> None:
    (table,) = tables(several(folder, 2))
    assert [*dict.fromkeys(c.group for c in table.columns)] == ["", "base", "second", "third"]
    assert [cell.value for cell in table.columns[0].cells] == [
        f"{label} socket, {size}" for label in ("UDP", "TCP") for size in ("64 B", "1 KiB")
    ]
    (table,) = tables(several(folder, MOST_BESIDE + 1))
    assert len(table.rows) == len(SOCKETS) * (MOST_BESIDE + 1) and len(table.groups) == len(SOCKETS)
    assert [cell.value for cell in table.columns[0].cells[:4]] == [*FACTORS][1:]


@pytest.mark.parametrize("compared_by", ["a verdict", "a gate"])
def test_another_candidate_changes_nothing_about_the_first(folder: Path, compared_by: str) -> None:
    gate = ["median.latency > 1.01"] if compared_by == "a gate" else []
    alone, with_more = (several(folder, count, fail_if=gate) for count in (1, 4))
    first = [pair for pair in with_more.pairs if pair.candidate == "second"]
    assert first == alone.pairs
    adjusted = [j.p_adjusted for j in with_more.criteria if j.candidate == "second"]
    assert adjusted == [judged.p_adjusted for judged in alone.criteria]
    assert with_more.summary[0] == alone.summary[0]


def test_what_is_corrected_for_is_counted(folder: Path) -> None:
    found = several(folder, 2)
    (table,) = section(found, "How this was compared").tables
    assert [int(row["Headline figures"]) for row in rows(table)] == [4, 4]
    campaign(
        folder / "all", cases=[*SOCKETS, *[{**case, "adapter": "uds"} for case in SOCKETS[:2]]]
    )
    within = compared(folder / "all", by=["adapter"])
    (table,) = section(within, "How this was compared").tables
    assert {"one": "5 %", "all": "10 %"} in [note.values for note in table.notes]


@pytest.mark.parametrize("width", [80, 100, 120, 200])
@pytest.mark.parametrize("count", [1, 2, 4])
def test_every_candidate_has_its_figures_at_any_width(folder: Path, width: int, count: int) -> None:
    text = printed(several(folder, count), width).partition("Round-trip")[2].partition("Further")[0]
    assert text.count("[") >= 2 * count * len(SOCKETS)
    hidden = re.findall(r"Median RTT/2: [^,.]*", text)
    assert len(hidden) in (0, 2), "neither side's own value, or both"


def test_markdown_has_tables_and_no_markup_of_others(comparison: Comparison) -> None:
    text = markdown(comparison, every=True)
    for grid in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in grid.splitlines()}) == 1
    assert "<b>" not in text and "](b)" not in text.replace("\\](b)", "")
    assert text.count("<details>") == text.count("</details>") > 2


def test_a_summary_is_html_not_markdown(comparison: Comparison) -> None:
    pairs = [pair.model_copy(update={"label": "a_b & <i>\n\n#1"}) for pair in comparison.pairs]
    text = markdown(comparison.model_copy(update={"pairs": pairs}), every=True)
    summaries = re.findall("<summary>(.*)</summary>", text)
    assert len(summaries) == text.count("<details>") > len(pairs)
    assert not any("\\" in summary for summary in summaries)
    assert any("a_b &amp; &lt;i&gt; #1, " in summary for summary in summaries)


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
    assert ("`--json` have everything" in last) == (times > 1)
    assert "Gate: ✗ failed" in text[:200]


def test_what_is_left_out_is_counted() -> None:
    parts = [
        Part("the title", ["# Title"]),
        Part("rows", [f"row {n}" for n in range(300)], before="head\n"),
        Part("remarks", ["- one", "- two"], before="<details>", after="</details>"),
    ]
    whole = shortened(parts, 10_000)
    assert whole.endswith("</details>\n") and "row 299" in whole and "Left out" not in whole
    text = shortened(parts, 3000)
    kept = sum(line.startswith("row ") for line in text.splitlines())
    assert 0 < kept < 300 and len(text.encode()) <= 3000
    assert f"{300 - kept} of 300 rows and 2 of 2 remarks" in text
    assert "<details>" not in text


def test_junit_counts_what_it_holds(comparison: Comparison) -> None:
    root = ElementTree.fromstring(of_comparison(comparison, every=False))
    assert root.tag == "testsuites" and [suite.attrib["name"] for suite in root] == GATE
    for suite in root:
        cases = suite.findall("testcase")
        assert int(suite.attrib["tests"]) == len(cases) > 0
        for attribute, tag in (("failures", "failure"), ("skipped", "skipped")):
            assert int(suite.attrib[attribute]) == len(suite.findall(f"testcase/{tag}"))
        assert suite.attrib["errors"] == "0" and suite[0].tag == "properties"
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", suite.attrib["timestamp"])
        assert [child.tag for child in suite][-2:] == ["system-out", "system-err"]
    failed = root.findall("testsuite/testcase/failure")
    assert len(failed) == sum(judged.fails for judged in comparison.criteria)
    assert "reason: beyond" in failed[0].attrib["message"]


def test_a_policy_makes_failures_of_what_is_skipped(comparison: Comparison) -> None:
    strict = [judged.model_copy(update={"fails": judged.outcome != "met"})
              for judged in comparison.criteria]  # fmt: skip
    root = ElementTree.fromstring(
        of_comparison(comparison.model_copy(update={"criteria": strict}), every=False)
    )
    assert not root.findall("testsuite/testcase/skipped")
    kinds = {f.attrib["type"] for f in root.findall("testsuite/testcase/failure")}
    assert kinds == {"missed", "undecided"}


def test_characters_that_xml_forbids_are_replaced(comparison: Comparison) -> None:
    first = comparison.criteria[0].model_copy(update={"label": "a\x00\x1b[0m<&\ud800"})
    text = of_comparison(comparison.model_copy(update={"criteria": [first]}), every=False)
    case = ElementTree.fromstring(text).find("testsuite/testcase")
    assert case is not None
    assert case.attrib["name"] == "a\ufffd\ufffd[0m<&\ufffd"


def test_the_page_is_whole_and_loads_nothing(comparison: Comparison) -> None:
    page = html(comparison, every=False)
    text = re.sub(r"<script>.*?</script>", "", page, flags=re.DOTALL)
    ids = re.findall(r'\sid="([^"]+)"', text)
    assert len(ids) == len(set(ids)) and set(re.findall(r'href="#([^"]+)"', text)) <= set(ids)
    assert not re.search(r"<(img|link)\b|\ssrc=", text) and MARKUP not in page
    for tag in ("section", "details", "table", "tr", "td", "th", "figure", "div", "p", "span"):
        assert len(re.findall(rf"<{tag}\b", text)) == text.count(f"</{tag}>"), tag
    assert page == html(comparison, every=False)


def test_middlewares_have_their_own_colour_on_the_page(comparison: Comparison) -> None:
    page = html(comparison, every=False)
    named = re.findall(r'color:(#\w{6})" aria-hidden="true">.</span>([^<,]*)', page)
    of_pairs = {pair.label: pair.adapter for pair in comparison.pairs if pair.label}
    assert len(of_pairs) > 1 and all(of_pairs.values())
    colours = {name: colour for colour, name in named}
    assert colours == {name: look_of(adapter).colour for name, adapter in of_pairs.items()}
