"""What the five source documents ask of tables, row by row: results that were recorded, beside what
the documents print."""

from __future__ import annotations

import tarfile
import tomllib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from seams import done, reviewed, run
from synthetic_campaign import Builder, samples_around

import busmark as package
from busmark.cli.documents import show
from busmark.compare.campaign import summarise
from busmark.facts import adapter_facts
from busmark.plugins.papers.blocks import document
from busmark.plugins.papers.repetition import Repetition, repetition
from busmark.plugins.papers.xrce_2022.captured import of_file
from busmark.present.document import Document
from busmark.store import Result

RECORDED = Path(__file__).parents[4] / "tests" / "oracles" / "results"
SEGMENTS = (
    "Send Source",
    "Send",
    "Send Arrival",
    "Echo Source",
    "Echo",
    "Echo Arrival",
    "Trip",
    "Inter arrival",
)
BEST = ("100 %", "99.9 %", "99 %", "90 %")


Recorded = Callable[[str], tuple[Path, Repetition]]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    @cache
    def unpacked(name: str) -> tuple[Path, Repetition]:
        folder = tmp_path_factory.mktemp(name)
        with tarfile.open(RECORDED / f"{name}.tar.xz") as archive:
            archive.extractall(folder, filter="data")
        (manifest,) = folder.rglob("manifest.json")
        found = repetition(summarise(Result(manifest.parent), with_series=False))
        assert found is not None
        return manifest.parent, found

    return unpacked


def tables(found: Repetition, title: str) -> list[Any]:
    every = [table for section in document(found).sections for table in section.tables]
    return [table for table in every if title in table.title]


def columns(table: Any) -> dict[str, list[Any]]:
    return {
        c.title: [c_.text if c_.value is None else c_.value for c_ in c.cells]
        for c in table.columns
    }


def test_d1_every_segment_has_its_best_shares_in_the_columns_of_the_slides(
    recorded: Recorded,
) -> None:
    _, found = recorded("determinism")
    measured = [case for case in found.campaign.cases if case.has_pings]
    own = [columns(table) for table in tables(found, "with traffic") if len(table.columns) == 7]
    assert len(own) == len(measured)
    for table in own:
        assert list(table) == ["Segment", "Best", "cnt", "min, µs", "avg, µs", "max, µs", "dev, µs"]
        rows = list(zip(table["Segment"], table["Best"], strict=True))
        assert rows == [(segment, best) for segment in SEGMENTS for best in BEST]
        for place in range(0, len(rows), len(BEST)):
            whole = table["cnt"][place]
            kept = [int(whole * share / 1000) for share in (1000, 999, 990, 900)]
            assert table["cnt"][place : place + len(BEST)] == kept
            highest = table["max, µs"][place : place + len(BEST)]
            assert highest == sorted(highest, reverse=True)
    (printed,) = tables(found, "Output of the transceiver: time-sharing")
    there = columns(printed)
    trip = there["Segment"].index("Trip")
    assert [there[c][trip] for c in list(there)[2:]] == [3872, 321, 340, 406, "7.81"]


def test_d3_discovery_has_creation_discovery_and_losses_of_each_way(recorded: Recorded) -> None:
    _, found = recorded("pother-discovery")
    own, there = (columns(table) for table in tables(found, "Writer and reader discovery"))
    assert {"writer", "writer with participant", "reader", "reader with participant"} == {
        *own["New"]
    }
    for created, until, after, lost in zip(
        own["Creation-time, µs"],
        own["Discovery-time, µs"],
        own["So discovered, µs"],
        own["Lost before discovered"],
        strict=True,
    ):
        assert isinstance(created, float) and isinstance(until, float) and isinstance(lost, float)
        assert str(after).endswith("after" if until > created else "before")
    assert len(there["New"]) == 11
    assert there["So discovered, µs"][:8] == [
        "7.00 after",
        "17.0 after",
        "237 before",
        "113 before",
        "3.00 after",
        "2.00 after",
        "23.0 after",
        "27.0 after",
    ]


