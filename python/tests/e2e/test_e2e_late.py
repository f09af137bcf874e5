"""Causes of late samples, provoked by real traffic of real rounds.

Machines may be busy: a cause is asserted, never how late a sample is. What must be provoked by
chance, such as the loss of a packet, has many occasions in each round.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import time
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from e2e_harness import MARK, Lab, end, eventually, marked, need_adapters, rows, scenario
from synthetic_campaign import Builder

from busmark.store import Result

pytestmark = pytest.mark.usefixtures("allowed")

Explained = dict[str, Any]
"""The document of `busmark capture explain`."""
MEASURE = "duration_s = 1.5\nwarmup_s = 0.02\nmax_samples = 2000"
ROOT = Path(__file__).resolve().parents[3]
LOSSY = "[lab]\nnodes = 2\n\n[matrix.link]\nloss = '4%'"


def run(
    lab: Lab, matrix: str, finding: str, says: str, *, also: str = "", measure: str = MEASURE
) -> Explained:
    """Run a captured round, which has this finding; explain its late samples."""
    text = scenario(matrix, also=also, measure=measure, rounds="min = 1")
    lab.campaign(f"capture = true\n{text}")
    found = {each.id: each for each in Result(lab.folder / "result").manifest.findings}
    assert says in found[finding].evidence, found
    explained = explanation(lab)
    if any(row["capture_dropped"] for row in rows(lab.folder / "result")):
        pytest.skip("the capture lost packets on this machine")
    assert explained["rounds"] == [0] and not explained["left"]
    return explained


def explanation(lab: Lab, result: str = "result") -> Explained:
    ended = lab.busmark("capture", "explain", result, "--worst", "200", "--json")
    assert ended.code == 0, ended.text
    found: Explained = json.loads(ended.out)
    return found


def of_case(lab: Lab, adapter: str) -> Explained:
    """Explain the late samples of this adapter's case."""
    (row,) = (each for each in rows(lab.folder / "result") if each["adapter"] == adapter)
    found = {each.id: each for each in Result(lab.folder / "result").manifest.findings}
    assert "lose 4 % of packets" in found["link-loss"].evidence, found
    if row["capture_dropped"]:
        pytest.skip("the capture lost packets on this machine")
    explained = explanation(lab, f"result#{row['case'].partition('-')[0]}")
    assert explained["rounds"] == [0] and not explained["left"]
    return explained


def causes(explained: Explained) -> dict[str, int]:
    return {each["cause"]: each["late"] + each["lost"] for each in explained["causes"]}


def packets(lab: Lab, explained: Explained, cause: str) -> list[list[dict[str, Any]]]:
    """Return the packets named for each sample with this cause, all in files of the round."""
    kept = {path.name for path in (lab.folder / "result" / "artefacts").iterdir()}
    found = [each["evidence"] for each in explained["worst"] if each["cause"] == cause]
    for evidence in found:
        assert evidence and {shown["file"] for shown in evidence} <= kept
    return found


@pytest.fixture(scope="module")
def lossy(shared_lab: Lab, allowed: None, lab_is_possible: None) -> Lab:
    """Run a captured round over a link that loses packets, of a middleware that repeats them itself
    and of one whose transport does."""
    need_adapters("cyclonedds", "tcp")
    matrix = 'adapter = ["cyclonedds", "tcp"]\nsize = 100\nrate_hz = 300'
    text = scenario(matrix, also=LOSSY, measure=MEASURE, rounds="min = 1")
    shared_lab.campaign(f"capture = true\n{text}")
    return shared_lab


def test_dds_over_a_link_that_loses_packets_waits_for_what_is_sent_again(lossy: Lab) -> None:
    explained = of_case(lossy, "cyclonedds")
    found = causes(explained)
    assert found.get("rtps-retransmission", 0) + found.get("heartbeat-wait", 0) > 0, found
    assert not found.keys() & {"delayed-ack", "tcp-retransmission", "kernel-drop"}
    for cause in ("rtps-retransmission", "heartbeat-wait"):
        for evidence in packets(lossy, explained, cause):
            assert "sent first" in evidence[0]["what"] and "sent again" in evidence[-1]["what"]
            assert any("asks" in shown["what"] for shown in evidence)
            times = [shown["at_ns"] for shown in evidence]
            assert times == sorted(times)
    shown = lossy.busmark("show", "result", "--findings").text
    assert "Late samples" in shown and ".lan0.pcapng" in shown.replace("\n", "").replace(" ", "")
    lossy.assert_nothing_left()


def test_tcp_over_a_link_that_loses_packets_waits_for_what_is_sent_again(lossy: Lab) -> None:
    explained = of_case(lossy, "tcp")
    found = causes(explained)
    assert found.get("tcp-retransmission", 0) > 0, found
    assert not found.keys() & {"rtps-retransmission", "heartbeat-wait", "kernel-drop"}
    for evidence in packets(lossy, explained, "tcp-retransmission"):
        assert any(shown["what"] == "segment sent again" for shown in evidence)


