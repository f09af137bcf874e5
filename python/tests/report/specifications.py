"""What a specification of a chart holds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Row = dict[str, Any]


def tables(spec: Any) -> Iterator[list[dict[str, Any]]]:
    """All tables of a specification."""
    if isinstance(spec, dict):
        if isinstance(spec.get("values"), list) and all(
            isinstance(r, dict) for r in spec["values"]
        ):
            yield spec["values"]
        for each in spec.values():
            yield from tables(each)
    elif isinstance(spec, list):
        for each in spec:
            yield from tables(each)


def rows(spec: Any, *fields: str) -> list[dict[str, Any]]:
    """Rows that have these fields."""
    return [row for table in tables(spec) for row in table if set(fields) <= set(row)]


def scales(spec: Any, channel: str) -> Iterator[tuple[str, Any]]:
    """What each series has of a channel."""
    if isinstance(spec, dict):
        own = spec.get(channel)
        if isinstance(own, dict) and own.get("field") == "s":
            yield from zip(own["scale"]["domain"], own["scale"]["range"], strict=True)
        for each in spec.values():
            yield from scales(each, channel)
    elif isinstance(spec, list):
        for each in spec:
            yield from scales(each, channel)


def layers(node: Row) -> Iterator[Row]:
    """Yield every layer of a view, with the rows that it draws as `rows`."""
    rows = node.get("data", {}).get("values", node.get("rows", []))
    for inner in node.get("layer", ()):
        yield from layers({"rows": rows, **inner})
    if "mark" in node:
        yield {**node, "rows": rows}


def styled(view: Row, *styles: str) -> list[Row]:
    """Return the layers of these styles."""
    return [layer for layer in layers(view) if layer["mark"]["style"] in styles]


def curves(view: Row) -> dict[str, list[Row]]:
    """Return the rows of each series, and of each line to compare with."""
    found: dict[str, list[Row]] = {}
    drawn = {id(layer["rows"]): layer["rows"] for layer in layers(view)}
    for row in (row for rows in drawn.values() for row in rows):
        if "s" in row and "side" not in row:
            found.setdefault(row["s"], []).append(row)
    for layer in styled(view, "reference"):
        for row in layer["rows"]:
            found.setdefault(row["name"], []).append(row)
    return found


def channel(view: Row, name: str) -> Row:
    """Return the first encoding of x or of y."""
    return next(layer["encoding"][name] for layer in layers(view) if name in layer["encoding"])


def title(view: Row, name: str) -> str:
    """Return the title of an axis."""
    found = channel(view, name)["axis"]["title"] or ""
    return found if isinstance(found, str) else " ".join(found)


def legend(view: Row) -> list[str]:
    """Return the names in the legend."""
    samples = styled(view, "sample")
    return list(samples[0]["encoding"]["stroke"]["scale"]["domain"]) if samples else []
