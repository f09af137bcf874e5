"""Campaigns on nodes of the user's: over a real sshd, across namespaces, with nodes that go."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import uuid
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from e2e_harness import (
    HERE,
    Ended,
    Lab,
    assert_complete,
    count,
    end,
    events,
    eventually,
    need_adapters,
    rows,
    scenario,
    tidy,
)

from busmark.errors import UserError
from busmark.lab import lay_down, links, network, set_up
from busmark.store import Result

KILLS = int(os.environ.get("BUSMARK_TEST_KILLS", "4"))
SHORT = "duration_s = 0.1\nwarmup_s = 0.02\nmax_samples = 5000"


@pytest.fixture(autouse=True)
def _root() -> None:
    if os.geteuid() != 0:
        pytest.skip("a private network needs root")


def beside_sshd(lab: Lab) -> list[str]:
    """The prefix of commands that have an sshd of their own."""
    missing = [tool for tool in ("sshd", "ssh", "ssh-keygen", "setpriv")
               if not shutil.which(tool, path=f"{os.environ['PATH']}:/usr/sbin")]  # fmt: skip
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)} (openssh-server)")
    return ["unshare", "--net", "--mount", "sh", str(HERE / "with_sshd.sh"), str(lab.scratch)]


def alone() -> list[str]:
    """The prefix of commands that have a loopback of their own."""
    return ["unshare", "--net", "sh", "-c", 'ip link set lo up; exec "$@"', "sh"]


def ssh(lab: Lab, host: str) -> str:
    return f"ssh -F {lab.scratch}/ssh_config -o BatchMode=yes {host}"


def on_nodes(nodes: dict[str, str], matrix: str, *, measure: str = SHORT, rounds: str = "min = 1",
             groups: dict[str, str] | None = None, run: str = "") -> str:  # fmt: skip
    tables = "\n".join(
        f"[nodes.{name}]\nprefix = {json.dumps(prefix)}\n"
        f"group = {json.dumps((groups or {}).get(name, ''))}"
        for name, prefix in nodes.items()
    )
    return scenario(matrix, measure=measure, rounds=rounds, run=run, also=tables)


def test_a_campaign_runs_over_ssh_and_sends_its_programs_once(lab: Lab) -> None:
    need_adapters("tcp", "udp", "cyclonedds")
    prefix = beside_sshd(lab)
    (lab.folder / "body.bin").write_bytes(bytes(range(200)))
    also = '[[also]]\nadapter = "tcp"\ntest = "throughput"\nsize = "file"\n'
    measure = f'{SHORT}\nbody_file = "body.bin"\nverify = true'
    nodes = {"left": ssh(lab, "lab1"), "right": ssh(lab, "lab2")}
    text = on_nodes(nodes, 'adapter = ["tcp", "udp", "cyclonedds"]', measure=measure)
    lab.scenario(text + also)
    out = lab.folder / "result"
    ended = lab.busmark("run", "scenario.toml", "--out", out, prefix=prefix)
    assert ended.code == 0, ended.text + (lab.scratch / "sshd.log").read_text()
    assert_complete(out, cases=4, rounds=1)
    for row in rows(out):
        assert (row["writer_on"], row["reader_on"]) == ("left", "right")
        assert row["nodes"] == "right;left" and row["one_clock"] is True
        assert row["corrupted"] == 0 and row["context_switches"] > 0
    told = [event["system_problem"] for event in events(out) if event["event"] == "round_ends"]
    assert told == [None] * 4
    table = pl.read_parquet(out / "system" / "*.parquet")
    own = table.drop_nulls("participant").select("node", "participant").unique()
    assert set(own.rows()) == {
        ("left", "active"), ("left", "counters"), ("right", "passive"), ("right", "counters"),
    }  # fmt: skip
    page = (out / "report" / "report.html").read_text(encoding="utf-8")
    assert '"Node":"left"' in page and '"Node":"right"' in page
    hosts = Result(out).manifest.hosts
    assert hosts.keys() == {"", "left", "right"}
    assert hosts["left"]["prefix"] == nodes["left"]
    assert (hosts["left"]["interface"], hosts["left"]["address"]) == ("lo", "127.0.0.1")
    assert hosts["left"]["boot_id"] == hosts[""]["boot_id"]
    reached = [event for event in events(out) if event["event"] == "node"]
    assert {event["name"] for event in reached} == {"left", "right"}
    assert sum(event["sent_bytes"] for event in reached) > 0
    lab.assert_nothing_left()
    assert not list(lab.scratch.glob("cache/busmark/*/.part.*"))
    again = lab.busmark("run", "scenario.toml", "--out", "again", prefix=prefix)
    assert again.code == 0, again.text
    reached = [event for event in events(lab.folder / "again") if event["event"] == "node"]
    assert [event["sent_bytes"] for event in reached] == [0, 0]


@pytest.fixture
def pair() -> Iterator[list[str]]:
    """Prefixes of two namespaces that are joined by a link."""
    try:
        network.need_tools()
    except UserError as error:
        pytest.skip(str(error))
    name = f"t{uuid.uuid4().hex[:10]}"
    made = set_up(name, 2, links("", "", "", ""), owned=False)
    yield [" ".join(made.prefix(node)) for node in made.nodes]
    lay_down(name)


def test_nodes_in_namespaces_talk_over_the_link_between_them(lab: Lab, pair: list[str]) -> None:
    need_adapters("udp", "mqtt")
    text = scenario('adapter = ["udp", "mqtt"]\nwriter_on = "b"\nreader_on = "a"', rounds="min = 1")
    lab.scenario(text)
    given = [word for name, prefix in zip("ab", pair, strict=True)
             for word in ("--node", f"{name}={prefix}")]  # fmt: skip
    ended = lab.busmark("run", "scenario.toml", "--out", "result", *given)
    assert ended.code == 0, ended.text
    assert {row["nodes"] for row in rows(lab.folder / "result")} == {"a;b", "a;b;a"}
    hosts = Result(lab.folder / "result").manifest.hosts
    assert [hosts[name]["interface"] for name in "ab"] == ["lan0", "lan0"]
    assert hosts["a"]["address"] != hosts["b"]["address"]
    assert hosts["a"]["network_id"] != hosts["b"]["network_id"]
    lab.assert_nothing_left()


def test_between_two_clocks_only_round_trips_are_exact(lab: Lab) -> None:
    need_adapters("tcp")
    shifted = "unshare --time --fork --kill-child --monotonic 5000"
    matrix = 'adapter = "tcp"\ntest = ["latency", "throughput"]'
    measure = SHORT + "\nprobe_every = 10"
    lab.scenario(on_nodes({"here": "", "there": shifted}, matrix, measure=measure))
    ended = lab.busmark("run", "scenario.toml", "--out", "result", prefix=alone())
    assert ended.code == 0, ended.text
    for row in rows(lab.folder / "result"):
        assert row["one_clock"] is False and row["discovery_s"] is None
        assert 0 < row["median_ns"] < 1e9
        # The one node's clock is 5000 s ahead, and gains nothing.
        assert abs(row["offset_ns"] - 5000e9) <= row["offset_bound_ns"] < 1e9
        assert row["drift_ppm"] is not None
    system = pl.read_parquet(lab.folder / "result" / "system" / "*.parquet")
    assert set(system["node"].unique()) == {"here", "there"}
    assert system["start_ns"].abs().max() < 1000e9
    shown = json.loads(lab.busmark("show", "result", "--json").out)
    latency, throughput = (case[test] for case, test in
                           zip(shown["cases"], ("latency", "throughput"), strict=True))  # fmt: skip
    assert latency["round_trip"] and throughput["probe_round_trip"]
    # The shift of 5000 s is taken out, as far as the round trips bound it.
    there = latency["one_way_there"]
    assert there["bound_ns"] > 0 and abs(there["median"]["value"]) < 1e9
    assert throughput["mbit_per_s"]["value"] > 0
    assert "clock-order" not in {finding["id"] for finding in shown["findings"]}
    samples = Result(lab.folder / "result").samples(shown["cases"][0]["id"], 0)
    assert samples["echo_read_ns"].null_count() == samples["read_ns"].null_count()
    lab.assert_nothing_left()


def test_whatever_is_killed_on_the_way_costs_no_more_than_its_round(lab: Lab) -> None:
    """Clients of ssh, their servers, the nodes' shells, workers."""
    need_adapters("tcp", "udp")
    nodes = {"left": ssh(lab, "lab1"), "right": ssh(lab, "lab2")}
    rounds = f"min = {KILLS + 1}\nretries = 5"
    lab.scenario(on_nodes(nodes, 'adapter = ["tcp", "udp"]', rounds=rounds, run="hang_s = 5"))
    out = lab.folder / "result"
    chance, strikes = random.Random(3), 0
    with tidy(lab.start("run", "scenario.toml", "--out", out, prefix=beside_sshd(lab))) as process:
        for number in range(KILLS):
            eventually(
                lambda number=number: (
                    process.poll() is not None or count(out, "round_ends") > 2 * number
                ),
                lambda: f"no round ends: {events(out)[-3:]}",
            )
            victims = [pid for pid, command in lab.processes().items()
                       if command.startswith(("ssh ", "sshd: root@")) or command == "sh "
                       or " participate" in command]  # fmt: skip
            if victims:
                os.kill(chance.choice(victims), signal.SIGKILL)
                strikes += 1
        ended = end(process)
    assert ended.code == 0, ended.text
    assert strikes > 0
    assert_complete(out, cases=2, rounds=KILLS + 1)
    lab.assert_nothing_left()