def test_d5_jitter_stands_by_class_and_priority_beside_the_slides(recorded: Recorded) -> None:
    _, found = recorded("determinism")
    rows = [
        (row, trip, jitter)
        for table in map(columns, tables(found, "Round trips at 1000 Hz"))
        for row, trip, jitter in zip(
            zip(table["Class"], table["Transport priority"], strict=True),
            table["Round trip, µs"],
            table["Jitter (dev), µs"],
            strict=True,
        )
    ]
    assert {row for row, *_ in rows} == {
        (group, priority) for group in ("time-sharing", "real-time 30") for priority in (0, 100)
    }
    assert all(isinstance(trip, float) and isinstance(jitter, float) for _, trip, jitter in rows)
    (there,) = map(columns, tables(found, "Network latency figures on Linux"))
    assert there["Round trip, µs"] == [323.0, 316.0, 316.0]
    assert there["Jitter (dev), µs"] == ["< 34.0", "< 8.00", "< 8.00"]


def test_e2_the_share_of_jitter_is_the_one_of_all_outputs(recorded: Recorded) -> None:
    directory, found = recorded("openddsbench-latency")
    shown = [
        share
        for table in map(columns, tables(found, "UDP: "))
        for share in table["Median |jitter| / median"]
    ]
    every = package.open(directory).estimates.filter(
        (pl.col("quantity") == "jitter_share")
        & (pl.col("statistic") == "median")
        & (pl.col("scope") == "case")
    )
    assert shown == pytest.approx([100 * value for value in every["value"]])


def test_b5_every_deployment_has_the_papers_rows_of_latency_throughput_and_lengths(
    recorded,
) -> None:  # type: ignore[no-untyped-def]
    _, found = recorded("xrce")
    spread = ["Min ({})", "Max ({})", "Avg. ({})", "Std. Dev. ({})"]
    for title, unit, square in (("Latency", "ms", "ms ²"), ("Throughput", "Mbps", "(Mbps) ²")):
        own = [columns(table) for table in tables(found, title)]
        names = [*(name.format(unit) for name in spread), f"Var. ({square})"]
        assert own and all(table["Criteria"][:5] == names for table in own)
        for table in own:
            for name, values in table.items():
                if name != "Criteria" and values[3]:
                    low, high, mean, deviation, variance = (float(str(v)) for v in values[:5])
                    assert low <= mean <= high
                    assert variance == pytest.approx(deviation**2, rel=0.02, abs=0.002)
    for table in map(columns, tables(found, "Packet lengths")):
        assert table["Criteria"][:2] == ["Avg. (bit)", "Total (bit)"]
        assert {"Number of Sent", "Number of Recv."} <= {*table["Criteria"]}


def test_d8_what_adapters_declare_stands_beside_the_slide_of_three_products(
    recorded: Recorded,
) -> None:
    directory, found = recorded("determinism")
    (own,), (there,) = (
        list(map(columns, tables(found, title)))
        for title in ("Declared by the adapters", "API compliance and portability")
    )
    declared = Result(directory).manifest.adapters
    assert set(own["Middleware"]) == {each["title"] for n, each in declared.items() if n != "null"}
    for place, title in enumerate(own["Middleware"]):
        (adapter,) = [each for each in declared.values() if each["title"] == title]
        assert own["QoS policies"][place] == len(adapter["qos"])
        assert own["WaitSets"][place] == ("yes" if "waitset" in adapter["waits"] else "no")
    assert there["DDS2"][-2:] == ["none", "none"] and len(there["Property"]) == 6


PAPERS = Path(package.__file__).parent / "plugins" / "papers"


