"""Documents that Busmark writes and commands that it sends fit the schemas."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from docs_pages import ROOT
from seams import done
from synthetic_campaign import comparison

from busmark import compare
from busmark.store import Result
from busmark.track import entry_of, track


def schema(kind: str) -> dict[str, Any]:
    """Load one of the schemas, which must be valid."""
    text = (ROOT / f"schemas/{kind}.schema.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    jsonschema.Draft202012Validator.check_schema(loaded)
    return loaded


def part(kind: str, name: str) -> dict[str, Any]:
    """Return one definition of a schema, with the others it needs."""
    whole = schema(kind)
    return {"$ref": f"#/$defs/{name}", "$defs": whole["$defs"]}


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Result:
    """Make a campaign with everything in it."""
    return Result(comparison(tmp_path_factory.mktemp("schemas"), samples=200, rounds=3))


FACTS = sorted(ROOT.glob("adapters/*/adapter.toml"))


@pytest.mark.parametrize("file", FACTS, ids=lambda file: file.parent.name)
def test_the_facts_of_an_adapter_fit_their_schema(file: Path) -> None:
    jsonschema.validate(tomllib.loads(file.read_text(encoding="utf-8")), schema("adapter"))


def test_an_analysed_result_fits_its_schema(result: Result) -> None:
    jsonschema.validate(json.loads(done("show", result.directory, "--json")), schema("result"))


def test_a_comparison_fits_its_schema(result: Result) -> None:
    comparison = compare.compare(
        compare.select([str(result.directory)], ["adapter"], "udp"),
        by=["adapter"],
        gate=compare.Gate([compare.Criterion.parse("median.latency > 1.1")]),
    )
    jsonschema.validate(comparison.model_dump(mode="json"), schema("comparison"))


def test_a_line_of_a_history_and_what_is_found_in_it_fit_their_schemas(result: Result) -> None:
    entry, _ = entry_of(result.directory, commit="a", date="2026-01-01")
    jsonschema.validate(json.loads(entry.model_dump_json(exclude_none=True)), schema("history"))
    lines = [
        entry.model_copy(update={"cookie": str(number), "measured_utc": f"2026-01-{number:02d}"})
        for number in range(10, 18)
    ]
    tracked = track(Path("h.jsonl"), lines).model_dump(mode="json")
    jsonschema.validate(tracked, schema("tracked"))


def test_a_manifest_fits_its_schema(result: Result) -> None:
    jsonschema.validate(result.manifest.model_dump(mode="json"), schema("manifest"))


@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        ("serve", {"adapter": "libbusmark_mqtt.so", "config": {"domain": 0}}),
        ("connect", {"locators": {"busmark_ping": ["127.0.0.1:1"]}, "writer_locators": {}}),
        ("match", {"timeout_s": 10.0, "expect": {"t": {"writers": 1, "readers": 1}}}),
        ("setup", {}),
        ("start", {}),
        ("run", {}),
        ("drain", {"expect": [{"writer": 1, "sent": 10}], "idle_s": 0.1, "limit_s": 1.0}),
        ("collect", {}),
    ],
)
def test_every_command_of_a_round_fits(command: str, arguments: dict[str, Any]) -> None:
    request = {"id": 2, "cmd": command, **arguments}
    jsonschema.validate(request, part("control", "Request"))


def test_messages_on_a_bus_fit_their_schema() -> None:
    fits = jsonschema.Draft202012Validator(schema("bus"))
    written = ROOT / "crates/busmark-bus/tests/data/messages.jsonl"
    recorded = ROOT / "python/busmark/plugins/bus/tests/recorded/session.jsonl"
    for file in (written, recorded):
        for line in file.read_text(encoding="utf-8").splitlines():
            assert fits.is_valid(json.loads(line)), line
    order = json.loads(written.read_text(encoding="utf-8").splitlines()[0])
    assert not fits.is_valid({**order, "do": {"cmd": "dance"}})


def test_the_schema_files_are_all_there() -> None:
    found = {path.name for path in Path(ROOT / "schemas").iterdir()}
    kinds = (
        "scenario", "control", "result", "prediction", "comparison", "history", "tracked",
        "manifest", "listing", "events", "bus", "recording", "capture", "explain", "adapter",
    )  # fmt: skip
    assert found == {f"{kind}.schema.json" for kind in kinds}