def test_a_killed_controller_leaves_nothing_on_its_nodes(lab: Lab) -> None:
    need_adapters("tcp")
    nodes = {"left": ssh(lab, "lab1"), "right": ssh(lab, "lab2")}
    lab.scenario(on_nodes(nodes, 'adapter = "tcp"', measure="duration_s = 600"))
    out = lab.folder / "result"
    with tidy(lab.start("run", "scenario.toml", "--out", out, prefix=beside_sshd(lab))):
        eventually(lambda: len(lab.workers()) == 2, lambda: f"running: {lab.processes()}")
        (controller,) = (pid for pid, command in lab.processes().items()
                         if " -m busmark run" in command and "unshare" not in command
                         and "with_sshd" not in command)  # fmt: skip
        os.kill(controller, signal.SIGKILL)
        eventually(lambda: not lab.workers(), lambda: f"alive: {lab.processes()}")
    eventually(lambda: not lab.processes(), lambda: f"alive: {lab.processes()}")
    # The campaign's own folder goes with the next one; those of the nodes went with their shells.
    assert len(list(lab.scratch.glob("busmark-run-*"))) == 1


def gate(lab: Lab, name: str) -> tuple[Path, str]:
    """A prefix that works as long as there is a file of this name."""
    flag = lab.scratch / name
    flag.touch()
    script = f'test -e {flag} || {{ echo "{name} is switched off" >&2; exit 255; }}; exec "$@"'
    return flag, f"sh -c '{script}' sh"


