"""Participants that are driven over the topics of the middleware itself, by the commands a user
calls: two of them, on a real DDS, without a controller."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from e2e_harness import (
    DOMAIN,
    WATCHDOG_S,
    Ended,
    Lab,
    end,
    eventually,
    need_adapters,
    real_worker,
    tidy,
)

from busmark.adapters import libraries

CYCLONE = ("--adapter", "cyclonedds", "--domain", str(DOMAIN))
COOKIE = "b05b0b05b05b0b05"
"""Cookie of every sample on the topics of a bus."""


@dataclass
class Bus:
    """Applications 3 and 4 of group 1."""

    lab: Lab
    attached: tuple[str, ...]

    def call(self, command: str, *options: object) -> Ended:
        return self.lab.busmark("bus", command, *self.attached, *map(str, options))

    def together(self, *orders: tuple[object, ...]) -> list[Ended]:
        """Give orders at once: each waits seconds for answers that do not come."""
        with ThreadPoolExecutor(len(orders)) as pool:
            return list(pool.map(lambda order: self.call(*map(str, order)), orders))

    def json(self, command: str, *options: object) -> Any:
        """Return a command's JSON: a list, or an object for each line."""
        ended = self.call(command, *options, "--json")
        if command == "list":
            return json.loads(ended.out)
        return [json.loads(line) for line in ended.out.splitlines()]

    def watched(self, enough: Callable[[list[Any]], Any]) -> list[Any]:
        """Return all that is said, and was said before, once `enough` is true of it."""
        said: list[Any] = []

        def complete() -> Any:
            ended = self.lab.busmark("bus", "watch", *self.attached, "--for", "2", "--json")
            said[:] = [json.loads(line) for line in ended.out.splitlines()]
            return enough(said)

        eventually(complete, lambda: f"heard {said}")
        return said

    def members(self) -> list[Any]:
        """Return both applications with their tests. Where several are asked at once, three seconds
        pass until nobody else can be there."""
        return [member for app in (3, 4) for member in self.json("list", "--app", app)]

    def tests(self) -> set[tuple[int, int, str]]:
        return {(m["app"], t["test"], t["kind"]) for m in self.members() for t in m["tests"]}

    def stop(self) -> list[Any]:
        """End all tests of both, and return what is said."""
        return [line for app in (3, 4) for line in self.json("stop", "--app", app)]


def joined(
    lab: Lab, app: int, stack: ExitStack, attached: tuple[str, ...] = CYCLONE
) -> subprocess.Popen[str]:
    words = ("bus", "participant", *attached, "--app", str(app), "--group", "1")
    process = stack.enter_context(tidy(lab.start(*words)))
    assert process.stdout is not None
    line = process.stdout.readline()
    assert f"app {app} (group 1): joined" in line, line
    return process


@pytest.fixture(scope="module")
def bus(shared_lab: Lab) -> Iterator[Bus]:
    need_adapters("cyclonedds")
    with ExitStack() as stack:
        for app in (3, 4):
            joined(shared_lab, app, stack)
        yield Bus(shared_lab, CYCLONE)


def test_whoever_has_joined_is_listed_and_a_number_is_nobody_elses(bus: Bus) -> None:
    listed, table = bus.together(("list", "--json"), ("list", "--group", 1))
    found = {(m["app"], m["group"], m["adapter"]) for m in json.loads(listed.out)}
    assert found == {(3, 1, "cyclonedds"), (4, 1, "cyclonedds")}
    again = bus.lab.busmark("bus", "participant", *CYCLONE, "--app", "3")
    assert again.code == 2
    assert "application 3 is on this bus already" in again.err
    assert "Eclipse Cyclone DDS" in table.out