def test_d8_each_dds_has_the_rows_of_the_slides_for_its_interface(recorded: Recorded) -> None:
    known = tomllib.loads((PAPERS / "pother_2008" / "api.toml").read_text(encoding="utf-8"))
    dds = {name for name, facts in adapter_facts().items() if facts.family == "dds"}
    own = {known["same_as"].get(name, name) for name in dds}
    assert {*known["language"]} == own and {*known["same_as"]} <= dds
    for row in known["row"]:
        assert {*row} - {"slide", "title"} == own, row["title"]
        assert all(row[name].strip() for name in own), row["title"]
    titles = [row["title"] for row in known["row"]]
    assert len({*titles}) == len(titles) == 22
    # The rows that slide 2/4 has of three products.
    _, found = recorded("determinism")
    (there,) = map(columns, tables(found, "API compliance and portability"))
    assert there["Property"] == [row["title"] for row in known["row"] if row["slide"] == "2/4"]
    (shown,) = map(columns, tables(found, "The interfaces"))
    assert shown["Property"] == titles and len(shown) > 2


CAPTURES = Path(__file__).parents[5] / "crates" / "busmark-packets" / "tests" / "data"


@pytest.mark.parametrize(
    ("name", "heading", "by", "stamps"),
    [
        ("D2-tcp-r-50.pcapng", "TCP-R 50p, A → B → C", "ACKNACK", None),
        ("D1-udp-be-50.pcapng", "UDP-BE 50p, A → B", "", None),
        ("D1-udp-be-50.pcapng", "UDP-BE 50p, A → B", "application", "D1-udp-be-50.truth.jsonl"),
    ],
)
@pytest.mark.usefixtures("captures_can_be_read")
def test_b5_a_capture_has_the_papers_rows_as_far_as_its_packets_say_them(
    name: str, heading: str, by: str, stamps: str | None
) -> None:
    made = of_file(CAPTURES / name, CAPTURES / stamps if stamps else None)
    latency, throughput, lengths, *_ = (columns(t) for s in made.sections for t in s.tables)
    assert dict(zip(latency["Criteria"], latency[heading], strict=True))["L until"] == by
    # Without a confirmation there is no L, hence no Eq. 2.
    assert bool(latency[heading][0]) == bool(throughput[heading][0]) == bool(by)
    assert lengths[heading][-2:] == ["50", "50"]
    if stamps:
        # All samples have one length: the least of Eq. 2 is it by the greatest L.
        bits, most_ms, least_mbps = (
            float(of[heading][at].replace("\u202f", ""))
            for of, at in ((lengths, 0), (latency, 1), (throughput, 0))
        )
        assert least_mbps == pytest.approx(bits / most_ms / 1e3, rel=2e-3)


@pytest.mark.usefixtures("captures_can_be_read")
def test_a_paper_of_reports_is_refused_for_a_capture() -> None:
    capture = CAPTURES / "D1-udp-be-50.pcapng"
    ended = run("papers", "show", capture, "--paper", "perftest-2023")
    assert ended.code == 2 and ended.error and ended.error.where == "--paper"
    done("papers", "show", capture)
    whole = run("papers", "show", CAPTURES / "cyclonedds.pcapng.gz")
    assert whole.code == 2 and "over several hops" in whole.text


def test_a7_the_document_of_a_pack_has_the_figures_of_busmark_itself(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    build, rng = Builder(tmp_path), np.random.default_rng(7)
    for adapter, at in (("cyclonedds", 20_000.0), ("null", 900.0)):
        for size in (32, 1024):
            case = build.case(f"{adapter}-{size}", size=size, adapter=adapter)
            for number in range(3):
                build.pings(case, number, samples_around(at + size, 300, rng))
    result = Result(build.finish(scenario={"document": "perftest-2023"}))
    found = repetition(summarise(result))
    assert found is not None
    (section,) = [each for each in document(found).sections if each.title == "Floor"]
    ((names, figures, rounds),) = [table.columns for table in section.tables]
    assert [cell.value for cell in names.cells] == ["latency, 32 B", "latency, 1 KiB"]
    assert [cell.value for cell in figures.cells] == pytest.approx([466, 962], rel=0.05)
    assert all(cell.low is not None and cell.unit == "ns" for cell in figures.cells)
    assert [cell.value for cell in rounds.cells] == [3, 3]
    show(Document("", [], [section]))
    reviewed(Path(__file__).parent / "golden" / "floor.txt", capsys.readouterr().out)
