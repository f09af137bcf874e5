"""JSON Schemas of the scenario, the control protocol, the messages on a bus, the analysed result,
predictions, comparisons, histories, the manifest, the list of results, the events of a run,
recordings and captures."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any, get_args

from pydantic import BaseModel
from tools.pages import docstrings

from busmark import facts
from busmark.adapters import bus, worker
from busmark.compare import Comparison
from busmark.compare.campaign import Campaign
from busmark.control import events
from busmark.errors import UserError
from busmark.model import units
from busmark.plugin import active, load
from busmark.plugins.bus.recording import model as recording
from busmark.plugins.capture import model as capture
from busmark.plugins.capture.late import LateSamples
from busmark.plugins.capture.late import model as late
from busmark.plugins.capture.model import Analysis
from busmark.plugins.predict.model import Predictions
from busmark.scenario import Scenario
from busmark.store import Manifest
from busmark.store.named import Listing
from busmark.track import TrackedHistory
from busmark.track.history import HistoryEntry

Schema = dict[str, Any]

DIALECT = "https://json-schema.org/draft/2020-12/schema"
SCALAR: Schema = {"type": ["string", "number", "boolean"]}
AMOUNT = r"^\s*[0-9.]"
"""A number, with a unit behind it."""
PLACEMENT = r"^(same|different|free|[0-9]+(\+[0-9]+)*)$"


def scenario_json() -> str:
    """Return `schemas/scenario.schema.json`, the schema of a scenario file, TOML read as JSON."""
    return _written(scenario_schema(), "Busmark scenario")


def control_json() -> str:
    """Return `schemas/control.schema.json`, as the worker prints it."""
    return _written(_printed(worker()), "Busmark control protocol")


def bus_json() -> str:
    """Return `schemas/bus.schema.json`, as the program on the bus prints it."""
    return _written(_printed(bus()), "Busmark message on a bus")


def _printed(program: Path) -> Schema:
    done = subprocess.run([program, "schema"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise UserError(f"no schema is printed: {done.stderr.strip()}", where=str(program))
    schema: Schema = json.loads(done.stdout)
    return schema


def result_json() -> str:
    """Return `schemas/result.schema.json`, the schema of `busmark show --json`."""
    schema = Campaign.model_json_schema(mode="serialization")
    models = {of.name: load(own.part.model) for of, own in active() if own.part}
    for name, model in models.items():
        part = model.model_json_schema(mode="serialization")
        schema["$defs"] |= {**part.pop("$defs", {}), model.__name__: part}
        plugins = schema["$defs"]["CaseSummary"]["properties"]["plugins"]
        plugins.setdefault("properties", {})[name] = {"$ref": f"#/$defs/{model.__name__}"}
    modules = {module for each in (Campaign, *models.values()) for module in _modules(each)}
    by_name = sorted(modules, key=lambda module: module.__name__)
    return _written(_text(schema, "Campaign", *by_name), "Busmark result, analysed")


def manifest_json() -> str:
    """Return `schemas/manifest.schema.json`, for `manifest.json` of a result directory."""
    schema = Manifest.model_json_schema(mode="serialization")
    return _written(_text(schema, "Manifest", *_modules(Manifest)), "Busmark manifest")


def listing_json() -> str:
    """Return `schemas/listing.schema.json`, the schema of `busmark list --json`."""
    schema = Listing.model_json_schema(mode="serialization")
    return _written(_text(schema, "Listing", *_modules(Listing)), "Busmark list of results")


def events_json() -> str:
    """Return `schemas/events.schema.json`, for a line of `busmark run --json`."""
    schema = events.EVENT.json_schema(mode="serialization")
    return _written(_text(schema, "Event", events), "Busmark event of a run")


def adapter_json() -> str:
    """Return `schemas/adapter.schema.json`, the schema of `adapter.toml`, TOML read as JSON."""
    own = _text(facts.AdapterFacts.model_json_schema(), "AdapterFacts", facts)
    parts = own.pop("$defs")
    # The table's key is the name, and the folder is the file's unless it says otherwise.
    own["properties"].pop("name")
    own["properties"]["like"] = {
        "type": "string",
        "description": "Another adapter: its facts hold here where none of their own are stated",
    }
    del own["required"]  # each may come from `like`
    whole = {
        "type": "object",
        "properties": {"format": {"const": facts.FORMAT}},
        "required": ["format"],
        "additionalProperties": own,
        "$defs": parts,
    }
    return _written(whole, "Facts of Busmark's adapters")


def prediction_json() -> str:
    """Return `schemas/prediction.schema.json`, the schema of `busmark predict --json`."""
    schema = Predictions.model_json_schema(mode="serialization")
    return _written(
        _text(schema, "Predictions", *_modules(Predictions)), "Busmark models and predictions"
    )


def comparison_json() -> str:
    """Return `schemas/comparison.schema.json`, the schema of `busmark compare --json`."""
    schema = Comparison.model_json_schema(mode="serialization")
    return _written(_text(schema, "Comparison", *_modules(Comparison)), "Busmark comparison")


def history_json() -> str:
    """Return `schemas/history.schema.json`, for a line that `busmark history add` appends."""
    schema = HistoryEntry.model_json_schema(mode="serialization")
    return _written(
        _text(schema, "HistoryEntry", *_modules(HistoryEntry)), "Busmark history, one line"
    )


def tracked_json() -> str:
    """Return `schemas/tracked.schema.json`, the schema of `busmark history show --json`."""
    schema = TrackedHistory.model_json_schema(mode="serialization")
    return _written(
        _text(schema, "TrackedHistory", *_modules(TrackedHistory)),
        "Busmark history, looked through",
    )


def recording_json() -> str:
    """Return `schemas/recording.schema.json`, for a line that `busmark bus record` writes."""
    schema = recording.RECORDING_LINE.json_schema(mode="serialization")
    return _written(_text(schema, "RecordingLine", recording), "Busmark recording, one line")


def capture_json() -> str:
    """Return `schemas/capture.schema.json`, the schema of `busmark capture analyse --json`."""
    schema = Analysis.model_json_schema(mode="serialization")
    return _written(_text(schema, "Analysis", capture), "Busmark capture, analysed")


def explain_json() -> str:
    """Return `schemas/explain.schema.json`, the schema of `busmark capture explain --json`."""
    schema = LateSamples.model_json_schema(mode="serialization")
    return _written(_text(schema, "LateSamples", late), "Busmark late samples, explained")


def scenario_schema() -> Schema:
    """Return the schema of scenarios: pydantic's own, and what validators let through before."""
    schema = Scenario.model_json_schema()
    parts = schema["$defs"]
    capture = schema["properties"]["capture"]
    capture["anyOf"] = [{"type": "boolean"}, *capture["anyOf"]]
    capture["default"] = False
    _with_units([schema, *parts.values()])
    for name in ("Matrix", "QosMatrix", "LinkMatrix"):
        properties = parts[name]["properties"]
        for key, field in properties.items():
            if field.get("type") == "array":
                properties[key] = _one_or_more(field)
    matrix = parts["Matrix"]
    placement = {"type": "string", "pattern": PLACEMENT}
    matrix["properties"]["placement"]["anyOf"] = _choice(placement)
    values: Schema = {"anyOf": _choice(SCALAR)}
    matrix["properties"]["option"] |= {
        "additionalProperties": {
            "anyOf": [{"type": "object", "additionalProperties": values}, *values["anyOf"]]
        }
    }
    # What a further matrix does not name it takes from [matrix].
    parts["FurtherMatrix"] = {k: v for k, v in matrix.items() if k != "required"}
    schema["properties"]["also"]["items"] = {"$ref": "#/$defs/FurtherMatrix"}
    return schema