def test_round_trips_are_measured_and_changed_while_they_run(bus: Bus) -> None:
    nobody = bus.call("start", "transceiver", "--app", 3, "--test", 7, "--from", 4, "--timeout", 0)
    assert nobody.code == 2 and "start the transponder of test 7 first" in nobody.err
    qos = ("--qos", "reliable,keep_all")
    assert bus.call("start", "transponder", "--app", 4, "--test", 7, *qos).code == 0
    start = ("--app", 3, "--test", 7, "--from", 4, "--rate", 100, "--duration", 600, *qos)
    assert bus.call("start", "transceiver", *start).code == 0
    fixed = bus.call("set", "--app", 3, "--test", 7, "--qos", "deadline_s:0.1", "--rate", 50)
    assert fixed.code == 2
    assert "deadline cannot change once endpoints are enabled with cyclonedds" in fixed.err
    change = ("--app", 3, "--test", 7, "--qos", "lifespan_s:3600", "--rate", 200)
    (answer,) = bus.json("set", *change)
    assert answer["ok"] and answer["result"]["changed"] == 1
    listed = [test for m in bus.json("list", "--app", 3) for test in m["tests"]]
    assert [(test["rate_hz"], test["definition"]["rate_hz"]) for test in listed] == [(200, 100)]
    bus.watched(lambda said: sum(
        count["samples"] for m in said if m.get("news") == "event"
        and m["event"]["event"] == "interval" for count in m["event"]["counts"]
    ))  # fmt: skip
    # First what asks: what answers could be gone before the last round trip.
    ended = {m["kind"]: m["result"] for m in bus.stop() if m["news"] == "ended"}
    (sent,), (role,) = ended["transceiver"]["run"], ended["transceiver"]["roles"]
    assert sent["ended"] == "stopped" and sent["sent"] > 0
    assert role["accounts"][0]["received"] == sent["sent"]
    trips = role["segments"]["trip"]
    assert [best["percent"] for best in trips] == [100.0, 99.9, 99.0, 90.0]
    assert trips[0]["count"] == sent["sent"] and trips[0]["min_ns"] > 0
    assert set(ended) == {"transceiver", "transponder"} and bus.tests() == set()


def test_a_group_receives_a_stream_beside_round_trips(bus: Bus) -> None:
    qos = ("--qos", "reliable")
    assert bus.call("start", "transponder", "--app", 3, "--test", 7).code == 0
    readers = ("--group", 1, "--test", 8, "--from", 3, "--from-each", 2, "--count", 3)
    received = bus.json("start", "receiver", *readers, *qos)
    assert [answer["ok"] for answer in received] == [True, True]
    assert bus.tests() == {(3, 7, "transponder"), (3, 8, "receiver"), (4, 8, "receiver")}
    kept = [t["definition"]["qos"] for m in bus.members() for t in m["tests"] if t["test"] == 8]
    assert all(settings["keep_all"] for settings in kept) and len(kept) == 2
    followed = bus.json(
        "start", "transmitter", "--app", 3, "--test", 8, "--count", 2, "--readers", 6,
        "--rate", 100, "--duration", 1, "--follow", *qos,
    )  # fmt: skip
    sent = [run["sent"] for run in followed[-1]["result"]["run"]]
    roles = [
        role for m in bus.stop() if m["news"] == "ended" and m["kind"] == "receiver"
        for role in m["result"]["roles"]
    ]  # fmt: skip
    assert len(sent) == 2 and all(sent)
    assert [[a["received"] for a in role["accounts"]] for role in roles] == [sent] * 6
    assert [(role["received"], role["missing"]) for role in roles] == [(sum(sent), 0)] * 6


def test_what_nobody_understands_is_reported_as_trouble_and_changes_nothing(
    bus: Bus, tmp_path: Path
) -> None:
    assert bus.call("start", "transponder", "--app", 4, "--test", 7).code == 0
    body = tmp_path / "body"
    for content in (b"\0\xff garbage", b'{"busmark": 3}', b"[" * 20_000):
        body.write_bytes(content)
        flood(bus.lab, body, COOKIE, 300)
    flood(bus.lab, body, "1", 300)
    # What other tests have caused on this bus is still said, too.
    said = bus.watched(lambda said: {(m["app"], m["trouble"]) for m in said if "trouble" in m} >= {
        (app, trouble) for app in (3, 4) for trouble in ("malformed", "foreign")
    })  # fmt: skip
    lines = [m for m in said if "trouble" in m]
    assert len(lines) < 1200, "in a flood not everything is reported"
    assert sum(m.get("omitted", 0) for m in lines) > 0
    assert bus.tests() == {(4, 7, "transponder")}
    assert bus.call("stop", "--app", 4).code == 0


