"""docs/reference/scenario.md: every table and key of a scenario file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tools.pages import markdown as md
from tools.pages.schemas import AMOUNT, Schema, scenario_schema

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = "scenarios/quickstart.toml"

SECTIONS = (
    ("measure", "MeasureSection", "How long and how often samples are sent."),
    ("matrix", "Matrix", "What is compared. Every list is a dimension, a case one value of each."),
    ("matrix.qos", "QosMatrix", "Each key is a dimension too. See [QoS defaults](#qos-defaults)."),
    ("matrix.link", "LinkMatrix", "What the links of the run's lab are like; each key is a "
     "dimension. See [emulate a network]"
     "(../../python/busmark/plugins/lab/docs/emulate-a-network.md)."),
    ("[participant]", "ParticipantSection", "A separate process in every case, besides the "
                                            "matrix's. See [background traffic]"
                                            "(../tasks/background-traffic.md)."),
    ("[flow]", "FlowSection", "A stream in the background of every case. `qos` is "
     "a table with the keys of [matrix.qos](#matrixqos), one value each."),
    ("[timeline]", "ChangeSection", "A change in the middle of every round. See [change something "
     "while it is measured](../tasks/change-while-measuring.md)."),
    ("[timeline.qos]", "QosChange", "QoS that can change on a writer or reader in use, where the "
     "adapter can."),
    ("rounds", "RoundsSection", "How often each case is run, each time in fresh processes."),
    ("criteria", "Criteria", "What a round must meet. One that does not is kept, marked, and never "
     "averaged in."),
    ("run", "Run", "Where and how processes run."),
    ("capture", "CaptureSection", "What every round keeps of its traffic; `capture = true` is the "
     "table without changes. See [capture packets]"
     "(../../python/busmark/plugins/capture/docs/capture-packets.md)."),
    ("lab", "LabSection", "Nodes that the run makes on this machine and removes; participants then "
     "run on them. Root only."),
    ("nodes.NAME", "NodeSection", "A machine that takes part, or another place of this one. See "
     "[measure between machines](../tasks/many-nodes.md)."),
    ("sides.NAME", "SideSection", "What one side of an A/B comparison has of its own; the baseline "
     "is first. See [`busmark ab`](../tasks/use-in-ci.md)."),
)  # fmt: skip

RULES = """\
## How a matrix is read

