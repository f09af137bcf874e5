"""A scenario file with comments, from its tables."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

HEAD = """\
# Run it with `busmark run FILE`; `busmark plan FILE` shows its cases and how long they take.
# In [matrix] every list is a dimension: a case is one value of each.
# All keys: docs/reference/scenario.md.
"""

COMMENTS = {
    "measure.duration_s": "seconds that a round measures",
    "measure.warmup_s": "seconds before it, discarded",
    "measure.verify": "compare every body with what was written",
    "matrix.test": "latency, throughput or capacity",
    "matrix.adapter": "`busmark adapters` lists them",
    "matrix.peer": "who answers, or reads the stream",
    "matrix.transport": "of the adapter",
    "matrix.size": "bytes of the body",
    "matrix.rate_hz": "samples per second; 0: as fast as it goes",
    "matrix.placement": "same: one CPU for all; different: one each; free",
    "matrix.qos.reliability": "reliable, best_effort",
    "matrix.qos.history": "keep_last, keep_all",
    "matrix.qos.depth": "of keep_last",
    "rounds.min": "of every case, in fresh processes, interleaved",
    "rounds.retries": "of a round that failed",
    "rounds.max": "at most, until the target is reached",
    "rounds.target": "half-width of the 95 % interval, relative",
    "criteria.match_timeout_s": "seconds to find each other",
    "criteria.min_samples": "one that arrives is enough",
    "run.domain": "of DDS",
}
"""By key, what stands beside it."""

OF_AUTO = '"auto": as long as rounds.target needs'

OF_ALSO = "What it does not name is taken from [matrix]."
OF_PLAIN = "Baselines have no QoS, so they are measured without it."

BESIDE = 34
"""Column of comments, where lines are short enough."""

BARE = re.compile(r"[A-Za-z0-9_-]+")


def written(tables: Mapping[str, Any], about: str = "") -> str:
    """The file; `about` is its first line."""
    head = f"# {about}\n{HEAD}" if about else HEAD
    return head + "\n".join(_table(tables, ())).rstrip() + "\n"


def _table(table: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    """Keys first, for a table ends where the next begins."""
    for key, value in table.items():
        if not isinstance(value, Mapping) and not _is_array(value):
            yield _line(key, value, ".".join((*path, key)))
    if path[:1] != ("also",) and any(not isinstance(v, Mapping) for v in table.values()):
        yield ""
    for key, value in table.items():
        if isinstance(value, Mapping):
            if any(not isinstance(inner, Mapping) for inner in value.values()):
                yield f"[{'.'.join(map(_key, (*path, key)))}]"
            yield from _table(value, (*path, key))
        elif _is_array(value):
            for each in value:
                if key == "also":
                    yield f"# {OF_PLAIN if 'qos' in each else OF_ALSO}"
                yield f"[[{_key(key)}]]"
                yield from _table(each, (key,))
                yield ""


def _is_array(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], Mapping)


def _line(key: str, value: Any, path: str) -> str:
    text = f"{_key(key)} = {_value(value)}"
    comment = COMMENTS.get(path.replace("also.", "matrix.", 1), "")
    if path == "measure.duration_s" and isinstance(value, str):
        comment = OF_AUTO
    return f"{text:<{BESIDE - 1}} # {comment}" if comment else text


def _key(key: str) -> str:
    return key if BARE.fullmatch(key) else _text(key)


def _value(value: Any) -> str:
    """As TOML has it; a list of one as its value."""
    if isinstance(value, list):
        if len(value) == 1:
            return _value(value[0])
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, str):
        return _text(value)
    return json.dumps(value)


def _text(text: str) -> str:
    """JSON's texts are TOML's, but for one character."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
