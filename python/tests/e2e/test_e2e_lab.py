"""Campaigns on the nodes of a lab: real middleware across an emulated network."""

from __future__ import annotations

import shutil
import subprocess

import polars as pl
import pytest
from e2e_harness import Lab, events, need_adapters, rows, scenario

from busmark.plugins.lab.lab import labs
from busmark.store import Result

pytestmark = pytest.mark.usefixtures("lab_is_possible")

MEASURE = "duration_s = 0.2\nwarmup_s = 0.05"
LARGE = 4000
"""More than two packets carry."""


def namespaces() -> set[str]:
    listed = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=True)
    return {line.split()[0] for line in listed.stdout.splitlines()}


def on_nodes(matrix: str, nodes: int = 2) -> str:
    return scenario(matrix, measure=MEASURE, rounds="min = 1", also=f"[lab]\nnodes = {nodes}")


@pytest.fixture(scope="module")
def delayed(shared_lab: Lab, lab_is_possible: None) -> Result:
    """Run a round of each, captured where that can be done.

    Fast DDS 3 finds nobody on nodes of one machine-id: see `network.OVER_ETC`."""
    need_adapters("udp", "cyclonedds", "fastdds3")
    matrix = 'adapter = ["udp", "cyclonedds", "fastdds3"]\nlink.delay = "2ms"'
    large = f'[[also]]\nadapter = ["udp", "cyclonedds"]\nsize = {LARGE}\n[also.link]\ndelay = ""\n'
    text = scenario(matrix, measure=MEASURE, rounds="min = 1", also=f"{large}\n[lab]\nnodes = 2")
    captured = str(bool(shutil.which("dumpcap"))).lower()
    shared_lab.campaign(f"capture = {captured}\n{text}")
    shared_lab.assert_nothing_left()
    return Result(shared_lab.folder / "result")


def test_round_trips_take_their_delay_and_nothing_is_left(delayed: Result) -> None:
    table = rows(delayed.directory)
    assert [bool(row["link_delay"]) for row in table] == [True] * 3 + [False] * 2
    for row in table:
        assert row["status"] == "ok"
        assert (row["writer_on"], row["reader_on"]) == ("n1", "n2")
        if row["link_delay"]:
            assert row["median_ns"] >= 4_000_000
    made = [event for event in events(delayed.directory) if event["event"] == "lab"]
    assert [each["links"]["delay_s"] for each in made if each["links"]["delay_s"]] == [0.002]
    assert all(each["measured"]["round_trips"] > 0 for each in made)
    names = {each["name"] for each in made}
    assert not names & {each.name for each in labs()}
    assert not any(name in space for name in names for space in namespaces())


@pytest.mark.usefixtures("allowed")
def test_the_pieces_of_a_large_sample_are_one_passage(delayed: Result) -> None:
    for row in rows(delayed.directory):
        if row["capture_dropped"] or row["size"] != LARGE:
            continue
        hops, wire = delayed.table("hops", row["case"], 0), delayed.table("wire", row["case"], 0)
        assert hops is not None and wire is not None
        measured = hops.filter(~pl.col("warm_up"))
        # Both ends of the link, and each way.
        assert set(measured["node"].unique()) == {"n1", "n2"} and measured["hop"].n_unique() == 4
        first = measured.filter(pl.col("repeated") == 0)
        assert set(first.group_by("writer", "seq", "answered").len()["len"]) == {2}
        assert measured["packets"].min() == 3 and measured["wire_bytes"].min() > LARGE + 3 * 34
        data = wire.row(by_predicate=pl.col("purpose") == "data", named=True)
        # Counted at one end of the link.
        assert data["packets"] == hops.filter(pl.col("node") == "n1")["packets"].sum()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (scenario('adapter = "null"\nlink.delay = "2ms"'), "matrix.link needs a lab"),
        (on_nodes('adapter = "null"\nwriter_on = "n7"'), "there is no node 'n7'"),
        (on_nodes('adapter = "null"', nodes=1), "a lab has 2 nodes at least"),
    ],
)
def test_a_scenario_with_a_wrong_network_is_refused(lab: Lab, text: str, says: str) -> None:
    lab.scenario(text)
    ended = lab.quickly("plan", "scenario.toml")
    assert ended.code == 2
    assert says in ended.err


def test_while_the_links_are_down_nothing_arrives_and_afterwards_it_does(lab: Lab) -> None:
    """Over links that lose in bursts, between kernels that reassemble otherwise."""
    need_adapters("udp")
    links = 'link.loss = "5%"\nlink.burst = 4\nlink.reassembly = "tuned"'
    matrix = f'adapter = "udp"\ntest = "throughput"\nrate_hz = 200\nplacement = "free"\n{links}'
    steps = "".join(
        f'[[timeline]]\nat_s = {at}\nlink = "{state}"\n'
        for at, state in ((0.5, "down"), (1.5, "up"))
    )
    text = scenario(
        matrix, measure="duration_s = 2.5\nwarmup_s = 0.1", rounds="min = 1",
        also=f"[lab]\nnodes = 2\n{steps}",
    )  # fmt: skip
    lab.campaign(text)
    out = lab.folder / "result"
    result = Result(out)
    assert {(r["link_burst"], r["link_reassembly"]) for r in rows(out)} == {(4.0, "tuned")}
    (made,) = [event["links"] for event in events(out) if event["event"] == "lab"]
    assert (made["loss"], made["burst"], made["reassembly"]) == (0.05, 4.0, "tuned")
    (path,) = (out / "changes").glob("*.r000.parquet")
    took = pl.read_parquet(path).group_by("phase").agg(pl.col("taken_ns").min()).sort("phase")
    down, up = took["taken_ns"]
    (case,) = result.manifest.cases
    samples = result.samples(case.id, 0).filter(pl.col("role") == "reader")
    measured = samples.filter(pl.col("flags") & 1 == 0)
    # Not before its time are the links taken up again: what was sent between these is lost.
    least_up = measured["intended_ns"].min() + 1_500_000_000 - 20_000_000
    meanwhile = samples.filter(pl.col("sent_ns").is_between(down, least_up))
    assert meanwhile["read_ns"].null_count() == meanwhile.height
    assert (samples["read_ns"] < down).any() and (samples["read_ns"] > up).any()
    shown = lab.busmark("show", f"{out}#000")
    assert "link = down, at 0.5 s" in " ".join(shown.out.split()), shown.out
    lab.assert_nothing_left()