def gone_after(lab: Lab, text: str, flag: Path, rounds_before: int) -> Ended:
    """Runs a campaign whose node goes, with all that runs there, after so many rounds."""
    lab.scenario(text)
    out = lab.folder / "result"
    with tidy(lab.start("run", "scenario.toml", "--out", out, prefix=alone())) as process:
        eventually(
            lambda: process.poll() is not None or count(out, "round_ends") >= rounds_before,
            lambda: "no round ends",
        )
        flag.unlink()
        for pid, command in lab.processes().items():
            if command == "sh ":
                os.kill(pid, signal.SIGKILL)
        return end(process)


def test_a_node_that_goes_costs_its_rounds_and_they_are_made_up_later(lab: Lab) -> None:
    need_adapters("tcp")
    flag, prefix = gate(lab, "lab3")
    matrix = 'adapter = "tcp"\nwriter_on = "left"\nreader_on = ["right", "far"]'
    nodes = {"left": "", "right": "", "far": prefix}
    text = on_nodes(nodes, matrix, rounds="min = 2", run="hang_s = 5")
    ended = gone_after(lab, text, flag, rounds_before=3)
    assert ended.code == 1, ended.text
    out = lab.folder / "result"
    for row in rows(out):
        if row["reader_on"] == "right":
            assert row["status"] == "ok"
    failed = [row for row in rows(out) if row["status"] == "failed"]
    assert failed
    for row in failed:
        assert row["reader_on"] == "far"
        assert row["reason"].startswith("node: nodes.far: ")
    assert "lab3 is switched off" in failed[-1]["reason"]
    flag.touch()
    ended = lab.busmark("run", "--resume", "--out", out, prefix=alone())
    assert ended.code == 0, ended.text
    assert_complete(out, cases=2, rounds=2)
    lab.assert_nothing_left()


def test_another_of_the_group_takes_the_place_of_a_node_that_goes(lab: Lab) -> None:
    need_adapters("tcp")
    flag, prefix = gate(lab, "lab3")
    nodes = {"left": "", "first": prefix, "second": ""}
    matrix = 'adapter = "tcp"\nwriter_on = "left"\nreader_on = "readers"'
    text = on_nodes(nodes, matrix, rounds="min = 4",
                    groups={"first": "readers", "second": "readers"})  # fmt: skip
    ended = gone_after(lab, text, flag, rounds_before=2)
    assert ended.code == 0, ended.text
    assert_complete(lab.folder / "result", cases=1, rounds=4)
    ran_on = [row["nodes"] for row in rows(lab.folder / "result")]
    assert ran_on[:2] == ["first;left"] * 2 and ran_on[-1] == "second;left"
    lab.assert_nothing_left()