NOBODY_HAS_IT = ("--group", 1, "--test", 6)
REFUSED = [
    ("from: a receiver names", ("start", "receiver", "--app", 3, "--test", 1)),
    ("one of --app N, --group N and --all", ("start", "transponder", "--test", 1)),
    ("does not honour latency_budget", (
        "start", "transponder", "--app", 3, "--test", 1, "--qos", "latency_budget_s:1")),
    ("application 9 does not answer", ("list", "--app", 9, "--wait", "100ms")),
    ("nobody in group 9 answers; on this bus are applications 3 (group 1), 4 (group 1)", (
        "list", "--group", 9, "--wait", "100ms")),
    ("nobody has this test", ("set", *NOBODY_HAS_IT, "--pause")),
    ("nobody has this test", ("stop", *NOBODY_HAS_IT)),
]  # fmt: skip


def test_what_cannot_be_is_refused_in_words(bus: Bus) -> None:
    orders = [order for _, order in REFUSED]
    for (words, _), ended in zip(REFUSED, bus.together(*orders), strict=True):
        assert ended.code == 2 and words in ended.err, ended.text


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--adapter", "udp", "--app", "3"), "this middleware has no discovery"),
        (("--adapter", "cyclonedd", "--app", "3"), "Did you mean cyclonedds?"),
    ],
)
def test_a_bus_that_cannot_be_is_refused_in_words(
    lab: Lab, options: tuple[str, ...], words: str
) -> None:
    need_adapters("cyclonedds", "udp")
    ended = lab.busmark("bus", "participant", *options)
    assert ended.code == 2
    assert words in ended.err, ended.text


def test_participants_of_several_vendors_are_on_one_bus(bus: Bus) -> None:
    need_adapters("fastdds")
    qos = ("--qos", "reliable,keep_all")
    other = ("--adapter", "fastdds", "--domain", str(DOMAIN))
    with ExitStack() as stack:
        joined(bus.lab, 8, stack, other)
        assert bus.call("start", "transponder", "--app", 8, "--test", 5, *qos).code == 0
        start = ("--app", 3, "--test", 5, "--from", 8, "--rate", 100, "--duration", 1, *qos)
        text = bus.json("start", "transceiver", *start, "--follow")
        (sent,), (role,) = text[-1]["result"]["run"], text[-1]["result"]["roles"]
        # A pong of a responder whose writer has not found the reader yet comes to nobody.
        assert 0 < role["received"] <= sent["sent"]


def flood(lab: Lab, body: Path, cookie: str, number: int, readers: int = 2) -> None:
    """Write a file's content on the topic of orders `number` times, as somebody's transmitter."""
    qos = {"reliable": True, "transient_local": True, "keep_all": False, "depth": 256}
    stream = {"payload": "octet", "size": body.stat().st_size, "wait": "poll", "qos": qos,
              "verify": False, "body_file": str(body)}  # fmt: skip
    schedule = {"arrivals": "closed", "rate_hz": 0, "seed": 1, "warmup_ns": 0,
                "duration_ns": 60_000_000_000, "samples": number, "capacity": 0,
                "timeout_ns": 1_000_000_000}  # fmt: skip
    role = {"role": "transmitter", "writer": 1, "topic": "busmark_bus_orders", "echo": "unused",
            "probe_every": 0, "stream": stream, "schedule": schedule,
            "interval_ns": 1_000_000_000}  # fmt: skip
    config = {"domain": DOMAIN, "interface_name": "lo", "interface_address": "127.0.0.1",
              "transport": "udp", "profile": "default", "run_dir": str(lab.scratch),
              "settings": []}  # fmt: skip
    commands: list[dict[str, Any]] = [
        {"cmd": "prepare", "adapter": str(libraries()["cyclonedds"]), "cookie": cookie,
         "yields": False, "participants": [{"config": config, "roles": [role]}]},
        {"cmd": "setup"},
        {"cmd": "match", "timeout_s": 30.0,
         "expect": {"busmark_bus_orders": {"writers": 0, "readers": readers}}},
        {"cmd": "run"},
        {"cmd": "collect"},
    ]  # fmt: skip
    with worker(lab) as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdout.readline()
        for number, command in enumerate(commands, 1):
            process.stdin.write(json.dumps({"id": number, **command}) + "\n")
            process.stdin.flush()
            if command["cmd"] != "collect":
                answer = json.loads(process.stdout.readline())
                assert answer["ok"], answer
        process.stdin.close()


