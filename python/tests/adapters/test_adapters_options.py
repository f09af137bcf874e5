"""Parameters that stand for options of adapters: each adapter has those that are named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from busmark.adapters.known import known, options_of
from busmark.model.parameters import PARAMETERS

DESCRIBED = Path(__file__).resolve().parents[3] / "docs" / "reference" / "adapters.json"
STAND_FOR = {each.name: each.default for each in PARAMETERS if each.needs == "options"}


def options() -> dict[str, set[str]]:
    """Keys of the options of each adapter, as it describes itself."""
    described = json.loads(DESCRIBED.read_text())
    found = described.values() if isinstance(described, dict) else described
    return {one["name"]: {option["key"] for option in one["options"]} for one in found}


@pytest.mark.parametrize("name", sorted(known()))
def test_what_a_parameter_stands_for_is_an_option_of_the_adapter(name: str) -> None:
    for said in known()[name].stands_for:
        parameter, _, value = said.partition("=")
        assert parameter in STAND_FOR and value != STAND_FOR[parameter]
        # One that nobody could build yet has not described itself.
        assert options_of(name, parameter, value).keys() <= options().get(
            name, {*options_of(name, parameter, value)}
        )


def test_tuned_buffers_are_what_the_kernel_grants_and_no_more_than_enough() -> None:
    granted = int(Path("/proc/sys/net/core/rmem_max").read_text())
    found = options_of("udp", "socket_buffers", "tuned")
    assert int(found["receive_buffer_bytes"]) == min(granted, 4 << 20)
    assert options_of("udp", "socket_buffers", "os") == {}
    assert options_of("null", "socket_buffers", "tuned") == {}
