"""Campaigns on the nodes of a lab: real middleware across an emulated network."""

from __future__ import annotations

import os
import signal

import polars as pl
import pytest
from e2e_harness import (
    Lab,
    count,
    events,
    eventually,
    need_adapters,
    rows,
    scenario,
    tidy,
)

from busmark.plugins.lab.lab import labs
from busmark.plugins.lab import network
from busmark.store import Result

pytestmark = pytest.mark.usefixtures("lab_is_possible")

MEASURE = "duration_s = 0.2\nwarmup_s = 0.05"


def on_nodes(matrix: str, nodes: int = 2) -> str:
    return scenario(matrix, measure=MEASURE, rounds="min = 1", also=f"[lab]\nnodes = {nodes}")


def test_fast_dds_over_tcp_finds_its_partners_on_other_nodes(lab: Lab) -> None:
    need_adapters("fastdds")
    readers = 'subscribers = 2\nreader_on = "n2+n3"\nplacement = "free"'
    lab.scenario(on_nodes(f'adapter = "fastdds"\ntransport = "tcp"\n{readers}', nodes=3))
    ended = lab.busmark("run", "scenario.toml", "--out", "result")
    assert ended.code == 0, ended.text
    (row,) = rows(lab.folder / "result")
    assert (row["status"], row["reader_on"]) == ("ok", "n2+n3")


def test_round_trips_take_their_delay_and_nothing_is_left(lab: Lab) -> None:
    """Fast DDS 3 finds nobody on nodes of one machine-id: see `network.OVER_ETC`."""
    need_adapters("udp", "cyclonedds", "fastdds3")
    lab.scenario(on_nodes('adapter = ["udp", "cyclonedds", "fastdds3"]\nlink.delay = ["", "2ms"]'))
    ended = lab.busmark("run", "scenario.toml", "--out", "result")
    assert ended.code == 0, ended.text
    table = rows(lab.folder / "result")
    assert len(table) == 6
    assert not network.OVER_ETC.exists() or not [*network.OVER_ETC.glob("busmark-*")]
    for row in table:
        assert row["status"] == "ok"
        assert (row["writer_on"], row["reader_on"]) == ("n1", "n2")
        if row["link_delay"]:
            assert row["median_ns"] >= 4_000_000
    made = [event for event in events(lab.folder / "result") if event["event"] == "lab"]
    assert [each["links"]["delay_s"] for each in made if each["links"]["delay_s"]] == [0.002]
    assert all(each["measured"]["round_trips"] > 0 for each in made)
    names = {each["name"] for each in made}
    assert not names & {each.name for each in labs()}
    assert not any(name in space for name in names for space in network.namespaces())
    lab.assert_nothing_left()


def test_a_server_runs_on_a_node_and_is_reached_from_the_other(lab: Lab) -> None:
    need_adapters("mqtt")
    lab.scenario(on_nodes('adapter = "mqtt"\nwriter_on = "n3"\nreader_on = "n2"', nodes=3))
    ended = lab.busmark("run", "scenario.toml", "--out", "result")
    assert ended.code == 0, ended.text
    assert [row["status"] for row in rows(lab.folder / "result")] == ["ok"]


def test_every_node_counts_the_packets_of_its_own_network(lab: Lab) -> None:
    need_adapters("udp")
    lab.scenario(on_nodes('adapter = "udp"'))
    ended = lab.busmark("run", "scenario.toml", "--out", "result")
    assert ended.code == 0, ended.text
    (row,) = rows(lab.folder / "result")
    table = Result(lab.folder / "result").system(row["case"], 0)
    assert table is not None
    processes = table.filter(pl.col("scope") == "process").drop_nulls("participant")
    networks = dict(processes.select("participant", "network").iter_rows())
    assert networks["active"] != networks["passive"]
    crossed = table.filter((pl.col("scope") == "interface") & (pl.col("name") != "lo"))
    for side in ("active", "passive"):
        own = crossed.filter(pl.col("network") == networks[side])
        # A ping or a pong is a packet.
        assert own["tx_packets"].sum() >= row["received"] > 0


def test_what_does_not_cross_a_network_is_unsupported(lab: Lab) -> None:
    need_adapters("uds", "fastdds", "udp")
    also = """
        [[also]]
        adapter = "fastdds"
        transport = "shm"

        [[also]]
        adapter = "udp"
        link.jitter = "1ms"
    """
    lab.scenario(on_nodes('adapter = "uds"') + also)
    planned = lab.busmark("plan", "scenario.toml")
    for reason in ("uds does not reach another node", "transport shm does not reach another node",
                   "jitter: 1ms is more than the delay"):  # fmt: skip
        assert reason in planned.text


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (scenario('adapter = "null"\nlink.delay = "2ms"'), "matrix.link needs a lab"),
        (on_nodes('adapter = "null"\nwriter_on = "n7"'), "there is no node 'n7'"),
        (on_nodes('adapter = "null"\nlink.rate = "fast"'), "'fast' is not a number with a unit"),
        (on_nodes('adapter = "null"', nodes=1), "a lab has 2 nodes at least"),
    ],
)
def test_a_scenario_with_a_wrong_network_is_refused(lab: Lab, text: str, says: str) -> None:
    lab.scenario(text)
    ended = lab.quickly("plan", "scenario.toml")
    assert ended.code == 2
    assert says in ended.err