def test_an_adapter_that_a_node_cannot_load_is_unsupported_there(lab: Lab) -> None:
    need_adapters("tcp", "fastdds")
    # As on a machine without the middleware: its libraries are not found.
    hide = """unshare --mount sh -c 'for f in /usr/lib/*/libfastrtps.so*; do
        mount --bind /dev/null "$f"; done; exec "$@"' sh"""
    lab.scenario(on_nodes({"left": "", "right": hide}, 'adapter = ["tcp", "fastdds"]'))
    out = lab.folder / "result"
    ended = lab.busmark("run", "scenario.toml", "--out", out, prefix=alone())
    assert ended.code == 0, ended.text
    assert [row["adapter"] for row in rows(out)] == ["tcp"]
    (reason,) = (c.reason for c in Result(out).manifest.cases if c.status == "unsupported")
    assert (reason or "").startswith("on node right: its library cannot be loaded there: ")
    assert "libfastrtps" in (reason or "")


@pytest.mark.parametrize(
    ("prefix", "code", "says"),
    [
        ("busmark-no-such-program lab1", 2, "'busmark-no-such-program' cannot be started"),
        ("false", 2, "it ended, exit code 1"),
        ("sh -c 'echo Welcome; exec \"$@\"' sh", 0, ""),
        ("sh -c 'printf \"password: \" >&2; exec sleep 1000'", 2, "asks for a password"),
        ("sh -c 'exec sleep 1000'", 2, "no answer within 2 s"),
    ],
)
def test_a_prefix_that_leads_nowhere_ends_the_command(
    lab: Lab, prefix: str, code: int, says: str
) -> None:
    need_adapters("tcp")
    nodes = {"left": "", "right": prefix}
    run = "hang_s = 2" if "within" in says else ""
    lab.scenario(on_nodes(nodes, 'adapter = "tcp"', run=run))
    ended = lab.busmark("run", "scenario.toml", "--out", "result", prefix=alone())
    assert ended.code == code, ended.text
    if says:
        assert "nodes.right: the node cannot be used: " in ended.err and says in ended.err
        assert not (lab.folder / "result").exists()
    lab.assert_nothing_left()


TWO = {"left": "", "right": "", "other": ""}


@pytest.mark.parametrize(
    ("text", "given", "says"),
    [
        (on_nodes(TWO, 'adapter = "null"\nwriter_on = "rigth"'), [],
         "there is no node 'rigth'. Did you mean right?"),
        (on_nodes(TWO, 'adapter = "null"\nwriter_on = "left+x"'), [], "there is no node 'x'"),
        (scenario('adapter = "null"', also="[nodes.lab1]\nprefx = 'ssh lab1'"), [],
         "Did you mean prefix?"),
        (scenario('adapter = "null"', also="[nodes.lab1]\nprefix = \"ssh 'lab1\""), [],
         "is no command: No closing quotation"),
        (scenario('adapter = "null"', also='[nodes."a b"]\nprefix = ""'), [],
         "a name is of letters"),
        (on_nodes(TWO, 'adapter = "null"') + "\n[lab]\nnodes = 2\n[nodes.n1]\nprefix = ''", [],
         "nodes.n1: there are two of this name"),
        (on_nodes(TWO, 'adapter = "null"\nwriter_on = "n1"\nreader_on = "left"')
         + "\n[lab]\nnodes = 2", [], "do not reach each other"),
        (on_nodes(TWO, 'adapter = "null"\nwriter_on = "g"\nreader_on = "g"', groups={"left": "g"}),
         [], "the group g is to write and to read"),
        (scenario('adapter = "null"'), ["lab1"], "--node: 'lab1' is not NAME=PREFIX"),
        (scenario('adapter = "null"'), ["l/1=ssh l"], "nodes.l/1: a name is of letters"),
    ],
)  # fmt: skip
def test_a_scenario_with_wrong_nodes_is_refused(
    lab: Lab, text: str, given: list[str], says: str
) -> None:
    lab.scenario(text)
    words = [word for node in given for word in ("--node", node)]
    ended = lab.quickly("run", "scenario.toml", "--out", "result", *words)
    assert ended.code == 2
    assert says in ended.err


def test_what_does_not_go_with_nodes_is_unsupported(lab: Lab) -> None:
    need_adapters("null", "tcp")
    lab.scenario(on_nodes(TWO, 'adapter = ["null", "tcp"]'))
    planned = lab.busmark("plan", "scenario.toml")
    assert "null does not reach another node" in planned.out