@contextmanager
def worker(lab: Lab) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [str(real_worker()), "participate"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        text=True, errors="replace", env=lab.environment,
    )  # fmt: skip
    try:
        yield process
        process.wait(WATCHDOG_S)
    finally:
        process.kill()
        process.wait()
        if process.stdout:
            process.stdout.close()


RELIABLE = ("--qos", "reliable,keep_all")


def stream(bus: Bus, test: int, size: int) -> dict[str, Any]:
    """Let application 3 send ten samples; return the last message."""
    start = ("--app", 3, "--test", test, "--rate", 20, "--duration", 0.5, "--size", size)
    return bus.json("start", "transmitter", *start, *RELIABLE, "--follow")[-1]


def stopped(bus: Bus, kind: str) -> dict[str, Any]:
    ended = [m for m in bus.json("stop", "--app", 4, "--test", 8) if m["news"] == "ended"]
    (text,) = [message for message in ended if message["kind"] == kind]
    return dict(text)


def test_ends_of_different_sizes_contradict_each_other_and_only_their_test_fails(bus: Bus) -> None:
    receiver = ("receiver", "--app", 4, "--test", 8, "--from", 3, *RELIABLE)
    assert bus.call("start", *receiver).code == 0
    assert stream(bus, 8, 1000)["result"]["run"][0]["sent"] > 0
    words = "receiver 8 is for bodies of 64 bytes, and the other end sends 1000"
    heard = bus.watched(lambda said: any(m.get("news") == "ended" and m.get("error") for m in said))
    lines = [m["message"] for m in heard if m.get("trouble") == "contradiction"]
    assert lines and all(text.startswith(words) for text in lines), lines
    (ended,) = [m for m in heard if m.get("news") == "ended" and m.get("error")]
    assert ended["error"]["message"].startswith(words)
    assert ended["result"]["roles"][0]["received"] == 0
    assert bus.tests() == set(), "a receiver that cannot read its stream does not run"

    assert bus.call("start", *receiver, "--size", 1000).code == 0
    sent = stream(bus, 8, 1000)["result"]["run"][0]["sent"]
    ended = stopped(bus, "receiver")
    assert not ended.get("error")
    assert ended["result"]["roles"][0]["received"] == sent > 0


def test_a_change_is_answered_for_each_application(bus: Bus) -> None:
    start = ("transmitter", "--app", 3, "--test", 6, "--readers", 0, "--rate", 20)
    assert bus.call("start", *start).code == 0
    change = ("--group", 1, "--test", 6, "--pause")
    values = {m["app"]: m["result"] for m in bus.json("set", *change)}
    assert values[3]["kind"] == "transmitter" and "no test 6" in values[4]["none"]
    listed = {t["test"]: t["state"] for m in bus.members() for t in m["tests"]}
    assert listed == {6: "paused"}
    bus.stop()
    assert bus.tests() == set()