def test_without_root_there_is_no_lab_and_nothing_is_begun(lab: Lab) -> None:
    need_adapters("tcp")
    lab.scenario(on_nodes('adapter = "tcp"'))
    nobody = ["unshare", "--user"]
    for words in (("run", "scenario.toml", "--out", "result"), ("lab", "up", "2")):
        ended = lab.busmark(*words, prefix=nobody)
        assert ended.code == 2 and "a lab needs root" in ended.err, ended.text
    assert not (lab.folder / "result").exists()


def test_going_on_removes_the_lab_of_a_killed_run_also_where_it_needs_none(lab: Lab) -> None:
    need_adapters("udp")
    lab.scenario(on_nodes('adapter = "udp"'))
    out = lab.folder / "result"
    with tidy(lab.start("run", "scenario.toml", "--out", out)) as process:
        eventually(lambda: count(out, "round_ends"), lambda: "no round ends")
        os.kill(process.pid, signal.SIGSTOP)
        made = {name for name in network.namespaces() if f"-r{process.pid}x" in name}
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    assert lab.busmark("run", "--resume", "--out", out).code == 0
    assert not made & network.namespaces()


def test_samples_that_are_lost_in_fragments_are_said_to_be(lab: Lab) -> None:
    need_adapters("udp")
    matrix = 'adapter = "udp"\ntest = "throughput"\nsize = 16384\nrate_hz = 500\nlink.loss = "3%"'
    # The reader's socket has room for all, however late it comes.
    room = '[matrix.option]\nudp.receive_buffer_bytes = "4194304"'
    lab.scenario(
        scenario(
            matrix, measure=MEASURE, rounds="min = 1", also=f"{room}\n[lab]\nnodes = 2",
            criteria="max_loss = 1.0\nmin_samples = 1\nmin_rate = 0",
        )
    )  # fmt: skip
    ended = lab.busmark("run", "scenario.toml", "--out", "result")
    assert ended.code == 0, ended.text
    (row,) = rows(lab.folder / "result")
    # Twelve packets carry a sample, and one that is missing takes it with it.
    assert row["ip_fragmented"] >= row["sent"] > 0
    assert row["ip_fragmented"] - row["ip_reassembled"] >= row["lost"] > 0
    findings = {each.id: each for each in Result(lab.folder / "result").manifest.findings}
    assert "put together" in findings["fragments-lost"].evidence


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
        matrix, measure="duration_s = 2.5\nwarmup_s = 0.1", rounds="min = 2",
        also=f"[lab]\nnodes = 2\n{steps}",
    )  # fmt: skip
    lab.scenario(text)
    out = lab.folder / "result"
    ended = lab.busmark("run", "scenario.toml", "--out", "result")
    assert ended.code == 0, ended.text
    result = Result(out)
    assert {(r["link_burst"], r["link_reassembly"]) for r in rows(out)} == {(4.0, "tuned")}
    (made,) = [event["links"] for event in events(out) if event["event"] == "lab"]
    assert (made["loss"], made["burst"], made["reassembly"]) == (0.05, 4.0, "tuned")
    for number in (0, 1):
        (path,) = (out / "changes").glob(f"*.r{number:03d}.parquet")
        took = pl.read_parquet(path).group_by("phase").agg(pl.col("taken_ns").min()).sort("phase")
        down, up = took["taken_ns"]
        (case,) = result.manifest.cases
        samples = result.samples(case.id, number).filter(pl.col("role") == "reader")
        measured = samples.filter(pl.col("flags") & 1 == 0)
        # Not before its time are the links taken up again: what was sent between these is lost.
        least_up = measured["intended_ns"].min() + 1_500_000_000 - 20_000_000
        meanwhile = samples.filter(pl.col("sent_ns").is_between(down, least_up))
        assert meanwhile["read_ns"].null_count() == meanwhile.height
        assert (samples["read_ns"] < down).any() and (samples["read_ns"] > up).any()
    shown = lab.busmark("show", f"{out}#000")
    assert "link = down, at 0.5 s" in " ".join(shown.out.split()), shown.out
    lab.assert_nothing_left()
