"""Labs on this machine: real namespaces, real packets."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from busmark.errors import UserError
from busmark.links import Links
from busmark.plugins.lab.check import measure
from busmark.plugins.lab.lab import labs, lay_down, set_up

KILLS = 4
"""Moments at which a maker of a lab is killed."""
FOLDER = Path("/run/busmark/labs")


def namespaces() -> str:
    listed = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=True)
    return listed.stdout


def busmark(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "busmark", "lab", *arguments]
    return subprocess.run(command, text=True, capture_output=True, check=False)


def test_nodes_reach_each_other_and_nothing_is_left(name: str) -> None:
    lab = set_up(name, 3, Links(), owned=False)
    found = measure(lab)
    assert found.round_trips > 0
    assert found.loss < 0.01
    assert [known.name for known in labs() if known.name == name] == [name]
    lay_down(name)
    assert not any(space in namespaces() for space in lab.namespaces)
    assert not list(FOLDER.glob(f"{name}.*"))


def test_packets_are_lost_as_asked_for(name: str) -> None:
    found = measure(set_up(name, 2, Links(loss=0.2), owned=False))
    # 20 000 datagrams: one campaign in a million is further off.
    assert 0.185 < found.loss < 0.215


def test_no_packet_arrives_before_its_delay(name: str) -> None:
    lab = set_up(name, 2, Links(delay_s=0.003, jitter_s=0.001), owned=False)
    assert lab.complaint is None
    found = measure(lab)
    assert found.round_trip_median_s >= 2 * (0.003 - 0.001)
    assert found.loss < 0.01


def test_a_rate_is_a_bound(name: str) -> None:
    found = measure(set_up(name, 2, Links(rate_bit_s=5e6), owned=False))
    # A bucket that is full at the beginning adds its content.
    assert 0 < found.rate_bit_s < 7e6


def test_frames_go_to_their_node_and_groups_to_all(name: str) -> None:
    lab = set_up(name, 4, Links(delay_s=1e-4), owned=False)
    hear = (
        "import socket, struct, sys; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM);"
        "s.bind(('', 17772)); s.settimeout(60);"
        "s.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP,"
        " socket.inet_aton('239.255.0.77') + socket.inet_aton(sys.argv[1]));"
        "print('ready', flush=True); print(s.recv(99).decode())"
    )
    listeners = [
        subprocess.Popen(
            [*lab.prefix(node), sys.executable, "-c", hear, lab.address(node)],
            stdout=subprocess.PIPE,
            text=True,
        )
        for node in lab.nodes[1:]
    ]
    for listener in listeners:
        assert listener.stdout is not None
        assert listener.stdout.readline() == "ready\n"
    tell = (
        "import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM);"
        "s.sendto(b'to all', ('239.255.0.77', 17772))"
    )
    subprocess.run([*lab.prefix("n1"), sys.executable, "-c", tell], check=True)
    assert [listener.communicate()[0] for listener in listeners] == ["to all\n"] * 3


def test_a_second_lab_of_the_name_is_refused_and_the_first_stays(name: str) -> None:
    set_up(name, 2, Links(), owned=False)
    with pytest.raises(UserError, match="already"):
        set_up(name, 2, Links(), owned=False)
    assert next(lab for lab in labs() if lab.name == name).complaint is None


def test_a_dead_forwarder_is_reported(name: str) -> None:
    lab = set_up(name, 2, Links(delay_s=1e-3), owned=False)
    assert lab.forwarder is not None
    os.kill(lab.forwarder.pid, signal.SIGKILL)
    os.waitpid(lab.forwarder.pid, 0)
    listed = busmark("list")
    assert listed.returncode == 1
    assert f"busmark lab down {name}" in " ".join(listed.stdout.split())


def test_a_maker_killed_at_any_moment_leaves_nothing_after_the_next_command(name: str) -> None:
    chance = random.Random(1)
    maker = (
        "from busmark.links import Links; from busmark.plugins.lab.lab import set_up;"
        "print('begins', flush=True);"
        f"set_up({name!r}, 3, Links(delay_s=1e-3), owned=True); print('made', flush=True);"
        "import time; time.sleep(100)"
    )
    for _ in range(KILLS):
        child = subprocess.Popen([sys.executable, "-c", maker], stdout=subprocess.PIPE)
        assert child.stdout is not None
        child.stdout.readline()
        time.sleep(chance.uniform(0, 0.5))
        child.kill()
        child.wait()
        child.stdout.close()
        assert busmark("list").returncode in (0, 1)
        assert name not in namespaces()
        assert not list(FOLDER.glob(f"{name}.*"))


def test_a_lab_outlives_the_command_that_made_it(name: str) -> None:
    made = busmark("up", "2", "--name", name, "--json", "--no-check")
    assert made.returncode == 0, made.stderr
    document = json.loads(made.stdout)
    prefix = document["nodes"][0]["prefix"].split()
    reached = subprocess.run(
        [*prefix, "ip", "-br", "addr", "show", "lan0"], text=True, capture_output=True, check=True
    )
    assert document["nodes"][0]["address"] in reached.stdout
    assert busmark("down", name).returncode == 0
    gone = busmark("down", name)
    assert gone.returncode == 2
    assert f"no lab is called {name!r}" in gone.stderr
