"""Stamps of the application beside a capture."""

from __future__ import annotations

import json
from pathlib import Path

import made_captures as made
import numpy as np
import pytest

from busmark.errors import UserError
from busmark.plugins.capture.analysis import analyse

KEPT = Path(__file__).parents[5] / "crates/busmark-packets/tests/data"
NAMES = ("D1-udp-be-50", "D2-tcp-r-50", "D2-udp-r-50-droprx", "D3-udp-be-50-early")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.usefixtures("captures_can_be_read")
def test_latencies_of_the_application_are_those_of_the_truth(name: str) -> None:
    lines = (KEPT / f"{name}.truth.jsonl").read_text(encoding="utf-8").splitlines()
    truth = [json.loads(line) for line in lines]
    found = analyse(KEPT / f"{name}.pcapng", application=KEPT / f"{name}.truth.jsonl").application
    assert found is not None
    wanted = [t["received_ns"] and t["received_ns"] - t["sent_ns"] for t in truth]
    assert [each.latency_ns for each in found.samples] == wanted
    assert found.latency is not None
    assert found.latency.mean_ns == pytest.approx(np.mean([each for each in wanted if each]))
    assert (found.sent, found.in_capture) == (50, 50)
    assert found.lost == [t["seq"] for t in truth if t["received_ns"] is None]
    assert (found.arrived_not_received, found.received_not_seen) == ([], [])
    # Packets are on their way after they were sent and before they are received.
    for each in found.samples:
        assert (each.latency_ns is None) == (each.data_to_data_ns is None)
        if each.latency_ns is not None and each.data_to_data_ns is not None:
            assert each.data_to_data_ns < each.latency_ns
    for part in (found.sent_to_packet, found.packet_to_received):
        assert part is not None
        assert part.min_ns > 0


@pytest.mark.usefixtures("captures_can_be_read")
def test_json_lines_and_csv_say_the_same() -> None:
    capture, stamps = KEPT / "D2-tcp-r-50.pcapng", ("truth.jsonl", "reference.csv")
    one, two = (
        analyse(capture, application=KEPT / f"D2-tcp-r-50.{name}").application for name in stamps
    )
    assert one is not None
    assert two is not None
    assert one.model_dump(exclude={"file"}) == two.model_dump(exclude={"file"})
    assert (one.matched, one.confirmed_by) == ("order", "ACKNACK")
    both = [(each.latency_ns, each.confirmed_ns) for each in one.samples if each.confirmed_ns]
    latency, confirmed = np.median(np.array(both, dtype=np.float64), axis=0)
    assert one.confirmed_by_latency == pytest.approx(confirmed / latency)


@pytest.mark.usefixtures("captures_can_be_read")
def test_samples_that_the_capture_lacks_are_matched_by_time(tmp_path: Path) -> None:
    frames = made.deployment(20)
    # The capture lacks the way of the third sample, and the delivery of the ninth.
    del frames[2 + 5 * 8 + 3]
    del frames[2 + 5 * 2 : 2 + 5 * 3]
    capture, stamps = tmp_path / "it.pcap", tmp_path / "it.jsonl"
    capture.write_bytes(made.pcap(frames))
    epoch = 1_700_000_000 * 10**9
    rows = [
        {
            "seq": 100 + number,
            "sent_ns": epoch + (number + 1) * 1_000_000 - 5_000,
            "received_ns": None if number == 5 else epoch + (number + 1) * 1_000_000 + 260_000,
        }
        for number in range(20)
    ]
    stamps.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    result = analyse(capture, application=stamps)
    found = result.application
    assert found is not None
    assert (found.matched, found.sent, found.in_capture, found.received) == ("time", 20, 19, 19)
    assert (found.lost, found.arrived_not_received) == ([105], [105])
    assert found.received_not_seen == [102, 108]
    assert found.samples[2].data_to_data_ns is None
    assert found.samples[3].data_to_data_ns == 250_000
    assert found.data_to_data_less_latency is not None
    assert found.data_to_data_less_latency.max_ns == -15_000
    assert any("1 sample of the application without a packet" in text for text in result.remarks)


@pytest.mark.usefixtures("captures_can_be_read")
def test_stamps_of_another_run_say_so(tmp_path: Path) -> None:
    other = KEPT / "D2-udp-r-50-droprx.truth.jsonl"
    found = analyse(KEPT / "D3-udp-be-50-early.pcapng", application=other)
    assert found.application is None
    assert any("of another run, or of another clock" in remark for remark in found.remarks)


WRONG = {
    '{"seq": 1, "sent_ns": 5}': "line 1: received_ns: this key is missing",
    '{"seq": 1, "sent_ns": 5, "received_ns": 7}\n\n{"seq": 2, "sent_ns": 1.5, "received_ns": 7}': (
        "line 3: sent_ns: a whole number from 0 is needed, not 1.5"
    ),
    '{"seq": 1, "sent_ns": null, "received_ns": 7}': "line 1: sent_ns:",
    '{"seq": 1, "sent_ns": 5, "received_ns": 7}\n' * 2: "line 2: seq: 1 is there twice",
    '{"seq": 1,': "line 1: this is no JSON",
    '{"seq": 1, "sent_ns": 5, "received_ns": 7}\n[1]': "line 2: this is no JSON object",
    "seq,sent_ns\n1,2": "line 1: received_ns: the first line must name this column once",
    "seq,sent_ns,received_ns\n1,2": "line 2: 2 values for 3 columns",
    "seq,sent_ns,received_ns\n1,2,3\n2,soon,": "line 3: sent_ns: a whole number from 0 is needed",
    "seq,sent_ns,received_ns\n": "there are no stamps",
    "": "line 1: seq:",
}


@pytest.mark.parametrize("content", WRONG)
def test_what_are_no_stamps_is_refused_by_line_and_key(tmp_path: Path, content: str) -> None:
    path = tmp_path / "stamps"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(UserError) as refused:
        analyse(KEPT / "D1-udp-be-50.pcapng", application=path)
    assert WRONG[content] in str(refused.value)
