"""What is on a bus: whose it is, in words and as JSON; also what strangers announce."""

from __future__ import annotations

import json
from typing import Any

import pytest

from busmark.plugins.bus import found as module
from busmark.plugins.bus.found import Found
from busmark.plugins.bus.commands import found as bus_found

QOS: dict[str, Any] = {
    "reliable": None, "max_blocking_ns": 0, "keep_all": None, "depth": 0, "transient_local": None,
    "lifespan_ns": None, "deadline_ns": None, "latency_budget_ns": None,
    "transport_priority": None, "partition": None, "ownership_strength": None,
    "order_by_source": False, "max_samples": None, "time_based_filter_ns": None,
    "liveliness_lease_ns": None,
}  # fmt: skip
MINE, OURS, OTHER, OLD = ("0110" + c * 28 for c in "abcd")


def participant(key: str, **known: Any) -> dict[str, Any]:
    return {"kind": "participant", "own": False, "vendor": 0x0110, "key": key, "participant": key,
            "name": "", "host": "", "process": "", "topic": "", "type_name": "", "qos": None,
            "more": "", **known}  # fmt: skip


def endpoint(kind: str, of: str, topic: str, **known: Any) -> dict[str, Any]:
    number = len(topic) * 2 + (kind == "reader")
    return {**participant(of), "kind": kind, "key": f"{of[:24]}{number:08x}", "participant": of,
            "topic": topic, "type_name": "busmark::OctetSample", "qos": dict(QOS),
            **known}  # fmt: skip


TESTS = [{"test": 7, "kind": "transponder", "state": "running"}]
ANSWERS = [
    {"app": 3, "group": 1, "result": {"participant": OURS, "host": "h", "pid": 5, "tests": TESTS}},
    {"app": 4, "group": None, "result": {"participant": None, "host": "old", "pid": 9}},
]
BUS = Found(
    [
        participant(MINE, own=True, host="h", process="11 busmark-worker"),
        participant(OURS, host="h", process="5 busmark-worker"),
        participant(OTHER, vendor=0x010F, name="talker"),
        participant(OLD, vendor=0x0103, host="old", process="9"),
        endpoint("writer", OURS, "busmark_bus_news"),
        endpoint("reader", OURS, "busmark_bus_7_ping"),
        endpoint("writer", OTHER, "rt/chatter", type_name="std_msgs::String"),
        endpoint("writer", OTHER, "busmark_bus_7_pong"),
    ],
    ANSWERS, 10**18, True,
)  # fmt: skip


def test_participants_are_known_by_their_key_or_by_host_and_process() -> None:
    owners = BUS.owners()
    assert owners[MINE].what == "this command"
    assert owners[OURS].words() == "app 3 (group 1)" and owners[OURS].tests == tuple(TESTS)
    assert owners[OLD].words() == "app 4"
    assert owners[OTHER].what == "foreign"


def test_who_orders_or_does_not_answer_is_none_of_the_foreigners() -> None:
    silent = [endpoint("writer", OTHER, "busmark_bus_news")]
    assert "does not answer" in Found(silent, [], 0, True).owners()[OTHER].what
    orders = [endpoint("writer", OTHER, "busmark_bus_orders")]
    assert Found(orders, [], 0, True).owners()[OTHER].what == "busmark command"


def test_a_test_is_named_where_the_application_is_ours_only() -> None:
    told = module.as_json(BUS)
    tests = {one["topic"]: one["test"] for one in told["endpoints"]}
    assert tests == {"busmark_bus_news": None, "busmark_bus_7_ping": 7, "busmark_bus_7_pong": None,
                     "rt/chatter": None}  # fmt: skip
    vendors = [one["vendor"] for one in told["participants"]]
    assert vendors == ["Cyclone DDS", "Cyclone DDS", "Fast DDS", "OpenDDS"]
    assert told["participants"][2]["host"] is None
    json.dumps(told)


@pytest.mark.parametrize(
    ("qos", "words", "document"),
    [
        ({}, "", {}),
        ({"reliable": False, "transient_local": False}, "best_effort, volatile",
         {"reliable": False, "transient_local": False}),
        ({"reliable": True, "max_blocking_ns": 5, "keep_all": False, "depth": 3,
          "deadline_ns": 100_000_000, "partition": "a,b", "order_by_source": True,
          "ownership_strength": 0},
         "reliable, keep_last:3, deadline_s:0.1, partition:a,b, ownership_strength:0, "
         "destination_order:source",
         {"reliable": True, "max_blocking_ns": 5, "keep_all": False, "depth": 3,
          "deadline_ns": 100_000_000, "partition": "a,b", "order_by_source": True,
          "ownership_strength": 0}),
    ],
)  # fmt: skip
def test_qos_is_what_is_announced_and_nothing_else(
    qos: dict[str, Any], words: str, document: dict[str, Any]
) -> None:
    whole = {**QOS, **qos}
    assert module.qos_words(whole) == words
    one = endpoint("writer", OTHER, "t", qos=whole)
    assert module.as_json(Found([one], [], 0, True))["endpoints"][0]["qos"] == document


def test_foreign_topics_are_chosen_by_name_and_control_topics_left_out() -> None:
    def topics(**chosen: Any) -> list[str]:
        shown = bus_found.Filter(**{"topic": None, "foreign": False, "everything": False, **chosen})
        return [one["topic"] for one in shown.endpoints(BUS)]

    assert topics() == ["busmark_bus_7_ping", "busmark_bus_7_pong", "rt/chatter"]
    assert "busmark_bus_news" in topics(everything=True)
    assert topics(foreign=True) == ["busmark_bus_7_pong", "rt/chatter"]
    assert topics(topic="rt/*") == ["rt/chatter"]
    assert topics(topic="nothing") == []


def test_types_of_busmark_only_are_read() -> None:
    assert module.payload_of("busmark::OctetSample") == ("octet", False)
    assert module.payload_of("busmark::KeyedSample") == ("octet", True)
    assert module.payload_of("std_msgs::msg::dds_::String_") is None


def test_answers_of_strangers_are_borne() -> None:
    strange = [{"app": 9, "result": {"participant": 3, "tests": [1, {}, "x"]}},
               {"app": 9, "result": {"tests": None}}]  # fmt: skip
    assert Found(BUS.entities, strange, 0, True).owners()[OTHER].what == "foreign"