- A single value stands for a list of one: `test = "latency"` is `test = ["latency"]`.
- Units are in the names: `_s` seconds, `_hz` per second. Sizes are bytes. A text may name another
  unit: `"64k"`, `"1MiB"`, `"100Hz"`, `"2ms"`, `"1m30s"`, `"5%"`, `"64,1k,64k"`.
  [All units](cli.md#units).
- Unknown keys are errors. The message names the nearest known key and the line.
- `[[also]]` adds further matrices. What one does not name it takes from `[matrix]`, table by
  table: an `[also.qos]` replaces the whole `[matrix.qos]`, it does not add to it. `adapter` need
  not be repeated.
- Cases that appear twice are run once.
- `matrix.option` is a table of adapter options, written `ADAPTER.KEY`. It applies to that
  adapter's cases only. [Options of each adapter](adapters.md).
- An adapter may be named by the path of its library: `adapter = "./libbusmark_mine.so"`. A name
  with a slash is a path.
- `--set KEY=VALUE` changes a key of the file before it is checked. The value is TOML; a bare word
  is a text: `--set measure.duration_s=1 --set matrix.adapter=udp --set 'matrix.size=[32, 1024]'`.

## QoS defaults

What a case asks for beyond what the scenario names is settled in the plan and stored with the
case:

- `reliability`: `reliable` if the adapter has it, else `best_effort` if it has that.
- `history`: `keep_all` for a reliable throughput test, and for a reliable open loop, where a stall
  must not overwrite the pings that wait. `keep_last` for a closed loop, and for an open loop
  without `keep_all`: then the depth is `rate_hz` times `timeout_s`, at most 4096, unless `depth` is
  named. Asked for only if the adapter has it.
- Everything else that is `"default"`, 0 or `""` is left to the middleware.

A value that the adapter does not honour makes the case *unsupported*. It is listed with the
reason and not run. Nothing is imitated.
"""


def page() -> str:
    """Return the page as Markdown."""
    schema = scenario_schema()
    example = (ROOT / EXAMPLE).read_text(encoding="utf-8")
    parts = [
        md.head("Scenario files", "`busmark.scenario.model`"),
        "A scenario is a TOML file. Only `name` and `matrix.adapter` are required. For editors\n"
        "and programs there is a [JSON Schema](../../schemas/scenario.schema.json).\n",
        f"This is [{EXAMPLE}](../../{EXAMPLE}), which `busmark quickstart` runs:\n",
        md.block(example, "toml"),
        "## Top level\n",
        _table({k: v for k, v in schema["properties"].items() if "$ref" not in v}, schema),
    ]
    for name, part, text in SECTIONS:
        parts += [f"## `[{name}]`\n", text + "\n", _table(_fields(schema, part), schema, part)]
    return "\n".join([*parts, RULES])


def _fields(schema: Schema, part: str) -> dict[str, Schema]:
    fields = schema["$defs"][part]["properties"]
    return {key: field for key, field in fields.items() if "$ref" not in field}


def _table(fields: dict[str, Schema], schema: Schema, part: str = "") -> str:
    required = (schema["$defs"][part] if part else schema).get("required", [])
    rows = [
        (
            md.code(key),
            kind(field, key),
            "required" if key in required else default(field),
            field["description"],  # A key must have one.
        )
        for key, field in fields.items()
    ]
    return md.table(("Key", "Type", "Default", "Meaning"), rows)


def meaning(key: str, field: Schema, part: str) -> str:
    """Return the field's own description; a key must have one."""
    text: str | None = field.get("description")
    if not text:
        raise KeyError(f"the key {part}.{key} has no description")
    return text


def kind(field: Schema, key: str = "") -> str:
    """Describe the type of a value, for people."""
    if key == "option":
        return "table"
    of_tables = key in ("also", "participant", "flow", "timeline") and "anyOf" not in field
    if of_tables or field.get("type") == "object":
        return "tables"
    if "anyOf" in field:
        lists = any(f.get("type") == "array" for f in field["anyOf"])
        plain = [f for f in field["anyOf"] if f.get("pattern") != AMOUNT]
        single = [kind(f) for f in plain if f.get("type") not in ("array", "null")]
        return ", ".join(single) + ("; list" if lists else "")
    if field.get("type") == "array":
        return f"list of {kind(field['items'])}s"
    if "enum" in field:
        return ", ".join(f'`"{value}"`' for value in field["enum"])
    if "const" in field:
        return f'`"{field["const"]}"`'
    if "$ref" in field:
        return "table"
    names = {"integer": "whole number", "number": "number", "string": "text", "boolean": "boolean"}
    return " ".join(part for part in (names[field["type"]], _bounds(field)) if part)


def _bounds(field: Schema) -> str:
    words = (
        ("minimum", "from"),
        ("exclusiveMinimum", "above"),
        ("maximum", "to"),
        ("exclusiveMaximum", "below"),
    )
    shown = [f"{word} {_number(field[key])}" for key, word in words if key in field]
    return " ".join(shown)


def _number(value: float) -> str:
    powers = {2**63: "2⁶³"}
    return powers.get(int(value)) or (f"{value:,}".replace(",", " ").removesuffix(".0"))


def default(field: Schema) -> str:
    """Return the default as it is written in a file; a list of one as its value."""
    value: Any = field.get("default")
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, float) and value == int(value):
        value = int(value)
    return md.code("none" if value in ([], {}, None) else json.dumps(value, ensure_ascii=False))
