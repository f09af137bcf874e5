"""What is on a bus, by the commands a user calls: participants of Busmark's, and a program that
knows nothing of it (`ddsperf` of Debian's Cyclone DDS)."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest
from e2e_harness import DOMAIN, Lab, end, eventually, need_adapters
from test_e2e_bus import CYCLONE, joined

URI = """<Domain><General><Interfaces><NetworkInterface address="127.0.0.1"/></Interfaces>
<AllowMulticast>false</AllowMulticast></General><Discovery>
<Peers><Peer address="127.0.0.1"/></Peers><ParticipantIndex>auto</ParticipantIndex>
<MaxAutoParticipantIndex>100</MaxAutoParticipantIndex>
</Discovery></Domain>"""
"""As the adapter has it on loopback, which has no multicast."""
IDL = """
struct KeyedSeq { @key unsigned long seq; @key unsigned long keyval; sequence<octet> baggage; };
"""
FOREIGN = "DDSPerfRDataKS"
"""A topic of ddsperf's; its type is KeyedSeq."""


@contextmanager
def ddsperf(*does: str) -> Iterator[subprocess.Popen[bytes]]:
    program = shutil.which("ddsperf")
    if program is None:
        pytest.skip("ddsperf (Debian's cyclonedds-tools) is not installed")
    process = subprocess.Popen(
        [program, "-i", str(DOMAIN), "-D", "600", *(does or ("pub", "1Hz"))],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        env={**os.environ, "CYCLONEDDS_URI": URI},
    )  # fmt: skip
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def entities(lab: Lab, *options: str) -> dict[str, Any]:
    ended = lab.busmark("bus", "entities", *CYCLONE, "--json", *options)
    assert ended.code in (0, 1), ended.err
    found: dict[str, Any] = json.loads(ended.out)
    return found


def test_ours_are_listed_with_their_tests_and_foreign_ones_with_what_they_announce(
    lab: Lab,
) -> None:
    need_adapters("cyclonedds")
    with ExitStack() as stack:
        joined(lab, 3, stack)
        process = stack.enter_context(ddsperf())
        start = ("bus", "start", "transponder", *CYCLONE, "--app", "3", "--test", "7")
        assert lab.busmark(*start, "--qos", "reliable,deadline_s:30").code == 0

        def listed(whose: str, what: str) -> list[dict[str, Any]]:
            return [one for one in seen[-1][what] if one["whose"] == whose]

        seen: list[dict[str, Any]] = []

        def complete() -> bool:
            seen.append(entities(lab))
            topics = {one["topic"] for one in seen[-1]["endpoints"]}
            return {FOREIGN, "busmark_bus_7_ping"} <= topics and bool(
                listed("application", "participants")
            )

        eventually(complete, lambda: f"at last {seen[-1]}")
        (ours,), (foreign,) = (
            listed("application", "participants"),
            listed("foreign", "participants"),
        )
        assert (ours["app"], ours["group"]) == (3, 1)
        assert foreign["vendor"] == "Cyclone DDS"
        assert foreign["process"].startswith(f"{process.pid} ")
        reader = next(e for e in seen[-1]["endpoints"] if e["topic"] == "busmark_bus_7_ping")
        assert (reader["kind"], reader["test"], reader["app"]) == ("reader", 7, 3)
        assert reader["type_name"] == "busmark::OctetSample"
        assert reader["qos"]["reliable"] is True and reader["qos"]["deadline_ns"] == 30 * 10**9
        writer = next(e for e in seen[-1]["endpoints"] if e["topic"] == FOREIGN)
        assert (writer["kind"], writer["type_name"]) == ("writer", "KeyedSeq")
        assert writer["participant"] == foreign["key"] and writer["test"] is None

        assert process.poll() is None
        process.terminate()
        process.wait()
        eventually(
            lambda: not entities(lab, "--foreign")["participants"],
            lambda: "what has gone is still listed",
        )


