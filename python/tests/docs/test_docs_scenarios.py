"""Scenarios on the pages, and those that ship, are valid and can be planned."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from docs_pages import ROOT, Block, blocks, is_scenario, name

from busmark.adapters import Adapter
from busmark.plan import expand
from busmark.scenario import Scenario, parse, shipped

SHOWN = [block for block in blocks("toml") if is_scenario(block)]
SHIPPED = shipped()
CASES = [pytest.param(b.text, id=f"{name(b.page)}-{i}") for i, b in enumerate(SHOWN)]
CASES += [pytest.param(file.read_text(encoding="utf-8"), id=name) for name, file in SHIPPED.items()]


def able(adapter: str) -> Adapter:
    """Return an adapter that can do what the pages ask of it."""
    capabilities: dict[str, Any] = {
        "transports": ["udp", "multicast"], "waits": ["listener", "waitset", "poll"],
        "payloads": ["octet"], "reach": ["process", "host"], "max_body_bytes": 1 << 24,
        "qos": ["reliable", "best_effort", "keep_last", "keep_all"], "options": [],
        "features": ["keys", "content_filter"],
    }  # fmt: skip
    return Adapter(adapter, Path(adapter), capabilities, None)


SCHEMA = json.loads((ROOT / "schemas/scenario.schema.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.validators.validator_for(SCHEMA)(SCHEMA)
"""Made once: checking the schema itself takes the longest."""


def test_the_schema_is_one() -> None:
    VALIDATOR.check_schema(SCHEMA)


def test_the_pages_show_scenarios() -> None:
    assert len(SHOWN) >= 5


@pytest.mark.parametrize("text", CASES)
def test_a_scenario_is_valid_and_has_cases(text: str) -> None:
    scenario = parse(text, "shown", [])
    assert expand(scenario, {name: able(name) for name in scenario.adapters})


@pytest.mark.parametrize("text", CASES)
def test_a_scenario_fits_the_schema(text: str) -> None:
    VALIDATOR.validate(tomllib.loads(text))


@pytest.mark.parametrize("text", CASES)
def test_a_scenario_as_stored_is_the_same_scenario(text: str) -> None:
    scenario = parse(text, "shown", [])
    stored = scenario.model_dump(mode="json")
    VALIDATOR.validate(stored)
    assert Scenario.model_validate(stored) == scenario


@pytest.mark.parametrize(
    "change",
    [
        {"mesure": {}},
        {"matrix": {"adapter": "udp", "sise": 3}},
        {"matrix": {"adapter": []}},
        {"matrix": {"adapter": "udp", "placement": "elsewhere"}},
        {"matrix": {}},
    ],
)
def test_the_schema_refuses_what_busmark_refuses(change: dict[str, Any]) -> None:
    document = {"name": "x", "matrix": {"adapter": "udp"}, **change}
    with pytest.raises(jsonschema.ValidationError):
        VALIDATOR.validate(document)
    with pytest.raises(ValueError):
        Scenario.model_validate(document)


def test_single_values_and_options_fit_the_schema() -> None:
    text = """
    name = "x"
    [matrix]
    adapter = "tcp"
    [matrix.option]
    tcp.nodelay = [true, false]
    """
    VALIDATOR.validate(tomllib.loads(text))
    assert parse(text, "x", []).matrix.option == {"tcp.nodelay": ["true", "false"]}


def test_no_block_of_another_kind_is_taken_for_a_scenario() -> None:
    block = Block(ROOT, "toml", '[package]\nname = "x"\n')
    assert not is_scenario(block)
