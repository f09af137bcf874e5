"""Flows of the scenario's own: their latency, and that the case's own figures do not count it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from form_files import files
from own_flows_campaign import ASKED, FLOW_NS, LOST, PINGS, ROUNDS, add, campaign, flows, samples
from printed import show, show_cases
from rich.console import Console
from synthetic_campaign import Builder, samples_around

import busmark
from busmark.compare import compare, select
from busmark.compare.campaign import summarise
from busmark.estimate.case import CaseSummary
from busmark.estimate.flows import kinds, own_flows, totals
from busmark.estimate.latencies import round_samples
from busmark.findings.view import CaseView
from busmark.model.figure import TAILS
from busmark.model.parameters import Parameters
from busmark.present.pages import render
from busmark.store import Result
from busmark.store.columns import polars_schema
from busmark.store.result import file_stem


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Result:
    return campaign(tmp_path_factory.mktemp("beside"), beside=True)


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Result:
    return campaign(tmp_path_factory.mktemp("alone"), beside=False)


@pytest.fixture(scope="module")
def case(result: Result) -> CaseSummary:
    (found,) = summarise(result).cases
    return found


def test_the_figures_of_the_case_are_those_that_it_has_alone(
    case: CaseSummary, alone: Result, result: Result
) -> None:
    (other,) = summarise(alone).cases
    assert case.latency == other.latency and case.latency is not None
    assert case.latency.sent == ROUNDS * 900
    assert case.series == other.series
    both = zip(round_samples(result, case), round_samples(alone, other), strict=True)
    for here, there in both:
        assert here.latency_ns.tolist() == there.latency_ns.tolist()
    known = [busmark.open(each.directory).latencies("udp-64") for each in (result, alone)]
    assert known[0].equals(known[1])
    views = [CaseView(each.manifest.cases[0], each) for each in (result, alone)]
    assert [{n: s.tolist() for n, s in v.latencies.items()} for v in views[:1]] == [
        {n: s.tolist() for n, s in v.latencies.items()} for v in views[1:]
    ]


def test_a_comparison_with_the_case_alone_finds_no_difference(
    result: Result, alone: Result
) -> None:
    sides = select([str(alone.directory), str(result.directory)], (), None)
    (pair,) = compare(sides, by=("beside",)).pairs
    found = [change.change.value for change in pair.changes if change.change]
    assert found and set(found) <= {0.0, 1.0}


def test_pings_of_a_flow_have_half_their_round_trip_the_lost_later_than_any(
    case: CaseSummary,
) -> None:
    command, _ = case.own_flows
    assert (command.kind, command.size) == ("pings", 32)
    found = command.latency
    assert found and found.quantity == "half_round_trip"
    assert found.count == ROUNDS * (PINGS - LOST)
    assert found.median.value == FLOW_NS / 2 and found.median.rounds == ROUNDS
    assert found.median.low is not None and found.max_ns == FLOW_NS / 2
    # 2 % are lost, so the 99th percentile falls among them.
    assert found.p99 is None and command.by_round
    assert [key for key in TAILS if command.by_round.hides(key)] == ["p99", "p999"]
    assert (command.asked, command.unanswered) == (ROUNDS * PINGS, ROUNDS * LOST)


def test_probes_of_a_flow_have_their_one_way_latency(case: CaseSummary) -> None:
    _, bulk = case.own_flows
    found = bulk.latency
    assert found and found.quantity == "one_way" and found.median.value == 400_000
    assert (found.count, bulk.asked, bulk.unanswered) == (ROUNDS * 49, ROUNDS * 50, ROUNDS)
    assert bulk.total.theoretical_per_s is None, "full speed asks for no rate"
    assert bulk.total.read_per_s and bulk.total.read_per_s.value == 4000.0
    assert (bulk.total.expected, bulk.total.lost) == (ROUNDS * 500, ROUNDS * 10)


def test_participants_and_the_whole_are_summed_over_all_flows(case: CaseSummary) -> None:
    known = {(total.scope, total.name): total for total in case.totals}
    assert [*known] == [
        ("participant", "active"), ("participant", "console"), ("participant", "passive"),
        ("participant", "plant"), ("system", "all"),
    ]  # fmt: skip
    console, plant = known["participant", "console"], known["participant", "plant"]
    assert console.written_per_s and console.written_per_s.value == 5020.0
    # A part of it is at full speed: what was to be written is not a number.
    assert console.asked_per_s is None and console.read_per_s is None and console.expected is None
    assert plant.read_per_s
    assert plant.read_per_s.value == pytest.approx(4000 + 20.0 * (PINGS - LOST) / PINGS)
    assert plant.written_per_s is None and plant.lost == ROUNDS * (LOST + 10)
    whole = known["system", "all"]
    assert whole.sent == ROUNDS * (2000 + PINGS + 500)
    assert whole.lost == ROUNDS * (LOST + 10)


def test_nodes_are_summed_over_their_participants() -> None:
    who = pl.DataFrame({
        "participant": ["active", "console", "passive", "plant"], "node": ["n1", "n1", "n2", "n2"],
    })  # fmt: skip
    tables = [flows("a", number).cast({"theoretical_per_s": pl.Float64}) for number in range(2)]
    found = {
        (t.scope, t.name): t for t in totals(tables, [who], kinds(Parameters.model_validate(ASKED)))
    }
    first, second = found["node", "n1"], found["node", "n2"]
    assert first.sent == 2 * (2000 + PINGS + 500) and first.expected is None
    assert second.received == 2 * (2000 + PINGS - LOST + 490) and second.sent is None
    assert first.written_per_s and first.written_per_s.value == 1000 + 20 + 5000


def test_who_reads_a_part_only_does_not_lessen_what_was_to_be_written() -> None:
    """A filter lets a quarter through."""
    table = flows("a", 0).filter(flow="command").with_columns(
        expected=pl.lit(PINGS // 4), theoretical_per_s=pl.lit(5.0)
    )  # fmt: skip
    (console, plant, _) = totals([table], [], {"command": "stream"})
    assert (console.asked_per_s, plant.theoretical_per_s) == (20.0, 5.0)


def test_probes_between_two_clocks_have_half_their_round_trip() -> None:
    """The reader's clock is an hour ahead: its stamps say nothing about one way."""
    ahead = samples("a", 0).with_columns(
        pl.when(pl.col("role") == "receiver")
        .then(pl.col("read_ns") + 3_600 * 10**9)
        .otherwise("read_ns")
        .alias("read_ns")
    )
    schema = polars_schema("samples")
    absent = [pl.lit(None, dtype=t).alias(n) for n, t in schema.items() if n not in ahead.columns]
    ahead = ahead.with_columns(absent)
    for one_clock, quantity, median in ((True, "one_way", None), (False, "half_round_trip", 450e3)):
        _, bulk = own_flows(
            Parameters.model_validate(ASKED), [flows("a", 0)], [(0, ahead, one_clock)]
        )
        assert bulk.latency and bulk.latency.quantity == quantity
        assert median is None or bulk.latency.median.value == median