def test_of_two_that_join_at_once_under_one_number_one_does(lab: Lab) -> None:
    need_adapters("cyclonedds")
    words = ("bus", "participant", *CYCLONE, "--app", "6")
    with ExitStack() as stack:
        both = [stack.enter_context(tidy(lab.start(*words))) for _ in range(2)]
        eventually(
            lambda: any(each.poll() is not None for each in both), lambda: "both have joined"
        )
        (refused,) = [each for each in both if each.poll() is not None]
        ended = end(refused)
        # Refused by whoever joins as well, or, if that began sooner, by whoever is there.
        assert ended.code == 2 and "application 6" in ended.err, ended.text
        (there,) = [each for each in both if each is not refused]
        assert there.stdout is not None and "app 6: joined" in there.stdout.readline()


def discovered(bus: Bus, *apps: int) -> dict[str, Any]:
    """Return what these applications have discovered, by kind. A single application is not waited
    for any longer than it takes to answer."""
    answers = [bus.call("discovery", "--app", app, "--json") for app in apps]
    assert [ended.code for ended in answers] == [0] * len(apps), [e.text for e in answers]
    return {one["kind"]: one for ended in answers for one in json.loads(ended.out)}


def test_a_latency_test_has_its_creation_match_and_first_samples(bus: Bus) -> None:
    assert bus.call("discovery").out == "Nobody has a test; `busmark bus start` begins one.\n"
    # With their whole history answers reach a reader that the answering writer has yet to meet.
    qos = ("--test", 7, "--qos", "reliable,transient_local,keep_all")
    assert bus.call("start", "transponder", "--app", 4, *qos).code == 0
    waits = discovered(bus, 4)["transponder"]
    assert waits["created_ns"] > 0 and waits["matched"] is None and waits["first"] == []
    start = ("--app", 3, "--from", 4, "--rate", 100, "--duration", 600)
    assert bus.call("start", "transceiver", *start, *qos).code == 0

    def complete() -> dict[str, Any] | None:
        text = discovered(bus, 3, 4)
        return text if all(one["matched"] and one["first"] for one in text.values()) else None

    text = eventually(complete, lambda: str(discovered(bus, 3, 4)))
    for kind, app in (("transceiver", 4), ("transponder", 3)):
        one = text[kind]
        assert one["matched"]["counterparts"] == 2, "a writer and a reader"
        # Cyclone DDS reports the moment of a match.
        assert one["matched"]["after_ns"] == one["matched"]["ns"] >= 0
        (first,) = one["first"]
        assert (first["app"], first["before"], first["lost"]) == (app, 0, 0)
        assert first["ns"] >= one["matched"]["ns"], "no sample comes before the match"
    assert "transponder" in bus.call("discovery", "--app", 4).out
    bus.stop()


def test_whoever_comes_to_a_running_stream_has_lost_only_what_was_sent_since(bus: Bus) -> None:
    start = ("--app", 3, "--test", 8, "--readers", 0, "--rate", 200, "--duration", 600)
    assert bus.call("start", "transmitter", *start, "--qos", "reliable").code == 0
    assert discovered(bus, 3)["transmitter"]["matched"] is None, "it waits for nobody"
    receiver = ("receiver", "--app", 4, "--test", 8, "--from", 3, "--qos", "reliable")
    assert bus.call("start", *receiver).code == 0

    def judged() -> dict[str, Any] | None:
        one = discovered(bus, 4)["receiver"]
        return one if one["first"] and one["first"][0]["lost"] is not None else None

    one = eventually(judged, lambda: str(discovered(bus, 4)))
    (first,) = one["first"]
    # The stream had run since before the receiver was asked for.
    assert first["before"] > first["lost"] >= 0
    assert first["lost"] <= first["ns"] / 1e9 * 200 + 1
    kinds: set[str] = set()

    def both() -> bool:
        lines = bus.call("discovery", "--for", 1, "--json").out.splitlines()
        kinds.update(json.loads(line)["kind"] for line in lines)
        return kinds == {"transmitter", "receiver"}

    eventually(both, lambda: str(kinds))

    def live(said: list[Any]) -> list[Any]:
        return [m["event"] for m in said
                if m.get("news") == "event" and m["event"]["event"] == "discovery"]  # fmt: skip

    assert all("created_ns" in event for event in live(bus.watched(live)))
    bus.stop()
