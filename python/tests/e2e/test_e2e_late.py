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
import pytest
from e2e_harness import MARK, Lab, end, eventually, marked, need_adapters, rows, scenario

from busmark.plugins.capture.late import Explained, of_case
from busmark.plugins.capture.dumpcap import check
from busmark.errors import UserError
from busmark.store import Result

MEASURE = "duration_s = 1.5\nwarmup_s = 0.02\nmax_samples = 2000"
ROOT = Path(__file__).resolve().parents[3]
LOSSY = "[lab]\nnodes = 2\n\n[matrix.link]\nloss = '4%'"


@pytest.fixture(autouse=True)
def _allowed() -> None:
    try:
        check("lo", "")
    except UserError as error:
        pytest.skip(str(error))


def run(lab: Lab, matrix: str, *, also: str = "", measure: str = MEASURE) -> Explained:
    """A captured round, and what is said of its late samples."""
    text = scenario(matrix, also=also, measure=measure, rounds="min = 1")
    lab.scenario(f"capture = true\n{text}")
    ended = lab.busmark("run", "scenario.toml", "--out", "result")
    assert ended.code == 0, ended.text
    explained = of(lab.folder / "result")
    if any(row["capture_dropped"] for row in rows(lab.folder / "result")):
        pytest.skip("the capture lost packets on this machine")
    assert explained.rounds == [0] and not explained.left
    return explained


def of(folder: Path) -> Explained:
    result = Result(folder)
    (case,) = [case for case in result.manifest.cases if case.status == "planned"]
    return of_case(result, case, worst=10_000)


def causes(explained: Explained) -> dict[str, int]:
    return {each.cause: each.late + each.lost for each in explained.causes}


def packets(lab: Lab, explained: Explained, cause: str) -> list[list[dict[str, Any]]]:
    """What is named for each sample with this cause; its files are the files of the round."""
    kept = {path.name for path in (lab.folder / "result" / "artefacts").iterdir()}
    found = [each for each in explained.worst if each.cause == cause]
    for each in found:
        assert each.evidence and {shown.file for shown in each.evidence} <= kept
    return [[shown.model_dump() for shown in each.evidence] for each in found]


@pytest.mark.usefixtures("lab_is_possible")
def test_dds_over_a_link_that_loses_packets_waits_for_what_is_sent_again(lab: Lab) -> None:
    need_adapters("cyclonedds")
    matrix = 'adapter = "cyclonedds"\nsize = 100\nrate_hz = 300'
    explained = run(lab, matrix, also=LOSSY)
    found = causes(explained)
    assert found.get("rtps-retransmission", 0) + found.get("heartbeat-wait", 0) > 0, found
    assert not found.keys() & {"delayed-ack", "tcp-retransmission", "kernel-drop"}
    for cause in ("rtps-retransmission", "heartbeat-wait"):
        for evidence in packets(lab, explained, cause):
            assert "sent first" in evidence[0]["what"] and "sent again" in evidence[-1]["what"]
            assert any("asks" in shown["what"] for shown in evidence)
            times = [shown["at_ns"] for shown in evidence]
            assert times == sorted(times)
    shown = lab.busmark("show", "result", "--findings").text
    assert "Late samples" in shown and ".lan0.pcapng" in shown.replace("\n", "").replace(" ", "")
    lab.assert_nothing_left()


@pytest.mark.usefixtures("lab_is_possible")
def test_tcp_over_a_link_that_loses_packets_waits_for_what_is_sent_again(lab: Lab) -> None:
    need_adapters("tcp")
    explained = run(lab, 'adapter = "tcp"\nsize = 100\nrate_hz = 300', also=LOSSY)
    found = causes(explained)
    assert found.get("tcp-retransmission", 0) > 0, found
    assert not found.keys() & {"rtps-retransmission", "heartbeat-wait", "kernel-drop"}
    for evidence in packets(lab, explained, "tcp-retransmission"):
        assert any(shown["what"] == "segment sent again" for shown in evidence)
    lab.assert_nothing_left()


@pytest.mark.usefixtures("lab_is_possible")
def test_large_samples_of_dds_wait_for_a_fragment_that_was_lost(lab: Lab) -> None:
    need_adapters("cyclonedds")
    # So rarely that most samples come at once, though a repetition takes 100 ms.
    measure = MEASURE.replace("1.5", "4")
    matrix = 'adapter = "cyclonedds"\nsize = 4000\nrate_hz = 20'
    explained = run(lab, matrix, also=LOSSY, measure=measure)
    found = causes(explained)
    wanted = ("fragment-resent", "heartbeat-wait", "fragments", "rtps-retransmission")
    assert any(found.get(cause) for cause in wanted), found
    texts = [shown["what"] for c in wanted for all_of in packets(lab, explained, c)
             for shown in all_of]  # fmt: skip
    assert any("DATA_FRAG" in text or "fragment" in text for text in texts)


@pytest.mark.skipif(shutil.which("MicroXRCEAgent") is None, reason="needs MicroXRCEAgent in PATH")
@pytest.mark.usefixtures("lab_is_possible")
def test_clients_of_xrce_over_such_a_link_wait_for_what_is_sent_again(lab: Lab) -> None:
    need_adapters("microxrcedds")
    matrix = (
        'adapter = "microxrcedds"\ntransport = "udp"\nsize = 64\nrate_hz = 50\n'
        'qos.reliability = "reliable"'
    )
    explained = run(lab, matrix, also=LOSSY, measure=MEASURE.replace("1.5", "6"))
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