@pytest.mark.skipif(shutil.which("MicroXRCEAgent") is None, reason="needs MicroXRCEAgent in PATH")
@pytest.mark.usefixtures("lab_is_possible")
def test_clients_of_xrce_over_such_a_link_wait_for_what_is_sent_again(lab: Lab) -> None:
    need_adapters("microxrcedds")
    matrix = (
        'adapter = "microxrcedds"\ntransport = "udp"\nsize = 64\nrate_hz = 50\n'
        'qos.reliability = "reliable"'
    )
    longer = MEASURE.replace("1.5", "6")
    explained = run(lab, matrix, "link-loss", "lose 4 % of packets", also=LOSSY, measure=longer)
    found = causes(explained)
    assert found.get("xrce-retransmission", 0) > 0, found
    for evidence in packets(lab, explained, "xrce-retransmission"):
        assert evidence[0]["what"].endswith("of the stream, sent first")
        assert any("ACKNACK that asks for message" in shown["what"] for shown in evidence)
        assert evidence[-1]["what"].endswith("of the stream, sent again")
        times = [shown["at_ns"] for shown in evidence]
        assert times == sorted(times)
    assert "DDS-XRCE" in lab.busmark("show", "result", "--findings").text
    lab.assert_nothing_left()


def test_a_small_receive_buffer_drops_what_was_captured(lab: Lab) -> None:
    need_adapters("udp")
    matrix = (
        # At full speed, for a reader keeps up with most rates.
        'adapter = "udp"\ntest = "throughput"\nsize = 8000\n'
        '[matrix.option]\nudp.receive_buffer_bytes = "4096"'
    )
    measure = f"{MEASURE}\nsamples = 5000\nprobe_every = 2"
    sockets = "at sockets of the participants"
    explained = run(lab, matrix, "udp-drops", sockets, measure=measure)
    (row,) = rows(lab.folder / "result")
    assert row["udp_socket_drops"], "the kernel dropped nothing"
    found = causes(explained)
    assert explained["lost"] and found.get("kernel-drop", 0) > 0, found
    for evidence in packets(lab, explained, "kernel-drop"):
        assert "captured and never read" in evidence[-1]["what"]
    assert "The kernel dropped UDP datagrams" in lab.busmark("show", "result", "--findings").text


def test_a_broker_that_stands_still_keeps_what_it_has(lab: Lab) -> None:
    need_adapters("mqtt")
    text = scenario('adapter = "mqtt"\nsize = 100\nrate_hz = 200', measure=MEASURE,
                    rounds="min = 1")  # fmt: skip
    lab.scenario(f"capture = true\n{text}")
    process = lab.start("run", "scenario.toml", "--out", "result")

    def brokers() -> list[int]:
        assert process.poll() is None, process.communicate()
        return [pid for pid, words in marked(MARK, lab.mark).items() if "mosquitto" in words]

    (broker, *_) = eventually(brokers, lambda: "no broker appears")
    # It is suspended for a part of each tenth of a second, in discovery and measurement alike.
    while process.poll() is None:
        for sent in (signal.SIGSTOP, signal.SIGCONT):
            with contextlib.suppress(ProcessLookupError):
                os.kill(broker, sent)
            time.sleep(0.03 if sent is signal.SIGSTOP else 0.07)
    assert end(process).code == 0
    explained = explanation(lab)
    found = causes(explained)
    assert found.get("in-relay", 0) > 0, found
    for evidence in packets(lab, explained, "in-relay"):
        assert [shown["what"].partition(" ")[0] for shown in evidence] == ["into", "out"]
    lab.assert_nothing_left()


def test_the_worst_samples_are_shown_with_their_packets(lossy: Lab) -> None:
    lab = lossy
    ended = lab.quickly("capture", "explain", "result")
    assert ended.code == 2 and "several cases were captured" in ended.err
    ended = lab.quickly("capture", "explain", "result", "--case", "nothing")
    assert ended.code == 2 and "no captured case is called 'nothing'" in ended.err
    ended = lab.busmark("capture", "explain", "result", "--case", "000", "--worst", "2",
                        "--html", "late.html")  # fmt: skip
    assert ended.code == 0, ended.text
    assert ended.out.count("From write, µs") == 2 and "answerer" in ended.out and "●" in ended.out
    assert (lab.folder / "late.html").read_text().count("From write, µs") == 2
    ended = lab.busmark("capture", "explain", "result#001", "--worst", "3", "--json")
    document = json.loads(ended.out)
    schema = json.loads((ROOT / "schemas" / "explain.schema.json").read_text())
    jsonschema.validate(document, schema)
    assert len(document["diagrams"]) == len(document["worst"]) == 3
    for drawn in document["diagrams"]:
        times = [event["at_ns"] for event in drawn["events"]]
        assert times == sorted(times)
        stamps = [event["what"] for event in drawn["events"] if event["packet"] is None]
        assert {"write", "read"} <= set(stamps)
        proofs = {(e["file"], e["packet"]) for e in drawn["events"] if e["proves"]}
        assert proofs == {(e["file"], e["packet"]) for e in drawn["sample"]["evidence"]}


def test_a_result_without_captures_is_refused(lab: Lab) -> None:
    build = Builder(lab.folder / "result")
    build.pings(build.case("a"), 0, np.full(20, 8000.0))
    ended = lab.quickly("capture", "explain", str(build.finish()))
    assert ended.code == 2 and "no round was captured" in ended.err