def _with_units(tables: list[Schema]) -> None:
    """Let values with a unit be texts, `2ms`, where the schema has numbers."""
    text = {"type": "string", "pattern": AMOUNT}
    for key, field in (pair for each in tables for pair in each.get("properties", {}).items()):
        if not units.of_key(key):
            continue
        if field.get("type") == "array":
            item = field["items"]
            field["items"] = {"anyOf": [*item.get("anyOf", [item]), text]}
        elif "anyOf" in field:
            field["anyOf"] = [*field["anyOf"], text]
        else:
            about = ("default", "description", "title")
            number = {name: field.pop(name) for name in [*field] if name not in about}
            field["anyOf"] = [number, text]


def _one_or_more(field: Schema) -> Schema:
    """Return the field as a list, or a single value that stands for a list of one."""
    kept = {k: v for k, v in field.items() if k not in ("type", "items", "minItems")}
    return {**kept, "anyOf": _choice(field["items"])}


def _choice(item: Schema) -> list[Schema]:
    return [item, {"type": "array", "items": item, "minItems": 1}]


def _modules(root: type[BaseModel]) -> list[ModuleType]:
    """Return the modules of all classes that a document consists of."""
    found: set[type[BaseModel]] = set()
    left: list[Any] = [root]
    while left:
        one = left.pop()
        if not (isinstance(one, type) and issubclass(one, BaseModel)):
            left += get_args(one)
        elif one not in found:
            found.add(one)
            left += [field.annotation for field in one.model_fields.values()]
    return [sys.modules[name] for name in sorted({one.__module__ for one in found})]


def _text(schema: Schema, root: str, *modules: ModuleType) -> Schema:
    """Return the schema with the text of each attribute in the code of these modules."""
    docs = docstrings.of_classes(*modules)
    for name, part in [(root, schema), *schema.get("$defs", {}).items()]:
        for key, field in part.get("properties", {}).items():
            text = docs.get(name, {}).get(key)
            if text:
                field["description"] = " ".join(text.split())
    return schema


def _written(schema: Schema, title: str) -> str:
    plain = _without_titles(schema)
    head = {"$schema": DIALECT, "title": title}
    rest = {key: value for key, value in plain.items() if key not in head}
    return json.dumps({**head, **rest}, indent=2, ensure_ascii=False) + "\n"


def _without_titles(value: Any, *, names: bool = False) -> Any:
    """Remove the titles that pydantic makes of names; `names`: keys are names of properties."""
    if isinstance(value, list):
        return [_without_titles(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: _without_titles(item, names=key in ("properties", "$defs") and not names)
        for key, item in value.items()
        if names or key != "title" or not isinstance(item, str)
    }
