"""ROS 2 by its middleware interface: messages arrive, by the transport that the case names."""

from __future__ import annotations

import shutil

import pytest
from e2e_harness import Lab, need_adapters, rows, scenario
from nodes_harness import ALONE, need_root

import busmark

DISTRIBUTIONS = ("rmw", "rmw-jazzy")
MEASURE = "verify = true\nduration_s = 0.2\nwarmup_s = 0.05\nsamples = 300"


def run(lab: Lab, matrix: str, before: str = "", **variables: str) -> tuple[int, str]:
    need_adapters("rmw", "rmw-jazzy")
    lab.scenario(before + scenario(matrix, measure=MEASURE, rounds="min = 1\nretries = 0"))
    # Alone in a network, or packets of others would be captured too.
    prefix = ALONE if before else ()
    ended = lab.busmark(
        "run", "scenario.toml", "--out", "result", prefix=prefix, variables=variables
    )
    return ended.code, ended.text


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
@pytest.mark.parametrize("transport", ["udp", "shipped"])
@pytest.mark.parametrize("serialized", ["false"])
def test_messages_arrive_as_they_were_written(
    lab: Lab, distribution: str, transport: str, serialized: str
) -> None:
    code, text = run(
        lab, f'adapter = "{distribution}"\ntransport = "{transport}"\nsize = 20000\n'
        f'option.{distribution}.serialized = "{serialized}"',
    )  # fmt: skip
    assert code == 0, text
    (row,) = rows(lab.folder / "result")
    assert (row["status"], row["lost"], row["corrupted"]) == ("ok", 0, 0), row


@pytest.mark.skipif(not shutil.which("dumpcap"), reason="dumpcap is not here")
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_the_transport_of_a_case_is_the_one_that_carries_it(lab: Lab, distribution: str) -> None:
    need_root()
    # Samples over UDP are packets; those in shared memory are none, but its participants' are.
    for transport, by_packets in (("udp", True), ("shipped", False)):
        shutil.rmtree(lab.folder / "result", ignore_errors=True)
        code, text = run(
            lab, f'adapter = "{distribution}"\ntransport = "{transport}"\nsize = 1000',
            "capture = true\n",
        )  # fmt: skip
        assert code == 0, text
        wire = busmark.open(lab.folder / "result").wire().collect()
        packets = dict(wire.select("purpose", "packets").iter_rows())
        assert packets.get("discovery", 0) > 0, packets
        assert (packets.get("data", 0) > 0) == by_packets, packets


def test_the_environment_of_ros_counts_only_where_it_is_asked_for(lab: Lab) -> None:
    foreign = {"RMW_IMPLEMENTATION": "rmw_of_nobody", "ROS_DOMAIN_ID": "3"}
    code, text = run(lab, 'adapter = "rmw"\ntransport = "shipped"', **foreign)
    assert code == 0 and "rmw does not read variables that are set" in text, text
    matrix = 'adapter = "rmw"\ntransport = "shipped"\noption.rmw.config = "env"'
    shutil.rmtree(lab.folder / "result")
    code, text = run(lab, matrix, **foreign)
    assert code != 0 and "rmw_of_nobody cannot be loaded" in text, text
    shutil.rmtree(lab.folder / "result")
    code, text = run(lab, matrix, ROS_AUTOMATIC_DISCOVERY_RANGE="FAR")
    assert code != 0 and '"FAR" is not SUBNET, LOCALHOST or SYSTEM_DEFAULT' in text, text
    shutil.rmtree(lab.folder / "result")
    code, text = run(
        lab, matrix, ROS_AUTOMATIC_DISCOVERY_RANGE="LOCALHOST", ROS_STATIC_PEERS="127.0.0.1"
    )
    assert code == 0 and "rmw is configured by the user's environment" in text, text
