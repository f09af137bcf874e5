"""`capture explain FILE` and `capture analyse FILE` on captures alone, with known truth."""

from __future__ import annotations

import csv
import json
import random
import re
import struct
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import made_captures as made
import pytest
from click.testing import CliRunner
from seams import command as busmark
from seams import done

from busmark.errors import UserError

pytestmark = pytest.mark.usefixtures("captures_can_be_read")

KEPT = Path(__file__).parents[5] / "crates/busmark-packets/tests/data"
PACKET = 6
MS = 1_000_000
Block = tuple[int, bytes]


def ran(*words: object) -> Any:
    """Return the JSON of a command, which must end with 0."""
    done = CliRunner().invoke(busmark, ["capture", *map(str, words), "--json"])
    if done.exception is not None:
        raise done.exception
    return json.loads(done.stdout)


def blocks(name: str) -> list[Block]:
    content, found, at = (KEPT / f"{name}.pcapng").read_bytes(), [], 0
    while at < len(content):
        kind, size = struct.unpack_from("<II", content, at)
        found.append((kind, content[at : at + size]))
        at += size
    return found


def written(folder: Path, parts: Iterable[Block], name: str = "it.pcapng") -> Path:
    path = folder / name
    path.write_bytes(b"".join(block for _, block in parts))
    return path


def without(parts: Iterable[Block], numbers: Iterable[int]) -> list[Block]:
    """Leave out the packets of these numbers, as if the capture had never seen them."""
    gone, count, found = set(numbers), 0, []
    for kind, block in parts:
        count += kind == PACKET
        if kind != PACKET or count not in gone:
            found.append((kind, block))
    return found