@pytest.mark.parametrize(
    ("adapter", "options"),
    [
        ("fastdds", ()),
        ("rti", ()),
        # It announces by multicast alone, which loopback does not have.
        ("dustdds", ("--set", "well_known_ports=40")),
        ("rustdds", ()),
        ("zerodds", ()),
    ],
)
def test_an_adapter_that_lists_sees_programs_of_another_vendor(
    lab: Lab, adapter: str, options: tuple[str, ...]
) -> None:
    need_adapters(adapter)
    bus = ("--adapter", adapter, "--domain", str(DOMAIN), *options)
    seen: list[dict[str, Any]] = []

    def complete() -> bool:
        ended = lab.busmark("bus", "entities", *bus, "--foreign", "--json")
        assert ended.code in (0, 1), ended.err
        seen.append(json.loads(ended.out))
        return any(one["topic"] == FOREIGN for one in seen[-1]["endpoints"])

    with ddsperf():
        eventually(complete, lambda: f"at last {seen[-1]}")
    (writer,) = (one for one in seen[-1]["endpoints"] if one["topic"] == FOREIGN)
    assert (writer["kind"], writer["type_name"]) == ("writer", "KeyedSeq")
    assert writer["qos"]["reliable"] is True and writer["vendor"] == "Cyclone DDS"
    assert writer["participant"] in {one["key"] for one in seen[-1]["participants"]}


def test_samples_of_a_test_are_shown_and_injected_ones_are_foreign_to_it(lab: Lab) -> None:
    need_adapters("cyclonedds")
    with ExitStack() as stack:
        joined(lab, 5, stack)
        start = ("bus", "start", "receiver", *CYCLONE, "--app", "5", "--test", "9", "--from", "5")
        assert lab.busmark(*start, "--qos", "reliable").code == 0
        topic = ("busmark_bus_9_data", *CYCLONE, "--wait", "60", "--json")
        injected = lab.busmark("bus", "inject", *topic, "--count", "3", "--size", "16")
        assert injected.code == 0, injected.err
        assert json.loads(injected.out)["readers"] == 1
        write = ("bus", "start", "transmitter", *CYCLONE, "--app", "5", "--test", "9",
                 "--rate", "50", "--duration", "600", "--qos", "reliable")  # fmt: skip
        assert lab.busmark(*write).code == 0
        shown = lab.busmark("bus", "peek", *topic, "--count", "3")
        assert shown.code == 0, shown.err
        samples = [json.loads(line)["sample"] for line in shown.out.splitlines()]
        assert [sample["number"] for sample in samples] == [1, 2, 3]
        assert {sample["bytes"] for sample in samples} == {64}
        assert {sample["writer"] for sample in samples} == {5 * 64}
        text = lab.busmark("bus", "stop", *CYCLONE, "--app", "5", "--json").out.splitlines()
        ended = [m for m in map(json.loads, text) if m.get("news") == "ended"]
        (role,) = next(m for m in ended if m["kind"] == "receiver")["result"]["roles"]
        assert role["foreign"] == 3 and role["accounts"][0]["received"] > 0


def test_samples_of_a_foreign_type_are_counted_and_shown_where_an_idl_file_has_it(
    lab: Lab,
) -> None:
    """Two of ddsperf's beside a member; each sample is larger than a datagram."""
    need_adapters("cyclonedds")
    if not shutil.which("dumpcap") or os.geteuid() != 0:
        pytest.skip("dumpcap is not installed, or this is not root")
    (lab.folder / "ddsperf.idl").write_text(IDL, encoding="utf-8")
    # Ports of this domain: others measure on this interface, too.
    first = 7400 + 250 * DOMAIN
    ports = ("--filter", f"udp portrange {first}-{first + 249}")
    options = ("--topic", FOREIGN, "--foreign", "--for", "2", "--json", *ports)

    def seen(*more: str) -> list[dict[str, Any]]:
        watched = lab.start("bus", "traffic", *CYCLONE, *options, *more)
        # The first time, the compiler of IDL itself is compiled.
        text = json.loads(end(watched, watchdog_s=900.0).out)["writers"]
        return [one for one in text if one["samples"] > 2]

    with ddsperf("pub", "50Hz", "size", "100k"), ddsperf("sub"):
        (one,) = eventually(seen, lambda: "no sample was seen")
        assert (one["type_name"], one["whose"]) == ("KeyedSeq", "foreign")
        assert one["least_bytes"] == one["most_bytes"] == 102_400
        assert one["qos"]["reliable"] is True and one["rate_hz"] > 0
        if importlib.util.find_spec("cyclonedds") is None:
            pytest.skip("content needs: pip install cyclonedds")
        (one,) = eventually(lambda: seen("--idl", "ddsperf.idl"), lambda: "no sample was seen")
    content = one["content"]["value"]
    assert set(content) == {"seq", "keyval", "baggage"}
    assert content["baggage"] == [0xEE] * (102_400 - 12)
