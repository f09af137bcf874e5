"""Campaigns whose traffic is captured: what the packets are, and what is refused."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
from pathlib import Path
from typing import Any

import pytest
from e2e_harness import MARK, Lab, end, events, eventually, marked, need_adapters, rows, scenario
from nodes_harness import ALONE, need_root
from nodes_harness import on_nodes as on_own_nodes

from busmark.plugins.capture.dumpcap import check
from busmark.errors import UserError

MEASURE = "duration_s = 0.2\nwarmup_s = 0.02\nmax_samples = 2000"
WITHHELD = "-net_raw,-net_admin"
WITHOUT_CAPTURE = ["setpriv", f"--bounding-set={WITHHELD}", f"--inh-caps={WITHHELD}"]
"""The same user, who may still read the tree, without what dumpcap needs."""
PAYLOAD = b"what the packets carry; "


@pytest.fixture
def allowed() -> None:
    try:
        check("lo", "")
    except UserError as error:
        pytest.skip(str(error))


def captured(matrix: str, *, capture: str = "capture = true", also: str = "", **other: Any) -> str:
    """A scenario with a capture; its key comes before all tables."""
    other = {"measure": MEASURE, "rounds": "min = 1", **other}
    text = scenario(matrix, also=also, **other)
    return f"{capture}\n{text}"


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted((folder / "artefacts").iterdir())}


def ends(folder: Path) -> list[dict[str, Any]]:
    return [event for event in events(folder) if event["event"] == "round_ends"]


@pytest.mark.usefixtures("allowed")
def test_discovery_and_samples_are_in_a_file_of_each_round(lab: Lab) -> None:
    need_adapters("cyclonedds", "tcp")
    (lab.folder / "body").write_bytes(PAYLOAD)
    measure = f'{MEASURE}\nbody_file = "{lab.folder / "body"}"'
    matrix = 'adapter = ["cyclonedds", "tcp", "uds"]\nsize = 240'
    lab.scenario(captured(matrix, measure=measure, rounds="min = 2"))
    ended = lab.busmark("run", "scenario.toml", "--out", "result")
    assert ended.code == 0, ended.text
    kept, table = files(lab.folder / "result"), rows(lab.folder / "result")
    assert len(kept) == 4 and all(name.endswith(".capture.lo.pcapng") for name in kept)
    for row in table:
        if row["adapter"] == "uds":
            assert row["captured"] is None
            continue
        file = kept[f"{row['case']}.r{row['round']:03}.capture.lo.pcapng"]
        assert row["captured"] > row["sent"] > 0 and row["captured_bytes"] == len(file)
        assert row["capture_dropped"] >= 0
        # Each ping and each pong.
        assert row["capture_dropped"] or file.count(PAYLOAD * 10) >= 2 * row["sent"]
        if row["adapter"] == "cyclonedds":
            assert file.count(b"RTPS") >= 2 * row["sent"]
            # What the writer says of itself, before there is any sample.
            assert 0 < file.find(b"busmark_ping") < file.find(PAYLOAD * 10)
    first = next(each for each in ends(lab.folder / "result") if each["captures"])
    assert first["captures"][0]["interface"] == "lo" and "kernel_drops" in first["captures"][0]
    shown = lab.busmark("show", "result", "--findings")
    assert "There was nothing to capture" in shown.text
    assert not [*(lab.folder / "result" / "logs").glob("unfinished*")]
    lab.assert_nothing_left()


@pytest.mark.usefixtures("allowed", "lab_is_possible")
def test_in_a_lab_each_node_has_a_file(lab: Lab) -> None:
    need_adapters("cyclonedds")
    # Larger than a packet, so that there are fragments.
    matrix = 'adapter = "cyclonedds"\nsize = 4000'
    lab.scenario(captured(matrix, also="[lab]\nnodes = 2"))
    ended = lab.busmark("run", "scenario.toml", "--out", "result")
    assert ended.code == 0, ended.text
    kept = files(lab.folder / "result")
    assert [name.partition(".capture.")[2] for name in kept] == [
        "n1.lan0.pcapng", "n2.lan0.pcapng",
    ]  # fmt: skip
    (row,) = rows(lab.folder / "result")
    assert all(file.count(b"RTPS") >= 2 * row["sent"] for file in kept.values())
    assert all(len(file) > 2 * row["sent"] * 4000 for file in kept.values())
    lab.assert_nothing_left()


@pytest.mark.usefixtures("allowed")
def test_nodes_send_what_they_have_captured(lab: Lab) -> None:
    need_root()
    need_adapters("tcp")
    # Both names are one network: it is captured once.
    nodes = {"left": "", "right": "env"}
    matrix = 'adapter = "tcp"\nsize = 100\nwriter_on = "left"\nreader_on = "right"'
    tables = 'interface = "lo"\n'
    text = on_own_nodes(nodes, matrix).replace('group = ""\n', f'group = ""\n{tables}')
    text = text if text.endswith(tables) else f"{text}\n{tables}"
    lab.scenario(f'capture = {{ snap_length = 200, filter = "tcp" }}\n{text}')
    ended = lab.busmark("run", "scenario.toml", "--out", "result", prefix=ALONE)
    assert ended.code == 0, ended.text
    ((name, file),) = files(lab.folder / "result").items()
    assert name.partition(".capture.")[2] in ("left.lo.pcapng", "right.lo.pcapng")
    (row,) = rows(lab.folder / "result")
    assert row["captured"] > 2 * row["sent"] and len(file) > 100 * row["sent"]
    lab.assert_nothing_left()


@pytest.mark.usefixtures("allowed")
def test_a_ring_keeps_the_end_of_a_round_and_says_so(lab: Lab) -> None:
    need_adapters("udp")
    lab.scenario(captured(
        'adapter = "udp"\nsize = 1000', capture="capture = { max_bytes = 100_000, ring = true }",
    ))  # fmt: skip
    ended = lab.busmark("run", "scenario.toml", "--out", "result")
    assert ended.code == 0, ended.text
    (file,) = files(lab.folder / "result").values()
    assert len(file) <= 110_000
    assert "the last packets only" in lab.busmark("show", "result", "--findings").text


@pytest.mark.usefixtures("allowed")
def test_a_killed_run_takes_its_capture_along_and_keeps_finished_files(lab: Lab) -> None:
    need_adapters("udp")
    text = captured('adapter = "udp"\nsize = [100, 200]', rounds="min = 20")
    lab.scenario(text)
    run = lab.start("run", "scenario.toml", "--out", "result")
    folder = lab.folder / "result"

    def dumpcaps() -> list[str]:
        return [command for command in marked(MARK, lab.mark).values() if "dumpcap" in command]

    def under_way() -> bool:
        assert run.poll() is None, run.communicate()
        return bool([*folder.glob("artefacts/*.pcapng")] and dumpcaps())

    eventually(under_way, "no second capture begins")
    os.kill(run.pid, signal.SIGKILL)
    run.communicate()
    eventually(lambda: not dumpcaps(), "dumpcap is still there")
    kept = files(folder)
    assert kept and all(file.startswith(b"\x0a\x0d\x0d\x0a") for file in kept.values())


def test_without_dumpcap_nothing_is_run(lab: Lab) -> None:
    need_adapters("udp")
    lab.scenario(captured('adapter = "udp"'))
    folder = lab.folder / "bin"
    folder.mkdir()
    for tool in ("sh", "env"):
        (folder / tool).symlink_to(shutil.which(tool) or tool)
    ended = lab.busmark("run", "scenario.toml", "--out", "result", variables={"PATH": folder})
    assert ended.code == 2
    assert "apt-get install wireshark-common" in ended.err
    assert not (lab.folder / "result").exists()


def test_without_permission_nothing_is_run(lab: Lab) -> None:
    need_root()
    need_adapters("udp")
    if not shutil.which("dumpcap") or not shutil.which("setpriv"):
        pytest.skip("dumpcap and setpriv are not installed")
    lab.scenario(captured('adapter = "udp"'))
    ended = lab.busmark("run", "scenario.toml", "--out", "result", prefix=WITHOUT_CAPTURE)
    assert ended.code == 2, ended.text
    assert "no permission" in ended.err and "setcap" in ended.err
    assert not (lab.folder / "result").exists()


@pytest.mark.usefixtures("allowed")
def test_what_cannot_be_captured_is_refused_before_anything_runs(lab: Lab) -> None:
    need_adapters("udp", "uds")
    lab.scenario(captured('adapter = "uds"'))
    ended = lab.quickly("run", "scenario.toml", "--out", "result")
    assert ended.code == 2 and "there is nothing to capture" in ended.err
    lab.scenario(captured('adapter = "udp"', capture='capture.filter = "udp prot 7"'))
    ended = lab.quickly("run", "scenario.toml", "--out", "result")
    assert ended.code == 2 and "capture.filter: not a capture filter" in ended.err
    lab.scenario(captured('adapter = "udp"', capture="capture = 3"))
    ended = lab.quickly("plan", "scenario.toml")
    assert ended.code == 2 and "should be true, false, or a table" in ended.err
    assert not (lab.folder / "result").exists()


def test_a_plan_says_what_is_captured_and_how_much_it_will_be(lab: Lab) -> None:
    need_adapters("udp", "uds")
    lab.scenario(captured('adapter = ["udp", "uds"]\nrate_hz = 1000'))
    ended = lab.busmark("plan", "scenario.toml")
    assert ended.code == 0 and "roughly" in ended.out
    lab.scenario(captured('adapter = "udp"', capture="capture = false"))
    assert "aptures" not in lab.busmark("plan", "scenario.toml").out


@pytest.mark.usefixtures("allowed")
@pytest.mark.parametrize("node", [[], ["--node", "env"]], ids=["here", "on a node"])
def test_what_passes_an_interface_is_recorded_by_hand(lab: Lab, node: list[str]) -> None:
    port = 20_000 + os.getpid() % 10_000
    recording = lab.start(
        "capture", "record", "--filter", f"udp port {port}", *node, "--max-bytes", "100000",
        "--out", "it.pcapng",
    )  # fmt: skip
    body = b"recorded by hand" * 64
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:

        def full() -> bool:
            """Whether it has ended, because its file is as large as it may be."""
            for _ in range(100):
                sender.sendto(body, ("127.0.0.1", port))
            return recording.poll() is not None

        eventually(full, "the capture does not end at its size limit")
    ended = end(recording)
    assert ended.code == 0, ended.text
    assert "packets captured, " in ended.out and "max_bytes = 100000" in ended.err
    assert body in (lab.folder / "it.pcapng").read_bytes()
    assert [path.name for path in lab.folder.iterdir()] == ["it.pcapng"]
    lab.assert_nothing_left()


@pytest.mark.usefixtures("allowed")
def test_a_recording_ends_after_its_time(lab: Lab) -> None:
    ended = lab.busmark("capture", "record", "--seconds", "0.1", "--out", "it.pcapng")
    assert ended.code == 0, ended.text
    assert (lab.folder / "it.pcapng").read_bytes().startswith(b"\x0a\x0d\x0d\x0a")


def test_what_cannot_be_recorded_is_refused(lab: Lab) -> None:
    ended = lab.quickly("capture", "record", "--out", "/dev/null")
    assert ended.code == 2 and "not an ordinary file" in ended.err
    ended = lab.quickly("capture", "record", "--lab", "nosuchlab", "--out", "it.pcapng")
    assert ended.code == 2 and "no lab is called" in ended.err
    try:
        check("lo", "")
    except UserError:
        return
    ended = lab.quickly("capture", "record", "--interface", "nowhere0", "--out", "it.pcapng")
    assert ended.code == 2 and "no device named" in ended.err.lower()
    ended = lab.quickly("capture", "record", "--filter", "udp prot", "--out", "it.pcapng")
    assert ended.code == 2 and "not a capture filter" in ended.err
    assert not [*lab.folder.iterdir()]


@pytest.mark.usefixtures("allowed")
def test_a_full_disk_ends_the_run_and_finished_rounds_keep_their_files(lab: Lab) -> None:
    need_adapters("udp")
    small = lab.folder / "small"
    small.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=3m", "none", str(small)]
    if subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("no file system can be mounted")
    try:
        # Each round leaves less than is there at first, and 20 leave more.
        measure = "duration_s = 60\nwarmup_s = 0\nsamples = 150"
        lab.scenario(captured('adapter = "udp"\nsize = 1000', measure=measure, rounds="min = 20"))
        ended = lab.busmark("run", "scenario.toml", "--out", "small/result")
        assert ended.code == 2, ended.text
        assert "No space left" in ended.err or "no space left" in ended.err
        assert "--resume" in ended.err
        kept = files(small / "result")
        assert len(kept) >= len(rows(small / "result")) > 0
        assert all(file.startswith(b"\x0a\x0d\x0d\x0a") for file in kept.values())
        lab.assert_nothing_left()
    finally:
        subprocess.run(["umount", str(small)], check=True)
