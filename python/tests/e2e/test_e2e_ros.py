"""ROS 2 by its middleware interface: messages arrive, by the transport that the case names."""

from __future__ import annotations

import shutil

import pytest
from e2e_harness import Lab, need_adapters, rows, scenario
from nodes_harness import ALONE, need_root

import busmark

MATRIX = """\
adapter = ["rmw", "rmw-jazzy"]
transport = ["udp", "shipped"]
size = 1000
option.rmw.serialized = "false"
option.rmw-jazzy.serialized = "false"
"""
MEASURE = "verify = true\nduration_s = 0.2\nwarmup_s = 0.05\nsamples = 300"


@pytest.mark.skipif(not shutil.which("dumpcap"), reason="dumpcap is not here")
def test_messages_arrive_by_the_transport_that_the_case_names(lab: Lab) -> None:
    """Samples over UDP are packets; those in shared memory are none, but its participants' are."""
    need_root()
    need_adapters("rmw", "rmw-jazzy")
    text = scenario(MATRIX, measure=MEASURE, rounds="min = 1\nretries = 0")
    lab.scenario(f"capture = true\n{text}")
    # Alone in a network, or packets of others would be captured too.
    ended = lab.busmark("run", "scenario.toml", "--out", "result", prefix=ALONE)
    assert ended.code == 0, ended.text
    wire = busmark.open(lab.folder / "result").wire().collect()
    found = rows(lab.folder / "result")
    assert len(found) == 4
    for row in found:
        assert (row["status"], row["lost"], row["corrupted"]) == ("ok", 0, 0), row
        own = wire.filter(case=row["case"])
        packets = dict(own.select("purpose", "packets").iter_rows())
        assert packets.get("discovery", 0) > 0, packets
        assert (packets.get("data", 0) > 0) == (row["transport"] == "udp"), packets


def test_the_environment_of_ros_counts_only_where_it_is_asked_for(lab: Lab) -> None:
    need_adapters("rmw")
    foreign = {"RMW_IMPLEMENTATION": "rmw_of_nobody", "ROS_DOMAIN_ID": "3"}
    here = {"ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST", "ROS_STATIC_PEERS": "127.0.0.1"}
    asked = 'option.rmw.config = "env"'
    for number, (option, variables, works, says) in enumerate((
        ("", foreign, True, "rmw does not read variables that are set"),
        (asked, foreign, False, "rmw_of_nobody cannot be loaded"),
        (asked, here, True, "rmw is configured by the user's environment"),
    )):  # fmt: skip
        matrix = f'adapter = "rmw"\ntransport = "shipped"\n{option}'
        lab.scenario(scenario(matrix, measure=MEASURE, rounds="min = 1\nretries = 0"))
        ended = lab.busmark("run", "scenario.toml", "--out", f"r{number}", variables=variables)
        assert (ended.code == 0) == works and says in ended.text, ended.text
