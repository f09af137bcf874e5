"""A comparison in the terminal, as Markdown, as JUnit XML and as a page."""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser
from io import StringIO
from pathlib import Path
from xml.etree import ElementTree

import pytest
from rich.console import Console

sys.path.insert(0, str(Path(__file__).parents[1] / "compare"))

from compare_results import Builder, campaign, compared, flood

from busmark.compare import Comparison
from busmark.present.charts.look import look_of
from busmark.report.comparison.junit import junit
from busmark.report.comparison.markdown import markdown
from busmark.report.comparison.terminal import show
from busmark.report.html.comparison import render

MARKUP = "</script><b>|`x`*_[a](b)"

CASES = ({"adapter": "null"}, {"adapter": "udp"}, {"adapter": "udp", "size": 1024})


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
    gate = ["median.latency > 1.02", "median.latency > 1.5", "p99.9.latency > 1.1", "loss > 1%"]
    return compared(folder / "s1", folder / "s2", fail_if=gate)


def terminal(comparison: Comparison, width: int, *, every: bool = False) -> str:
    out = StringIO()
    show(comparison, Console(file=out, width=width), every=every)
    return out.getvalue()


@pytest.mark.parametrize("width", [80, 120, 200])
@pytest.mark.parametrize("every", [False, True])
def test_lines_fit_the_terminal(comparison: Comparison, width: int, every: bool) -> None:
    for line in terminal(comparison, width, every=every).splitlines()[1:]:
        assert len(line) <= width, line


@pytest.mark.parametrize("width", [80, 200])
def test_the_terminal_says_what_matters_at_any_width(comparison: Comparison, width: int) -> None:
    text = " ".join(terminal(comparison, width).split())
    assert "s2 vs. s1 (baseline), 3 cases: median RTT/2: 0 faster, 2 slower; p99 RTT/2" in text
    assert "; goodput: 0 faster, 1 slower; worst: " in text
    assert "were not interleaved" in text
    assert "▲ slower" in text and "▼ slower" in text
    assert text.startswith("✗ Gate failed: 2 missed")
    conditions = [
        text.index(f"{sign} {criterion}: ")
        for sign, criterion in zip("✗✓?", ["median.latency > 1.02", "median.latency > 1.5",
                                           "p99.9.latency > 1.1"], strict=True)
    ]  # fmt: skip
    assert conditions == sorted(conditions) and conditions[-1] < text.index("s2 vs. s1")
    assert "zenoh" in text and "(floor)" in text
    assert re.search(r"1\.0\d+ \[1\.0\d+, 1\.0\d+\]", text)


def test_all_figures_are_there_when_asked_for(comparison: Comparison) -> None:
    short, long = terminal(comparison, 160), terminal(comparison, 160, every=True)
    assert "p90 RTT/2" not in short.partition("Further")[0]
    for figure in ("mean RTT/2", "p90 RTT/2", "p99.99 RTT/2", "loss", "discovery"):
        assert figure in long
    assert "needs 100\N{NARROW NO-BREAK SPACE}000" in long


def test_markdown_has_tables_and_no_markup_of_others(comparison: Comparison) -> None:
    text = markdown(comparison, every=True)
    assert text.startswith("## Busmark comparison\n\n❌ **Gate failed")
    tables = [line for line in text.splitlines() if line.startswith("|")]
    assert len(tables) > 10
    for line in tables:
        assert line.endswith("|")
    rows = re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE)
    for table in rows:
        widths = {len(re.findall(r"(?<!\\)\|", row)) for row in table.splitlines()}
        assert len(widths) == 1
    assert "<b>" not in text and "](b)" not in text.replace("\\](b)", "")
    assert text.count("<details>") == text.count("</details>") > 2


