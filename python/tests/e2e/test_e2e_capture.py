"""Campaigns whose traffic is captured: what the packets are, and what is refused."""

from __future__ import annotations

import shutil
import socket
from pathlib import Path
from typing import Any

import pytest
from e2e_harness import Lab, end, events, eventually, need_adapters, rows, scenario

MEASURE = "duration_s = 0.2\nwarmup_s = 0.02\nmax_samples = 2000"
PAYLOAD = b"what the packets carry; "


def captured(matrix: str, *, capture: str = "capture = true", also: str = "", **other: Any) -> str:
    """Return a scenario with a capture; its key comes before all tables."""
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
    lab.campaign(captured(matrix, measure=measure, rounds="min = 2"))
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


@pytest.mark.usefixtures("allowed")
@pytest.mark.parametrize("node", [[], ["--node", "env"]], ids=["here", "on a node"])
def test_what_passes_an_interface_is_recorded_by_hand(lab: Lab, node: list[str]) -> None:
    body = b"recorded by hand" * 64
    udp = (socket.AF_INET, socket.SOCK_DGRAM)
    with socket.socket(*udp) as receiver, socket.socket(*udp) as sender:
        receiver.bind(("127.0.0.1", 0))
        port = receiver.getsockname()[1]
        recording = lab.start(
            "capture", "record", "--filter", f"udp port {port}", *node, "--max-bytes", "100000",
            "--out", "it.pcapng",
        )  # fmt: skip

        def full() -> bool:
            """Return whether it has ended, because its file is as large as it may be."""
            for _ in range(100):
                sender.sendto(body, ("127.0.0.1", port))
            return recording.poll() is not None

        eventually(full, lambda: "the capture does not end at its size limit")
    ended = end(recording)
    assert ended.code == 0, ended.text
    assert "packets captured, " in ended.out and "max_bytes = 100000" in ended.err
    assert body in (lab.folder / "it.pcapng").read_bytes()
    assert [path.name for path in lab.folder.iterdir()] == ["it.pcapng"]
    lab.assert_nothing_left()