@pytest.mark.usefixtures("lab_is_possible")
def test_best_effort_over_such_a_link_loses_what_the_capture_has(lab: Lab) -> None:
    need_adapters("udp")
    explained = run(lab, 'adapter = "udp"\nsize = 100\nrate_hz = 300', also=LOSSY)
    assert explained.lost > 0 and causes(explained).get("lab-link", 0) > 0, causes(explained)


@pytest.mark.usefixtures("lab_is_possible")
def test_a_delay_of_a_link_is_found_between_the_two_captures(lab: Lab) -> None:
    # So long that no stall of this machine outweighs it.
    need_adapters("udp")
    link = "[lab]\nnodes = 2\n\n[matrix.link]\ndelay = '100ms'\njitter = '99ms'"
    explained = run(lab, 'adapter = "udp"\nsize = 100\nrate_hz = 100', also=link)
    assert causes(explained).get("on-link", 0) > 0, causes(explained)
    assert not causes(explained).keys() & {"kernel-drop", "in-relay", "delayed-ack"}


def test_a_small_receive_buffer_drops_what_was_captured(lab: Lab) -> None:
    need_adapters("udp")
    matrix = (
        # At full speed, for a reader keeps up with most rates.
        'adapter = "udp"\ntest = "throughput"\nsize = 8000\n'
        '[matrix.option]\nudp.receive_buffer_bytes = "4096"'
    )
    explained = run(lab, matrix, measure=f"{MEASURE}\nsamples = 5000\nprobe_every = 2")
    (row,) = rows(lab.folder / "result")
    assert row["udp_socket_drops"], "the kernel dropped nothing"
    found = causes(explained)
    assert explained.lost and found.get("kernel-drop", 0) > 0, found
    for evidence in packets(lab, explained, "kernel-drop"):
        assert "captured and never read" in evidence[-1]["what"]
    assert "The kernel dropped packets of late" in lab.busmark("show", "result", "--findings").text


def test_small_segments_wait_for_delayed_acknowledgements(lab: Lab) -> None:
    need_adapters("fastdds")
    # As it ships, with Nagle's algorithm: a sample waits while one before it is not acknowledged.
    matrix = 'adapter = "fastdds"\ntransport = "tcp"\nsize = 2000\nrate_hz = 100'
    for _ in range(4):
        # On a busy machine samples may be written later than any acknowledgement comes.
        shutil.rmtree(lab.folder / "result", ignore_errors=True)
        explained = run(lab, matrix)
        waited = sum(each.late + each.ordinary for each in explained.causes
                     if each.cause in ("delayed-ack", "tcp-window"))  # fmt: skip
        if waited:
            break
    assert waited > 0, causes(explained)
    held = [
        "segment that waits for its acknowledgement", "its acknowledgement, without data",
        "segment that was held back until then",
    ]  # fmt: skip
    for evidence in packets(lab, explained, "delayed-ack"):
        # Ping and answer may both have waited, each with packets of its own.
        assert [shown["what"] for shown in evidence] in (held, held + held)


def test_without_loss_no_loss_is_named(lab: Lab) -> None:
    need_adapters("cyclonedds")
    explained = run(lab, 'adapter = "cyclonedds"\nsize = 100\nrate_hz = 300')
    assert explained.late > 0 and sum(causes(explained).values()) == explained.examined_late
    assert not causes(explained).keys() & {
        "tcp-retransmission", "delayed-ack", "kernel-drop", "lab-link", "fragments", "on-link",
        "in-relay", "before-match", "fragment-resent", "tcp-window",
    }  # fmt: skip


def test_a_capture_that_is_cut_off_explains_nothing_of_what_it_does_not_have(lab: Lab) -> None:
    need_adapters("udp")
    text = scenario('adapter = "udp"\nsize = 1000', measure=MEASURE, rounds="min = 1")
    lab.scenario(f"capture = {{ max_bytes = 100_000 }}\n{text}")
    ended = lab.busmark("run", "scenario.toml", "--out", "result")
    assert ended.code == 0, ended.text
    explained = of(lab.folder / "result")
    late = [each for each in explained.worst if not each.evidence]
    assert explained.late == 0 or all(each.cause == "unexplained" for each in late)
    for path in (lab.folder / "result" / "artefacts").iterdir():
        path.write_bytes(b"no capture")
    assert "no capture" in of(lab.folder / "result").left[0].why or of(lab.folder / "result").left


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
    # It stands still for a part of each tenth of a second, in discovery and measurement alike.
    while process.poll() is None:
        for sent in (signal.SIGSTOP, signal.SIGCONT):
            with contextlib.suppress(ProcessLookupError):
                os.kill(broker, sent)
            time.sleep(0.03 if sent is signal.SIGSTOP else 0.07)
    assert end(process).code == 0
    explained = of(lab.folder / "result")
    found = causes(explained)
    assert found.get("in-relay", 0) > 0, found
    for evidence in packets(lab, explained, "in-relay"):
        assert [shown["what"].partition(" ")[0] for shown in evidence] == ["into", "out"]
    lab.assert_nothing_left()


def test_the_worst_samples_are_shown_with_their_packets(lab: Lab) -> None:
    need_adapters("cyclonedds", "tcp")
    text = scenario('adapter = ["cyclonedds", "tcp"]', measure=MEASURE, rounds="min = 1")
    lab.scenario(f"capture = true\n{text}")
    ended = lab.busmark("run", "scenario.toml", "--out", "result")
    assert ended.code == 0, ended.text
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
    need_adapters("udp")
    lab.scenario(scenario('adapter = "udp"', rounds="min = 1"))
    assert lab.busmark("run", "scenario.toml", "--out", "result").code == 0
    ended = lab.quickly("capture", "explain", "result")
    assert ended.code == 2 and "no round was captured" in ended.err
