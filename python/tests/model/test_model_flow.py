"""Flows, participants and changes of a case: what is stored, and what a scenario may ask for."""

from __future__ import annotations

import json

from busmark.model.flow import Change, Flow, Participant
from busmark.model.parameters import CHANGE, FLOW, PARTICIPANT, POLICIES, Parameters
from busmark.plan.flows import flows
from busmark.scenario.system import FlowSection, ParticipantSection
from busmark.scenario.timeline import ChangeSection, QosChange

STORED = {
    "test": "latency", "adapter": "udp",
    "participants": [
        {"name": "console", "adapter": "udp", "transport": "udp", "wait": "poll",
         "settings": {"mtu": 9000}, "on": None, "cpus": "0+1", "fifo": 3, "newer": [1]},
    ],
    "flows": [
        {"name": "state", "writers": ["console"], "readers": ["passive"], "rate_hz": 10.0,
         "arrivals": "constant", "payload": "octet", "size": 64,
         "qos": {"deadline_s": 1, "reliability": "reliable"}, "batch_ack": "ends", "newer": 2.5},
    ],
    "changes": [{"at_s": 0.5, "flow": None, "rate_hz": None, "qos": {"lifespan_s": 1}}],
}  # fmt: skip


def test_what_is_stored_is_stored_again_byte_for_byte() -> None:
    text = json.dumps(STORED, separators=(",", ":"))
    params = Parameters.model_validate_json(text)
    assert params.model_dump_json() == text and params.stated() == STORED
    (flow,), (change,) = params.flows, params.changes
    assert (flow.kind, flow.echo, flow.batch, change.link) == ("stream", [], 0, None)


def test_a_flow_of_a_round_has_every_parameter_of_the_flow_of_the_case() -> None:
    *_, found = flows(Parameters.model_validate(STORED)).flows
    (given,) = Parameters.model_validate(STORED).flows
    ends = {"writers", "readers", "echo"}
    for name in type(given).model_fields.keys() - ends:
        assert getattr(found, name) == getattr(given, name)
    assert [end.participant.name for end in found.ends] == ["console", "passive"]


def test_tables_of_a_scenario_have_what_is_asked_for() -> None:
    for section, rows, of in (
        (FlowSection, FLOW, Flow),
        (ParticipantSection, PARTICIPANT, Participant),
        (ChangeSection, CHANGE, Change),
    ):
        assert {each.name for each in rows} <= section.model_fields.keys() & of.model_fields.keys()
        assert all(section.model_fields[each.name].description for each in rows)
    mutable = [name for name, each in POLICIES.items() if each.change is not None]
    assert [*QosChange.model_fields] == mutable
