"""Which participants of a case meet at one server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from busmark.adapters import Adapter
from busmark.control.companions.servers import served, serving
from busmark.control.places import Place
from busmark.control.roles import roles
from busmark.control.round import Seat
from busmark.plan import expand
from busmark.plan.flows import flows
from busmark.scenario import Scenario

SERVED = {
    "features": ["server"],
    "options": [{"key": key, "value": "", "doc": ""} for key in ("server", "agents")],
}
CLIENT = {"options": [{"key": "server", "value": "", "doc": ""}]}
LINED = {**SERVED, "options": [*SERVED["options"], {"key": "lines", "value": "16", "doc": ""}]}
HERE = Place("lo", "127.0.0.1")


def adapter(name: str, **changes: Any) -> Adapter:
    can = {
        "transports": ["fast"], "payloads": ["octet"], "waits": ["poll"], "reach": ["host"],
        "qos": ["reliable"], "options": [], "features": [], "max_body_bytes": 1000, **changes,
    }  # fmt: skip
    return Adapter(name, Path(f"/lib{name}.so"), can, None)


ADAPTERS = {
    each.name: each
    for each in (
        adapter("xrce", **SERVED), adapter("other", **SERVED), adapter("client", **CLIENT),
        adapter("dds"), adapter("lines", **LINED),
    )
}  # fmt: skip


def seated(matrix: dict[str, Any], **scenario: Any) -> list[list[Seat]]:
    """Participants at each server of the only case."""
    asked = Scenario.model_validate({"name": "x", "matrix": matrix, **scenario})
    (case,) = expand(asked, ADAPTERS)
    found = flows(case.params)
    does = roles(found, case.params, 1)
    seats = [
        Seat(own, ADAPTERS[own.adapter], does[own], HERE, {"settings": list(own.settings.items())})
        for own in found.participants
    ]
    return served(case.params, seats, ADAPTERS)


def met(matrix: dict[str, Any], **scenario: Any) -> list[list[str]]:
    """Names of participants at each server of the only case."""
    return [
        [f"{seat.participant.name}:{seat.adapter.name}" for seat in those]
        for those in seated(matrix, **scenario)
    ]


@pytest.mark.parametrize(
    ("matrix", "expected"),
    [
        ({"adapter": "xrce"}, [["passive:xrce", "active:xrce"]]),
        ({"adapter": "dds"}, []),
        # A server of whoever has one; the other side has none and needs none.
        ({"adapter": "dds", "peer": "xrce"}, [["passive:xrce"]]),
        ({"adapter": "xrce", "peer": "dds"}, [["active:xrce"]]),
        # Both at the server of the case's adapter, or of the only one that has one.
        ({"adapter": "xrce", "peer": "other"}, [["active:xrce", "passive:other"]]),
        ({"adapter": "other", "peer": "xrce"}, [["active:other", "passive:xrce"]]),
        ({"adapter": "client", "peer": "xrce"}, [["passive:xrce", "active:client"]]),
        ({"adapter": "xrce", "option": {"xrce": {"server": "a:1"}}}, []),
    ],
)
def test_adapter_and_peer_share_a_server(matrix: dict[str, Any], expected: list[list[str]]) -> None:
    assert met(matrix) == expected


TWO = {"agents": "2"}


def test_two_agents_have_a_side_each() -> None:
    assert met({"adapter": "xrce", "option": {"xrce": TWO}}) == [["passive:xrce"], ["active:xrce"]]


def test_two_agents_are_of_each_side_s_own_kind() -> None:
    matrix = {"adapter": "xrce", "peer": "other", "option": {"xrce": TWO, "other": TWO}}
    assert met(matrix) == [["passive:other"], ["active:xrce"]]


def test_participants_of_the_scenario_s_own_are_at_the_server_of_their_side() -> None:
    beside = {
        "flow": [{"name": "more", "rate_hz": 1.0, "writers": ["w"], "readers": ["r"]}],
        "participant": [{"name": "w", "option": TWO}, {"name": "r", "option": TWO}],
    }
    assert met({"adapter": "xrce", "option": {"xrce": TWO}}, **beside) == [
        ["passive:xrce", "r:xrce"], ["active:xrce", "w:xrce"],
    ]  # fmt: skip


def test_a_server_has_a_line_for_each_of_its_participants() -> None:
    def lines(**matrix: Any) -> list[Any]:
        return [dict(serving(those)["settings"]).get("lines") for those in seated(matrix)]

    assert lines(adapter="lines") == ["2"]
    assert lines(adapter="lines", option={"lines": TWO}) == ["1", "1"]
    assert lines(adapter="lines", option={"lines": {"lines": "9"}}) == ["9"]
    assert lines(adapter="xrce") == [None]
