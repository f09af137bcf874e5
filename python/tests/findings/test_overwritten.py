"""Streams of which readers did not get all: where samples went, as far as counters say."""

from __future__ import annotations

from typing import Any

import pytest
from planted import Planted, params

NARROW = "\N{NARROW NO-BREAK SPACE}"


def stream(reliability: str) -> dict[str, Any]:
    qos = {"reliability": reliability, "history": "keep_last", "depth": 1}
    return params("fastdds", test="throughput", placement="different", qos=qos)


def evidence(campaign: Planted, rule: str, reliability: str, **columns: Any) -> list[str]:
    campaign.case("a", params=stream(reliability), rows=2, **columns)
    return [found.evidence.replace(NARROW, "") for found in campaign.found(rule)]


def test_what_the_middleware_does_not_count_was_overwritten_at_the_reader(
    campaign: Planted,
) -> None:
    (text,) = evidence(campaign, "overwritten", "best_effort", lost=[500, 300],
                       middleware_lost=[100, 20], overwritten=[390, 280])  # fmt: skip
    assert "800 of" in text and "counts 120 as lost before they reached a reader" in text
    assert "at least 670 were overwritten in a reader's history" in text


def test_reliable_delivery_does_not_distinguish_the_histories(campaign: Planted) -> None:
    (text,) = evidence(campaign, "loss-under-reliable", "reliable", lost=9, middleware_lost=0,
                       overwritten=9, udp_socket_drops=7)  # fmt: skip
    assert "at least 18 were overwritten in the history of the writer or of a reader" in text
    assert "which counters do not distinguish" in text and "dropped 14 datagrams" in text


def test_all_lost_on_the_way_is_not_called_overwritten(campaign: Planted) -> None:
    (text,) = evidence(campaign, "overwritten", "best_effort", lost=50, middleware_lost=60,
                       overwritten=0)  # fmt: skip
    assert "none is known to have been overwritten" in text


UNKNOWN = pytest.mark.parametrize("unknown", [[None, None], [9, None]])


@UNKNOWN
def test_without_a_counter_a_best_effort_stream_has_no_finding(
    campaign: Planted, unknown: list[int | None]
) -> None:
    columns = {"lost": 10, "middleware_lost": unknown, "overwritten": unknown}
    assert evidence(campaign, "overwritten", "best_effort", **columns) == []


def mesh(campaign: Planted, drops: int, **asked: Any) -> list[str]:
    case = params("cyclonedds", test="throughput", placement="free", qos=asked, applications=2,
                  topics=3, writers=1, readers=1)  # fmt: skip
    campaign.case("a", params=case, rows=2, lost=4, udp_socket_drops=drops)
    return [found.evidence.replace(NARROW, "") for found in campaign.found("overwritten")]


def test_more_writers_than_a_reader_keeps_samples_are_named(campaign: Planted) -> None:
    (text,) = mesh(campaign, 0, reliability="best_effort")
    assert "no socket of the participants dropped a datagram" in text
    assert "a reader keeps the last sample of 2 writers together" in text


@pytest.mark.parametrize(
    ("drops", "asked"),
    [(1, {}), (0, {"history": "keep_last", "depth": 2}), (0, {"history": "keep_all"})],
)
def test_what_sockets_dropped_or_a_history_holds_is_not_blamed_on_it(
    campaign: Planted, drops: int, asked: dict[str, Any]
) -> None:
    assert mesh(campaign, drops, reliability="best_effort", **asked) == []


@UNKNOWN
def test_without_a_counter_a_reliable_stream_has_the_count_of_losses_alone(
    campaign: Planted, unknown: list[int | None]
) -> None:
    columns = {"lost": 10, "middleware_lost": unknown, "overwritten": unknown}
    (text,) = evidence(campaign, "loss-under-reliable", "reliable", **columns)
    assert "overwritten" not in text and "20 of" in text
