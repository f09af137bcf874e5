"""Socket buffers of a case: options of each adapter's own, where it has some."""

from __future__ import annotations

from typing import Any

from plan_adapters import adapter

from busmark.plan import expand, flows
from busmark.scenario import Scenario
from busmark.store import Case

OPTIONS = [{"key": key, "value": "0", "doc": ""}
           for key in ("receive_buffer_bytes", "send_buffer_bytes")]  # fmt: skip


def cases(**matrix: Any) -> list[Case]:
    names = ("udp", "paper")
    adapters = {name: adapter(name, options=OPTIONS if name == "udp" else []) for name in names}
    return expand(Scenario.model_validate({"name": "x", "matrix": matrix}), adapters)


def test_tuned_buffers_are_options_of_all_participants_and_no_part_of_other_cases() -> None:
    os, tuned = cases(adapter="udp", socket_buffers=["os", "tuned"])
    assert "socket_buffers" not in os.params.declared() and tuned.params.socket_buffers == "tuned"
    assert tuned.id.endswith("tunedbuffers") and tuned.params.settings == {}
    assert all(not each.settings for each in flows(os.params).participants)
    for each in flows(tuned.params).participants:
        assert dict(each.settings).keys() == {"receive_buffer_bytes", "send_buffer_bytes"}


def test_an_option_that_is_asked_for_by_itself_stands() -> None:
    asked = {"udp.receive_buffer_bytes": ["65536"]}
    (case,) = cases(adapter="udp", socket_buffers="tuned", option=asked)
    found = dict(flows(case.params).participants[0].settings)
    assert found["receive_buffer_bytes"] == "65536" and found["send_buffer_bytes"] != "65536"


def test_an_adapter_without_such_options_does_not_have_them() -> None:
    os, tuned = cases(adapter="paper", socket_buffers=["os", "tuned"])
    assert os.status == "planned" and tuned.status == "unsupported"
    assert tuned.reason == "no socket_buffers tuned: the adapter has no option for it"