def test_a_flow_whose_median_is_lost_says_so(tmp_path: Path) -> None:
    build = Builder(tmp_path)
    name = build.case("udp-64", **ASKED)
    build.pings(name, 0, samples_around(13_500, 900, np.random.default_rng(4)))
    stem = f"{file_stem(name, 0)}.parquet"
    gone = samples(name, 0).with_columns(
        pl.when(pl.col("seq") < 300).then(None).otherwise("read_ns").alias("read_ns")
    )
    add(tmp_path / "samples" / stem, "samples", gone)
    add(tmp_path / "flows" / stem, "flows", flows(name, 0))
    (found,) = summarise(Result(build.finish()), with_series=False).cases
    command = found.own_flows[0]
    assert command.latency is None and command.hidden
    console = Console(record=True, width=200)
    show_cases([found], console)
    assert "lost: 75 %" in console.export_text()


def test_terminal_page_frame_and_csv_have_the_same(result: Result, tmp_path: Path) -> None:
    found = summarise(result)
    console = Console(record=True, width=200)
    show(found, console)
    shown = console.export_text()
    assert "Beside what is measured" in shown
    line = next(line for line in shown.splitlines() if line.strip().startswith("command"))
    assert "RTT/2" in line and "1\N{NARROW NO-BREAK SPACE}500" in line and " 24 " in line
    assert "lost: 2.0 %" in line
    console = Console(record=True, width=200)
    show_cases(found.cases, console)
    details = console.export_text()
    assert "Flows beside what is measured" in details and "all together" in details
    page = render(found)
    assert "Beside what is measured" in page
    frame = busmark.open(result.directory).estimates
    files("csv", result, found, tmp_path)
    for table in (frame, pl.read_csv(tmp_path / "csv" / "estimates.csv")):
        of_flows = table.filter(pl.col("scope") == "flow", pl.col("over") == "rounds")
        of_flows = of_flows.filter(pl.col("of").is_in(["command", "bulk"]))

        def figures(
            name: str, quantity: str, rows: pl.DataFrame = of_flows
        ) -> dict[str, float | None]:
            rows = rows.filter(pl.col("statistic") == name, pl.col("quantity") == quantity)
            return dict(rows.select("of", "value").iter_rows())

        latencies = figures("median", "half_round_trip") | figures("median", "one_way")
        assert latencies == {"command": FLOW_NS / 2, "bulk": 400_000}
        assert figures("count", "unanswered") == {"command": ROUNDS * LOST, "bulk": ROUNDS}
        assert figures("p99", "half_round_trip")["command"] is None


def test_a_narrow_terminal_keeps_latency_and_loss(result: Result) -> None:
    console = Console(record=True, width=80)
    show(summarise(result, with_series=False), console)
    text = console.export_text()
    for word in ("command", "bulk", "RTT/2", "one way", "1\N{NARROW NO-BREAK SPACE}500"):
        assert word in text, text
    assert max(map(len, text.splitlines())) <= 80