def test_a_summary_is_html_not_markdown(comparison: Comparison) -> None:
    pairs = [pair.model_copy(update={"label": "a_b & <i>\n\n#1"}) for pair in comparison.pairs]
    text = markdown(comparison.model_copy(update={"pairs": pairs}), every=True)
    summaries = re.findall("<summary>(.*)</summary>", text)
    assert len(summaries) == text.count("<details>") > len(pairs)
    assert not any("\\" in summary for summary in summaries)
    assert summaries[-1].startswith("a_b &amp; &lt;i&gt; #1, ")


def test_junit_counts_what_it_holds(comparison: Comparison) -> None:
    root = ElementTree.fromstring(junit(comparison))
    assert root.tag == "testsuites"
    assert len(root) == 4
    for suite in root:
        cases = suite.findall("testcase")
        assert int(suite.attrib["tests"]) == len(cases) > 0
        for attribute, tag in (("failures", "failure"), ("skipped", "skipped")):
            assert int(suite.attrib[attribute]) == len(suite.findall(f"testcase/{tag}"))
        assert suite.attrib["errors"] == "0"
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", suite.attrib["timestamp"])
        assert [child.tag for child in suite][-2:] == ["system-out", "system-err"]
        assert suite[0].tag == "properties"
    names = [suite.attrib["name"] for suite in root]
    assert names[0] == "median.latency > 1.02"
    failed = root.findall("testsuite/testcase/failure")
    assert len(failed) == sum(judged.fails for judged in comparison.criteria)
    assert "is above 1.02" in failed[0].attrib["message"]


def test_a_policy_makes_failures_of_what_is_skipped(comparison: Comparison) -> None:
    strict = comparison.model_copy(update={
        "criteria": [
            judged.model_copy(update={"fails": judged.outcome != "met"})
            for judged in comparison.criteria
        ],
    })  # fmt: skip
    root = ElementTree.fromstring(junit(strict))
    assert not root.findall("testsuite/testcase/skipped")
    kinds = {f.attrib["type"] for f in root.findall("testsuite/testcase/failure")}
    assert kinds == {"missed", "undecided"}


def test_characters_that_xml_forbids_are_replaced(comparison: Comparison) -> None:
    first = comparison.criteria[0].model_copy(update={"label": "a\x00\x1b[0m<&\ud800"})
    text = junit(comparison.model_copy(update={"criteria": [first]}))
    case = ElementTree.fromstring(text).find("testsuite/testcase")
    assert case is not None
    assert case.attrib["name"] == "a\ufffd\ufffd[0m<&\ufffd"


class Tags(HTMLParser):
    """Elements that are open at the end, and what is loaded from elsewhere."""

    VOID = frozenset({"meta", "br", "line", "circle", "rect", "link", "img"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.loaded: list[str] = []
        self.links: list[str] = []
        self.ids: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag not in self.VOID:
            self.open.append(tag)
        if tag in ("script", "img", "link") or "src" in values:
            self.loaded.append(tag)
        if tag == "a" and values.get("href"):
            self.links.append(str(values["href"]))
        if values.get("id"):
            self.ids.append(str(values["id"]))

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.VOID:
            assert self.open.pop() == tag


def test_the_page_is_whole_and_loads_nothing(comparison: Comparison) -> None:
    tags = Tags()
    page = render(comparison)
    tags.feed(page)
    assert not tags.open
    assert not tags.loaded
    assert {link.removeprefix("#") for link in tags.links} <= set(tags.ids)
    assert MARKUP not in page
    assert page.count("<svg") == len(comparison.pairs)


def test_middlewares_have_their_own_colour_on_the_page(comparison: Comparison) -> None:
    named = re.findall(r'color:(#\w{6})" aria-hidden="true">.</span>([^<]*)<', render(comparison))
    of_pairs = {pair.label: pair.adapter for pair in comparison.pairs if pair.label}
    assert len(of_pairs) > 1 and all(of_pairs.values())
    told = {name.removesuffix(" (floor)"): colour for colour, name in named}
    assert told == {name: look_of(adapter).colour for name, adapter in of_pairs.items()}


def test_a_page_is_the_same_twice(comparison: Comparison) -> None:
    assert render(comparison) == render(comparison)
