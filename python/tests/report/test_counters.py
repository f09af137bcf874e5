"""The kernel's counters of swap and of the network: summed once, and in every output."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import openpyxl
import polars as pl
import pytest
from busmark.compare.campaign import summarise
from busmark.estimate.resources import counters
from click.testing import CliRunner, Result
from synthetic_campaign import Builder, samples_around

import busmark
from busmark.cli.main import busmark as command
from busmark.model.quantities.counters import COUNTERS
from busmark.present.blocks.campaign import document
from busmark.present.sinks.notebook import sources
from busmark.store import Result as Stored
from busmark.store.columns import SYSTEM, polars_schema

COUNTS = {
    "host": {"swap_in_pages": 7}, "network": {"tcp_retransmits": 7, "udp_in_errors": 0},
    "interface": {"rx_bytes": 7},
}  # fmt: skip
STEP = 250_000_000


def table(*rows: tuple[int, str, dict[str, int | None]]) -> pl.DataFrame:
    """Rows of the table `system`: number of the interval, scope, counts."""
    schema = polars_schema("system")
    return pl.DataFrame(
        [{"start_ns": n * STEP, "duration_ns": STEP, "scope": scope, **counts}
         for n, scope, counts in rows],
        schema=schema,
    )  # fmt: skip


def test_counts_within_the_measured_time_are_summed_over_rounds() -> None:
    rows = [(n, "network", {"tcp_retransmits": 1}) for n in (-1, 0, 1, 2)]
    assert counters([table(*rows), table(*rows)], [0.5, 0.75]) == {"tcp_retransmits": 5}


def test_a_sum_with_an_unknown_part_is_absent_and_so_is_what_nobody_counted() -> None:
    rows = table(
        (0, "interface", {"rx_bytes": 5, "tx_bytes": None}), (0, "interface", {"rx_bytes": 7}),
        (0, "host", {"swap_in_pages": 0}),
    )  # fmt: skip
    assert counters([rows], [1.0]) == {"rx_bytes": 12, "swap_in_pages": 0}
    assert counters([], []) == {}


def test_each_counter_is_a_column_of_the_table() -> None:
    assert {one.column for one in COUNTERS} <= {column.name for column in SYSTEM}


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One case with counters, one without."""
    made = Builder(tmp_path_factory.mktemp("counters") / "result")
    rng = np.random.default_rng(5)
    for name in ("udp-64", "tcp-64"):
        case = made.case(name, adapter=name[:3], transport=name[:3])
        for number in range(3):
            made.pings(case, number, samples_around(20_000.0, 500, rng))
            rows = table(*((n, scope, own) for n in range(8) for scope, own in COUNTS.items()))
            if name == "tcp-64":
                made._write("system", case, number, rows, None)
    return made.finish()


def run(*arguments: str) -> Result:
    return CliRunner().invoke(command, [*arguments], terminal_width=200)


def test_every_output_has_them(directory: Path, tmp_path: Path) -> None:
    ended = run("show", str(directory), "--json")
    cases = {case["id"]: case["counters"] for case in json.loads(ended.stdout)["cases"]}
    assert cases["udp-64"] == {}
    assert cases["tcp-64"] == {
        name: 3 * 8 * count for own in COUNTS.values() for name, count in own.items()
    }

    estimates = busmark.open(directory).estimates.filter(quantity="swap_in_pages")
    assert estimates.select("case", "value", "unit").rows() == [("tcp-64", 168.0, "")]

    listed = run("show", f"{directory}#tcp-64").stdout
    for line in ("Pages from swap", "TCP retransmissions", "UDP errors in", "168 B"):
        assert line in listed
    assert "Counters of the system" not in run("show", f"{directory}#udp-64").stdout

    ended = run("report", str(directory), "--to", "html,xlsx,markdown,csv", "--out", str(tmp_path))
    assert ended.exit_code == 0, ended.output
    page = (tmp_path / "report.html").read_text("utf-8")
    assert "Counters of the system" in page and "Pages from swap" in page
    text = (tmp_path / "report.md").read_text("utf-8")
    heads = "| Case | Pages from swap | TCP retransmissions | Interfaces in, B |"
    assert heads in text and "| tcp-64 | 168 | 168 | 168 |" in text
    assert "0 in all cases: UDP errors in" in text
    assert "tcp-64,case,,,tcp_retransmits,count" in (tmp_path / "csv/estimates.csv").read_text()
    sheet = openpyxl.load_workbook(next(tmp_path.glob("*.xlsx")))["Cases"]
    cells = [cell.value for row in sheet.iter_rows() for cell in row]
    assert {"swap in pages", "udp in errors", "rx bytes, B", 168} <= set(cells)
    cells = [cell.text for cell in sources(document(summarise(Stored(directory))))]
    assert any("Pages from swap" in text and "| tcp-64 |" in text for text in cells)


def test_swapping_and_retransmissions_have_a_column_where_there_are_some(directory: Path) -> None:
    shown = run("show", str(directory), "--wide").stdout
    assert "retransmissions" in shown
    assert "Interfaces in" not in shown


def test_a_counter_can_be_required_to_be_zero(directory: Path) -> None:
    for name, code in (("swap_in_pages", 1), ("udp_in_errors", 0)):
        require = f"{name} <= 0 where adapter=tcp"
        assert run("show", str(directory), "--require", require).exit_code == code