def reference(name: str) -> list[dict[str, str]]:
    with (KEPT / f"{name}.reference.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def late_and_lost(found: Any) -> dict[int | None, str]:
    return {each["seq"]: each["cause"] for each in found["worst"]}


@pytest.mark.parametrize(
    ("name", "cause"),
    [
        ("D1-udp-be-50", None),
        ("D2-tcp-r-50", "delayed-ack"),
        ("D2-udp-r-50-droprx", "dropped-at-receiver"),
        ("D3-udp-be-50-early", "before-match"),
    ],
)
def test_late_and_lost_samples_of_real_captures_are_those_of_the_truth(
    name: str, cause: str | None
) -> None:
    found = ran("explain", KEPT / f"{name}.pcapng", "--late", 5)
    lines = (KEPT / f"{name}.truth.jsonl").read_text().splitlines()
    wanted = {}
    for each in map(json.loads, lines):
        received = each["received_ns"]
        if received is None or received - each["sent_ns"] > 5 * MS:
            wanted[each["seq"]] = cause
    assert late_and_lost(found) == wanted
    assert {each["seq"] for each in found["worst"] if each["latency_ns"] is None} == {
        each["seq"] for each in map(json.loads, lines) if each["received_ns"] is None
    }
    for each in found["worst"]:
        assert each["evidence"] and each["last_seen"]["packet"] > 0
    assert found["capture"]["ways"][0]["entered"] == len(lines)


def test_the_last_place_of_a_lost_sample_is_its_packet(tmp_path: Path) -> None:
    found = ran("explain", KEPT / "D3-udp-be-50-early.pcapng")
    frames = {int(row["seq"]): int(row["write_frame"]) for row in reference("D3-udp-be-50-early")}
    seen = {each["seq"]: (each["last_hop"], each["last_seen"]["packet"]) for each in found["worst"]}
    assert seen == {1: ("A", frames[1]), 2: ("A", frames[2])}


def test_a_number_of_the_agent_without_a_packet_was_dropped_when_it_was_sent(
    tmp_path: Path,
) -> None:
    gone = {
        int(row["seq"]): int(row["data_frame"])
        for row in reference("D1-udp-be-50")
        if row["seq"] in ("10", "11", "30")
    }
    path = written(tmp_path, without(blocks("D1-udp-be-50"), gone.values()))
    found = ran("explain", path)
    assert late_and_lost(found) == dict.fromkeys(gone, "dropped-at-sender")
    assert {each["last_hop"] for each in found["worst"]} == {"A"}


def through(
    samples: int, dropped: Iterable[int] = (), *, late: dict[int, int] | None = None
) -> list[made.Frame]:
    """Return frames of best effort from client to client by one agent, a sample every 10 ms."""
    frames = [
        (0, made.udp(made.CLIENT, made.AGENT, made.greeting())),
        (1, made.udp(made.READER, made.AGENT, made.greeting())),
    ]
    out = 0
    for number in range(samples):
        payload, begin = struct.pack("<I", number) * 10, (number + 1) * 10 * MS
        frames.append(
            (begin, made.udp(made.CLIENT, made.AGENT, made.write(number, payload, stream=1)))
        )
        if number + 1 in dropped:
            continue
        message = made.data(out, payload, stream=1)
        leaves = begin + (late or {}).get(number + 1, MS // 5)
        frames.append((leaves, made.udp(made.AGENT, made.READER, message)))
        out += 1
    return sorted(frames)


def test_what_an_agent_gives_no_number_is_dropped_by_it(tmp_path: Path) -> None:
    path = tmp_path / "it.pcapng"
    path.write_bytes(made.pcapng(through(50, (20, 21)), dropped=0))
    found = ran("explain", path)
    assert late_and_lost(found) == {20: "dropped-by-agent", 21: "dropped-by-agent"}


def test_without_discovery_afterwards_the_first_samples_were_not_unmatched(tmp_path: Path) -> None:
    path = tmp_path / "it.pcapng"
    path.write_bytes(made.pcapng(through(50, (1, 2)), dropped=0))
    assert late_and_lost(ran("explain", path)) == dict.fromkeys((1, 2), "not-in-capture")


def test_where_a_reader_may_have_left_the_agent_is_not_accused(tmp_path: Path) -> None:
    path = tmp_path / "it.pcapng"
    path.write_bytes(made.pcapng(through(50, range(31, 51)), dropped=0))
    assert late_and_lost(ran("explain", path)) == dict.fromkeys(range(31, 51), "not-in-capture")


def test_where_the_capture_lost_packets_nobody_is_accused(tmp_path: Path) -> None:
    path = tmp_path / "it.pcapng"
    path.write_bytes(made.pcapng(through(50, (20,)), dropped=3))
    assert late_and_lost(ran("explain", path)) == {20: "not-in-capture"}


@pytest.mark.parametrize("dropped", [0, None])
def test_a_number_of_the_client_without_a_packet_is_named(
    tmp_path: Path, dropped: int | None
) -> None:
    frames = through(50)
    gone = [place for place, (_, frame) in enumerate(frames) if struct.pack("<I", 20) * 10 in frame]
    path = tmp_path / "it.pcapng"
    kept = [frame for place, frame in enumerate(frames) if place not in gone]
    path.write_bytes(made.pcapng(kept, dropped=dropped))
    (only,) = ran("explain", path)["worst"]
    assert (only["seq"], only["number"], only["last_seen"]) == (None, 20, None)
    assert only["cause"] == ("not-in-capture" if dropped is None else "dropped-at-sender")
    # What arrived nevertheless was not lost: only the capture of the first hop lacks it.
    path.write_bytes(
        made.pcapng([f for p, f in enumerate(frames) if p != gone[0]], dropped=dropped)
    )
    assert ran("explain", path)["worst"] == []


def test_a_sample_behind_one_that_was_sent_again_says_so(tmp_path: Path) -> None:
    client, agent, reader = made.CLIENT, made.AGENT, made.READER
    frames = [
        (0, made.udp(client, agent, made.greeting())),
        (1, made.udp(reader, agent, made.greeting())),
    ]
    asks = made.xrce(10, struct.pack("<HHB", 20, 1, 0x80), stream=0)
    for number in range(50):
        payload, begin = struct.pack("<I", number) * 10, (number + 1) * 10 * MS
        frames.append((begin, made.udp(client, agent, made.write(number, payload))))
        # The agent has not got number 20: it asks, gets it again, and passes on what waited.
        leaves = begin + MS // 5 if number not in (20, 21, 22) else 240 * MS + number
        frames.append((leaves, made.udp(agent, reader, made.data(number, payload))))
        if number == 20:
            again = made.udp(client, agent, made.write(20, payload))
            frames += [(238 * MS, made.udp(agent, client, asks)), (239 * MS, again)]
    path = tmp_path / "it.pcapng"
    path.write_bytes(made.pcapng(sorted(frames), dropped=0))
    assert late_and_lost(ran("explain", path)) == {
        21: "dropped-at-receiver",
        22: "behind-retransmission",
        23: "behind-retransmission",
    }


def test_what_its_writer_gave_up_was_overwritten(tmp_path: Path) -> None:
    frames = []
    head = b"RTPS\2\5\1\x10" + bytes(11)
    entities = struct.pack("!II", 0x104, 0x103)
    for number in range(1, 31):
        payload, begin = struct.pack("<I", number) * 10, number * 10 * MS
        frames.append((begin, made.udp(40_003, 7411, made.rtps(number, payload))))
        if number == 11:
            # The reader lacks 10; the writer has only what is behind it.
            asks = entities + struct.pack("<iIIII", 0, 10, 1, 1 << 31, 1)
            beat = entities + struct.pack("<iIiII", 0, 11, 0, 11, 1)
            frames += [
                (
                    begin + MS,
                    made.udp(
                        7411, 40_003, head + b"\2" + struct.pack("<BBH", 6, 1, len(asks)) + asks
                    ),
                ),
                (
                    begin + 2 * MS,
                    made.udp(
                        40_003, 7411, head + b"\1" + struct.pack("<BBH", 7, 1, len(beat)) + beat
                    ),
                ),
            ]
        if number != 10:
            message = made.data(number - (number > 10), payload, stream=1)
            frames.append((begin + MS // 5, made.udp(made.AGENT, made.READER, message)))
    frames.insert(0, (0, made.udp(made.READER, made.AGENT, made.greeting())))
    path = tmp_path / "it.pcapng"
    path.write_bytes(made.pcapng(sorted(frames), dropped=0))
    assert late_and_lost(ran("explain", path)) == {10: "overwritten"}


def shifted(parts: Iterable[Block], by_ns: int) -> list[Block]:
    found = []
    for kind, block in parts:
        if kind == PACKET:
            high, low = struct.unpack_from("<II", block, 12)
            ticks = (high << 32 | low) + by_ns
            block = block[:12] + struct.pack("<II", ticks >> 32, ticks & 0xFFFFFFFF) + block[20:]
        found.append((kind, block))
    return found


def test_runs_of_one_file_have_figures_of_their_own(tmp_path: Path) -> None:
    names = ("D3-udp-be-50-early", "D2-tcp-r-50", "D1-udp-be-50")
    alone = [ran("analyse", KEPT / f"{name}.pcapng") for name in names]
    begin = alone[0]["last_ns"] + 10**9
    parts = blocks(names[0])
    for name, each in zip(names[1:], alone[1:], strict=True):
        parts += [
            block for block in shifted(blocks(name), begin - each["first_ns"]) if block[0] == PACKET
        ]
        begin += each["last_ns"] - each["first_ns"] + 10**9
    # The same client, ports and payloads once more.
    again = alone[0]["first_ns"]
    parts += [b for b in shifted(blocks(names[0]), begin - again) if b[0] == PACKET]
    path = written(tmp_path, parts)
    found = ran("analyse", path)
    assert [run["samples"] for run in found["runs"]] == [50, 50, 50, 50]
    assert found["runs"][0]["clients"] == ["0xaaaa0002", "0xaaaa0001"]
    compared = ("entered", "arrived", "missing", "latency", "confirmed", "bytes_per_sample")
    wanted = [way for each in (*alone, alone[0]) for way in each["ways"]]
    assert [way["run"] for way in found["ways"]] == [1, 2, 3, 4]
    for one, other in zip(found["ways"], wanted, strict=True):
        assert [one[name] for name in compared] == [other[name] for name in compared]
    explained = ran("explain", path, "--late", 5)
    lost = [(e["round"], e["seq"]) for e in explained["worst"] if e["latency_ns"] is None]
    assert lost == [(1, 1), (1, 2), (4, 1), (4, 2)]


def test_equal_payloads_over_tcp_are_followed_by_their_order(tmp_path: Path) -> None:
    # Over TCP a sample may leave its agent after later ones have come to it.
    alone = ran("analyse", KEPT / "D2-tcp-r-50.pcapng")["ways"][0]
    constant = [
        (
            kind,
            re.sub(
                rb"....\x20\0\0\0Altitude sample \d{7}",
                b"\1\0\0\0\x20\0\0\0Altitude sample 0000001",
                block,
                flags=re.DOTALL,
            ),
        )
        for kind, block in blocks("D2-tcp-r-50")
    ]
    (way,) = ran("analyse", written(tmp_path, constant))["ways"]
    for name in ("entered", "arrived", "missing", "latency", "confirmed"):
        assert way[name] == alone[name]


@pytest.mark.parametrize("name", ["D2-tcp-r-50", "D2-udp-r-50-droprx"])
def test_shuffled_packets_change_no_figure(tmp_path: Path, name: str) -> None:
    parts = blocks(name)
    packets = [block for block in parts if block[0] == PACKET]
    random.Random(1).shuffle(packets)
    order = iter(packets)
    path = written(
        tmp_path, [next(order) if kind == PACKET else (kind, block) for kind, block in parts]
    )
    alone, found = (ran("analyse", each) for each in (KEPT / f"{name}.pcapng", path))
    for part in ("hops", "ways", "flows", "submessages", "runs"):
        assert found[part] == alone[part]
    assert late_and_lost(ran("explain", path)) == late_and_lost(
        ran("explain", KEPT / f"{name}.pcapng")
    )


def cut_off(parts: Iterable[Block], length: int) -> list[Block]:
    """Cut packets off, as a capture with this snap length does."""
    found = []
    for kind, block in parts:
        if kind == PACKET:
            head, (kept,) = block[8:28], struct.unpack_from("<I", block, 20)
            kept = min(kept, length)
            cut = head[:12] + struct.pack("<I", kept) + head[16:]
            block = made.block(PACKET, cut + block[28 : 28 + kept])
        found.append((kind, block))
    return found


def test_headers_of_96_bytes_are_enough_to_follow_datagrams(tmp_path: Path) -> None:
    name = "D2-udp-r-50-droprx"
    path = written(tmp_path, cut_off(blocks(name), 80))
    whole, found = ran("explain", KEPT / f"{name}.pcapng"), ran("explain", path)
    assert late_and_lost(found).keys() == late_and_lost(whole).keys()
    (one,), (other,) = (each["capture"]["ways"] for each in (found, whole))
    assert one["latency"] == other["latency"] and one["arrived"] == 50
    assert any("snap length" in remark for remark in found["capture"]["remarks"])


def test_of_a_stream_that_is_cut_off_nothing_is_called_lost(tmp_path: Path) -> None:
    found = ran("explain", written(tmp_path, cut_off(blocks("D2-tcp-r-50"), 96)))
    assert all(each["cause"] == "not-in-capture" for each in found["worst"])
    assert found["capture"]["ways"] == []


def test_a_message_of_tcp_has_its_share_of_its_segments() -> None:
    # Its length in a segment of 68 B and the rest in one of 118 B are most that a sample takes;
    # what shares a segment, or is sent again, takes less or nothing.
    hop = ran("analyse", KEPT / "D2-tcp-r-50.pcapng")["hops"][-1]
    assert hop["packet_bytes"]["max"] == 68 + 118


@pytest.mark.parametrize("until", ["acknack", "tcp"])
def test_l_ends_where_it_is_asked_to_end(until: str) -> None:
    column = {"acknack": "data_acknack_ns", "tcp": "data_tcpack_ns"}[until]
    (way,) = ran("analyse", KEPT / "D2-tcp-r-50.pcapng", "--until", until)["ways"]
    rows = reference("D2-tcp-r-50")
    wanted = sorted(int(row[column]) - int(row["write_ns"]) for row in rows if row[column])
    assert way["confirmed_by"] == {"acknack": "ACKNACK", "tcp": "TCP"}[until]
    found = way["confirmed"]
    assert (found["count"], found["min_ns"], found["max_ns"]) == (50, wanted[0], wanted[-1])


def test_what_is_there_of_a_truncated_capture_is_explained(tmp_path: Path) -> None:
    content = (KEPT / "D2-tcp-r-50.pcapng").read_bytes()
    path = tmp_path / "it.pcapng"
    path.write_bytes(content[: len(content) // 2])
    found = ran("explain", path)
    assert found["capture"]["fault"] and found["late"] > 0
    assert all(e["cause"] == "delayed-ack" for e in found["worst"] if e["latency_ns"] is not None)
    assert all(e["cause"] == "not-in-capture" for e in found["worst"] if e["latency_ns"] is None)
    assert any("reading ended at byte" in remark for remark in found["capture"]["remarks"])


@pytest.mark.parametrize("content", [b"", b"hello", "header", "foreign"])
def test_a_file_in_which_nothing_can_be_read_is_refused(
    tmp_path: Path, content: bytes | str
) -> None:
    path = tmp_path / "it.pcapng"
    if content == "header":
        content = (KEPT / "D2-tcp-r-50.pcapng").read_bytes()[:400]
    if content == "foreign":
        content = made.pcapng([(0, made.udp(1, 2, b"hello"))])
    assert isinstance(content, bytes)
    path.write_bytes(content)
    for words in (["explain"], ["explain", "--json"], ["explain", "--html", str(tmp_path / "p")]):
        done = CliRunner().invoke(busmark, ["capture", words[0], str(path), *words[1:]])
        assert isinstance(done.exception, UserError) and str(path) in str(done.exception)
    assert not (tmp_path / "p").exists()
    with pytest.raises(UserError, match=r"no\.pcap"):
        ran("explain", tmp_path / "no.pcap")


def test_samples_on_one_hop_have_no_latency_so_that_none_is_on_time() -> None:
    file = KEPT / "cyclonedds.pcapng.gz"
    assert (found := ran("explain", file))["untimed"] == found["samples"] - found["lost"] == 8
    shown = done("capture", "explain", file)
    rows = {words[0]: words[-2:] for line in shown.splitlines() if (words := line.split())}
    assert rows["late"] == ["—", "—"] and rows["without"][0] == "8"
    assert re.search(r"on time +— +—", shown) and "A    RTPS DATA over UDP" in shown
    assert ("Confirmed by no packet" in shown) is (found["unfollowed"] > 0)


def test_samples_of_which_the_packets_show_the_same_are_one_row(tmp_path: Path) -> None:
    page = tmp_path / "x.md"
    shown = done("capture", "explain", KEPT / "D3-udp-be-50-early.pcapng", "--markdown", page)
    assert shown.count("it came to the agent") == 1 and "Samples 1, 2" in shown
    assert "Lengths" not in shown and "## Lengths" in page.read_text(encoding="utf-8")


def test_no_more_than_the_latest_twentieth_is_late_unless_it_was_sent_again() -> None:
    """Six of fifty WRITE_DATA were ignored by the agent, and sent again."""
    path = KEPT / "D2-udp-r-50-droprx.pcapng"
    found, asked = ran("explain", path), ran("explain", path, "--late", "5")
    (limit,) = [each for each in found["limits"] if each["late"]]
    assert limit["limit_by"] == "the 95th percentile"
    causes = {each["cause"]: each["late"] for each in found["causes"]}
    assert found["late"] == limit["late"] == limit["again"] + 3
    assert causes["dropped-at-receiver"] == 6
    assert {each["limit_by"] for each in asked["limits"]} == {"--late"}
    assert {each["limit_ns"] for each in asked["limits"]} == {5_000_000}


def test_the_limit_stands_beside_what_is_late() -> None:
    text = done("capture", "explain", KEPT / "D2-udp-r-50-droprx.pcapng")
    assert "Limits" in text and "the 95th percentile" in text
