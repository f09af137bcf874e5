"""Rules about requests of a service, and their responses."""

from __future__ import annotations

from typing import Any

import pytest
from planted import THROUGHPUT, Planted, Planting, finds, params


def service(**matrix: Any) -> dict[str, Any]:
    return params("cyclonedds", test="service", placement="different", **matrix)


CLIENTS = service(clients=4)
DEPTH_1 = service(clients=2, outstanding=8, qos={"history": "keep_last", "depth": 2})
PACED = service(rate_hz=100.0)
TIMELINE = service(rate_hz=100.0, timeline=[{"at_s": 1.0, "server": "down"}])
SLOW = service(server_time_s=0.001)
UNANSWERED, OVERWRITTEN, BUSY = "unanswered-requests", "requests-overwritten", "server-busy"
READY, MISROUTED = "matched-before-ready", "responses-misrouted"

PLANTED: dict[str, Planting] = {
    "requests without a response": (
        UNANSWERED, CLIENTS, {"lost": [0, 100, 0], "late": [0, 60, 0], "refused": [0, 5, 0]},
        "warning", "100 of 6 000 requests unanswered (1.7 %)|60 of the responses came too late|"
        "5 could not be sent"),
    "few requests without a response": (UNANSWERED, CLIENTS, {"lost": [0, 1, 0]}, "note", "1 of"),
    "a server that the timeline takes down": (
        UNANSWERED, TIMELINE, {"lost": 1000}, "warning", "the timeline takes the server down"),
    "all requests answered": (UNANSWERED, CLIENTS, {}, None, ""),
    "a stream's loss is none of a service": (UNANSWERED, THROUGHPUT, {"lost": 100}, None, ""),
    "a service's loss is none of a stream": (
        "loss-under-reliable", service(qos={"history": "keep_all"}), {"lost": 100}, None, ""),
    "responses to others took the place": (
        OVERWRITTEN, CLIENTS, {"lost": 3, "by_topics": True}, "warning",
        "9 requests without any response; the 4 clients may have 4 under way, and history keeps "
        "the last 10"),
    "more requests under way than history keeps": (
        OVERWRITTEN, DEPTH_1, {"lost": 3}, "warning",
        "may have 16 under way, and history keeps the last 2"),
    "late responses were not overwritten": (
        OVERWRITTEN, CLIENTS, {"lost": 3, "late": 3, "by_topics": True}, None, ""),
    "one client of a native service loses by something else": (
        OVERWRITTEN, service(), {"lost": 3, "by_topics": False}, None, ""),
    "a server that is down overwrites nothing": (
        OVERWRITTEN, TIMELINE, {"lost": 3, "by_topics": True}, None, ""),
    "a server that works all the time": (
        BUSY, SLOW, {"received": [1000, 1950, 900]}, "note",
        "in round 1, 1 950 requests of 1.00 ms kept its thread at work 98 % of the time"),
    "a server that is idle half of the time": (BUSY, SLOW, {"received": 1000}, None, ""),
    "a server without work": (BUSY, PACED, {"received": 2000}, None, ""),
    "responses at another client": (
        MISROUTED, CLIENTS, {"misrouted": [0, 2, 0]}, "error", "2 responses of 6 000 requests"),
    "responses where they belong": (MISROUTED, CLIENTS, {"misrouted": 0}, None, ""),
}  # fmt: skip


@pytest.mark.parametrize("name", PLANTED)
def test_a_rule_finds_what_is_planted_and_nothing_else(campaign: Planted, name: str) -> None:
    finds(campaign, PLANTED[name])


def test_a_match_before_the_server_can_answer_is_known_where_matches_are(
    campaign: Planted,
) -> None:
    columns = {"ignored": [0, 3, 0], "available_s": [0.001, 0.25, 0.001]}
    campaign.case("a", (), CLIENTS, rows=3, **columns)
    assert campaign.findings_of(READY) == []
    campaign.adapters["cyclonedds"] = {"features": ["matched"]}
    (found,) = campaign.findings_of(READY)
    assert "3 requests before the first response" in found.evidence
    assert "the first response came after up to 250 ms" in found.evidence
