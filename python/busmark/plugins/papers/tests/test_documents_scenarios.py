"""The packs' scenarios have what the documents list, counted against tables typed from them."""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import Any

import pytest
from documents_campaigns import planned

from busmark.store import Case

SIZES = [2**n for n in range(2, 15)]
"""Tables 7 to 9: 2² to 2¹⁴."""

UP_TO_4096 = [size for size in SIZES if size <= 4096]
"""Figures 21 to 24."""

DDS_PAYLOADS = ["octet", "char", "short", "long", "float", "struct"]
"""Table 8."""

CORBA_PAYLOADS = [*DDS_PAYLOADS, "any"]
"""Table 7."""

QOS = list(product(["best_effort", "reliable"], ["keep_all", "keep_last"], [10.0, None]))
"""Table 4; a finite lifespan is 10 s, None is infinite."""

DDS = ["fastdds", "rti"]
"""In the places of the two DDS of the thesis."""

ASCENT = [(1000, 10000), (2000, 20000), (3000, 30000), (4000, 40000), (5000, 50000)]
"""Rate and size of the steepest ascent."""


def points(cases: list[Case], **fixed: Any) -> Counter[tuple[Any, ...]]:
    """Count adapter, payload, size and QoS of the cases with these parameters."""
    chosen = [
        c.params.declared()
        for c in cases
        if all(getattr(c.params, k) == v for k, v in fixed.items())
    ]
    return Counter(
        (
            p["adapter"],
            p["payload"],
            p["size"],
            (p["qos"].get("reliability"), p["qos"].get("history"), p["qos"].get("lifespan_s")),
        )
        for p in chosen
    )


@pytest.fixture(scope="module")
def full() -> list[Case]:
    return planned("middlemeasure-2010/full")[1]


@pytest.fixture(scope="module")
def quick() -> list[Case]:
    return planned("middlemeasure-2010/quick")[1]


@pytest.mark.parametrize(
    "fixed",
    [
        {"test": "latency", "subscribers": 1},
        {"test": "latency", "subscribers": 3},
        {"test": "throughput", "subscribers": 1, "publishers": 1},
    ],
    ids=["single latency", "multiple latency", "single throughput"],
)
def test_dds_has_every_payload_size_and_qos_of_table_8(
    full: list[Case], fixed: dict[str, Any]
) -> None:
    listed = set(product(DDS, DDS_PAYLOADS, SIZES, QOS))
    assert len(listed) == 2 * 6 * 13 * 8
    assert listed <= points(full, load=None, **fixed).keys()


@pytest.mark.parametrize("test", ["latency", "throughput"])
def test_corba_and_sockets_have_every_payload_and_size(full: list[Case], test: str) -> None:
    found = {key[:3] for key in points(full, test=test, subscribers=1)}
    assert set(product(["omniorb"], CORBA_PAYLOADS, SIZES)) <= found
    assert set(product(["tcp", "udp"], DDS_PAYLOADS, SIZES)) <= found


def test_receivers_and_publishers_are_those_of_the_figures(full: list[Case]) -> None:
    for adapter, receivers, reliability in product(DDS, range(1, 6), ["reliable", "best_effort"]):
        found = points(full, test="throughput", adapter=adapter, subscribers=receivers)
        qos = (reliability, "keep_all", 10.0)
        assert {(adapter, "octet", size, qos) for size in UP_TO_4096} <= found.keys()
    for adapter, publishers in product(DDS, (3, 5)):
        found = points(full, test="throughput", adapter=adapter, publishers=publishers)
        qos = ("reliable", "keep_all", None)
        assert {(adapter, "octet", size, qos) for size in SIZES} <= found.keys()


def test_loads_are_those_of_figure_14_and_appendix_a(full: list[Case]) -> None:
    disk = points(full, test="throughput", load="disk 20MB")
    assert {("omniorb", "struct", size) for size in SIZES} <= {key[:3] for key in disk}
    net = points(full, test="latency", load="net 100mbit", subscribers=3)
    qos = ("best_effort", "keep_last", None)
    assert {("rti", "octet", size, qos) for size in UP_TO_4096} <= net.keys()


def test_full_runs_20_times_2000_samples_and_batches_of_4000() -> None:
    scenario, cases = planned("middlemeasure-2010/full")
    assert (scenario.rounds.min, scenario.measure.samples) == (20, 2000)
    assert {c.params.batch for c in cases if c.params.test == "throughput"} == {4000}


def test_only_structures_that_do_not_fit_their_size_are_unsupported(full: list[Case]) -> None:
    # Loads need tools that not every machine has.
    refused = [c.params.declared() for c in full if c.status == "unsupported" and not c.params.load]
    assert {(p["payload"], p["size"]) for p in refused} == {("struct", 4), ("struct", 8)}


def test_quick_has_each_test_payload_qos_and_load_of_full_once(
    quick: list[Case], full: list[Case]
) -> None:
    def kinds(cases: list[Case]) -> set[tuple[Any, ...]]:
        found: set[tuple[Any, ...]] = set()
        for p in (case.params.declared() for case in cases):
            qos = tuple(sorted((k, v) for k, v in p["qos"].items() if k != "depth"))
            one = (p["test"], p["publishers"] > 1, p["subscribers"] > 1)
            found |= {("test", p["adapter"], *one), ("load", bool(p["load"]))}
            if p["test"] == "latency" and p["adapter"] in (*DDS, "omniorb"):
                found |= {("payload", p["adapter"], p["payload"])}
            if p["test"] == "latency" and p["subscribers"] == 1 and p["adapter"] in DDS:
                found |= {("qos", p["adapter"], qos)}
        return found

    # Cyclone DDS stands for nothing that the thesis measured: quick has it in single tests only.
    beside = {
        ("test", "cyclonedds", test, *n)
        for test in ("latency", "throughput")
        for n in ((True, False), (False, True))
    }
    assert kinds(full) - kinds(quick) == beside & kinds(full)


@pytest.mark.parametrize(("size", "scale"), [("quick", 10), ("full", 1)])
def test_the_ascent_has_its_five_pairs_in_both_topologies(size: str, scale: int) -> None:
    _, cases = planned(f"openddsbench-2010/{size}")
    wanted = [(rate / scale, length) for rate, length in ASCENT]
    for topology, readers in (("bidirectional", 1), ("one_way", 2)):
        for adapter, reliability in product(
            ("opendds", "cyclonedds", "fastdds"), ("best_effort", "reliable")
        ):
            found = [
                (c.params.rate_hz, c.params.size)
                for c in cases
                if (c.params.adapter, c.params.topology) == (adapter, topology)
                and c.params.qos["reliability"] == reliability
            ]
            assert found == wanted
        nodes = {
            c.params.reader_on
            for c in cases
            if c.params.topology == topology and c.params.adapter != "tcp"
        }
        assert nodes == ({"n2"} if readers == 1 else {"n2+n3"})
