"""A line, and the tables of the scenario that it stands for."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from busmark.errors import UserError
from busmark.facts import of_family
from busmark.model.naming import FLOOR_ADAPTER, short_names
from busmark.model.parameter import AUTO
from busmark.model.units import FILE_SIZE, parse_sizes
from busmark.scenario.line import words
from busmark.scenario.matrix import QosMatrix
from busmark.scenario.model import MOST_ROUNDS

Table = dict[str, Any]

TESTS = ("latency", "throughput", "service", "interop")
"""Commands of one line."""

SIZES = {"latency": 64, "throughput": 1024, "service": 64}
ROUNDS = {"latency": 10, "throughput": 10, "service": 10, "interop": 3}
PILOT = 5
"""Rounds that are run in any case where a target says how many more."""
DURATION_S = 0.5
WARMUP_S = 0.2

WANTED_SAMPLES = 1000
"""Samples of a round at a requested rate, unless it then takes more than `LONG_S`."""
LONG_S = 10.0
FEWEST_SAMPLES = 120
"""Samples of a round at least: more than `criteria.min_samples` asks for."""
FEWEST_LARGE = {"latency": 20, "throughput": 5, "service": 20, "interop": 1}
"""Samples of a round where more of a large size would take long: a median needs 20, goodput few."""
SLOW_BYTES_S = 250e6
"""Bytes of bodies that slower middleware carries in a second, once each way: rounds with large
samples are as long as they take at this pace."""

OPTIONS: dict[str, tuple[Callable[[str], Any], tuple[str, ...]]] = {
    "size": (words.sizes, ("matrix", "size")),
    "rate": (words.rates, ("matrix", "rate_hz")),
    "placement": (words.placements, ("matrix", "placement")),
    "transport": (words.several, ("matrix", "transport")),
    "qos": (words.qos, ("matrix", "qos")),
    "clients": (words.counts, ("matrix", "clients")),
    "outstanding": (words.counts, ("matrix", "outstanding")),
    "response": (words.sizes, ("matrix", "response_size")),
    "server_time": (words.times, ("matrix", "server_time_s")),
    "server_threads": (words.counts, ("matrix", "server_threads")),
    "rounds": (words.rounds, ("rounds", "min")),
    "to": (words.share, ("rounds", "target")),
    "duration": (words.seconds, ("measure", "duration_s")),
}
"""Options, each with the function that reads its text and the key of the scenario that it sets."""

OF_SERVICE = ("clients", "outstanding", "response", "server_time", "server_threads")
"""Options that only a service has."""

ASKED = {
    "latency": ("the latency", "the lowest latency"),
    "service": ("the response time", "the shortest response time"),
}
"""What readers of a report want to know of one, and of several; of all others the throughput."""


@dataclass(frozen=True)
class ScenarioLine:
    """Contents of a line; options that it leaves out have defaults."""

    test: str
    adapters: list[str]
    values: dict[str, Any] = field(default_factory=dict)
    """Values by option, as `OPTIONS` reads them."""
    baselines: frozenset[str] = frozenset({FLOOR_ADAPTER})
    """Adapters that have no QoS to choose: beside a middleware, QoS does not apply to them."""
    interop: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Options by which an adapter finds other vendors, by adapter."""

    @property
    def name(self) -> str:
        """Title of the report, after which the result's directory is named."""
        return " ".join([self.test, *short_names(self.adapters).values()])

    @property
    def question(self) -> str:
        """Return what the reader of the report wants to know."""
        compared = short_names(name for name in self.adapters if name != FLOOR_ADAPTER)
        names = [*compared.values()] or [FLOOR_ADAPTER]
        if self.test == "interop":
            return f"Which of {_listed(names, 'and')} talk to each other, and at what cost?"
        asked = ASKED.get(self.test, ("the throughput", "the highest throughput"))
        if len(names) == 1:
            return f"What is {asked[0]} of {names[0]}?"
        return f"Which has {asked[1]}: {_listed(names, 'or')}?"

    def tables(self) -> Table:
        """Return the scenario, table by table, in the order of a file."""
        measure: Table = {"duration_s": self._duration(), "warmup_s": WARMUP_S}
        tables: Table = {
            "name": self.name,
            "question": self.question,
            "measure": {**measure, "verify": True} if self.test == "interop" else measure,
            "matrix": self._matrix(),
            "rounds": self._rounds(),
        }
        if self.test == "interop":
            # A vendor that has not found another by then does not find it.
            tables["criteria"] = {"match_timeout_s": 12.0, "min_samples": 1}
            tables["run"] = {"domain": 42}
        elif FEWEST_SAMPLES * self._sample_s() > DURATION_S:
            tables["criteria"] = {"min_samples": FEWEST_LARGE[self.test]}
        if also := self._also():
            tables["also"] = also
        return tables

    def _duration(self) -> float | str:
        if "duration" in self.values:
            return float(self.values["duration"])
        if "to" in self.values:
            return AUTO
        slowest = min((rate for rate in self.values.get("rate", ()) if rate > 0), default=None)
        if slowest is None:
            return float(round(max(DURATION_S, FEWEST_LARGE[self.test] * self._sample_s()), 1))
        wanted = min(WANTED_SAMPLES / slowest, LONG_S)
        return float(round(max(DURATION_S, wanted, FEWEST_SAMPLES / slowest), 1))

    def _sample_s(self) -> float:
        """Return what the largest sample takes with slower middleware; of a round trip both
        ways."""
        sizes = [*self.values.get("size", ()), *self.values.get("response", ())]
        drawn = [
            v
            for s in sizes
            if isinstance(s, str) and s != FILE_SIZE
            for v in parse_sizes(s).values(1)
        ]
        largest = max([0, *drawn, *(size for size in sizes if isinstance(size, int))])
        return largest / SLOW_BYTES_S * (1 if self.test == "throughput" else 2)

    def _matrix(self) -> Table:
        interop = self.test == "interop"
        test = "latency" if interop else self.test
        apart = [name for table in self._apart() for name in table["adapter"]]
        adapters = [name for name in dict.fromkeys(self.adapters) if name not in apart]
        matrix: Table = {"test": test, "adapter": adapters}
        if interop:
            matrix |= {"peer": adapters, "transport": "udp"}
        if "transport" in self.values:
            matrix["transport"] = self.values["transport"]
        matrix["size"] = self.values.get("size", SIZES[test])
        if "rate" in self.values:
            matrix["rate_hz"] = self.values["rate"]
        for name in OF_SERVICE:
            if name in self.values:
                matrix[OPTIONS[name][1][1]] = self.values[name]
        otherwise = "same" if adapters == [FLOOR_ADAPTER] else "different"
        matrix["placement"] = self.values.get("placement", otherwise)
        qos = self.values.get("qos", {})
        if interop:
            qos = {"reliability": "reliable", **qos}
        if qos:
            matrix["qos"] = qos
        options = {name: {**self.interop[name]} for name in adapters if name in self.interop}
        if interop and options:
            matrix["option"] = options
        return matrix

    def _rounds(self) -> Table:
        few = PILOT if "to" in self.values else ROUNDS[self.test]
        rounds: Table = {"min": self.values.get("rounds", few)}
        if self.test == "interop":
            rounds["retries"] = 0
        if "to" in self.values:
            rounds["max"] = max(MOST_ROUNDS, rounds["min"])
            rounds["target"] = self.values["to"]
        return rounds

    def _also(self) -> list[Table]:
        if self.test == "interop":
            stream: Table = {"test": "throughput", "profile": "tuned"}
            return [stream if "size" in self.values else {**stream, "size": SIZES["throughput"]}]
        return self._apart()

    def _apart(self) -> list[Table]:
        """Return matrices of adapters that cannot do all that the others are asked for."""
        names = [*dict.fromkeys(self.adapters)]
        if self.test == "interop" or len(names) == 1:
            return []
        policies = self.values.get("qos", {})
        plain = [name for name in names if name in self.baselines and name != FLOOR_ADAPTER]
        asked = bool(policies) and len(plain) + (FLOOR_ADAPTER in names) < len(names)
        own: Table = {"qos": {key: getattr(QosMatrix(), key) for key in policies}} if asked else {}
        tables: list[Table] = [{"adapter": plain, **own}] if asked and plain else []
        if FLOOR_ADAPTER in names and "placement" not in self.values:
            tables.append({"adapter": [FLOOR_ADAPTER], "placement": "same", **own})
        elif FLOOR_ADAPTER in names and asked:
            tables.append({"adapter": [FLOOR_ADAPTER], **own})
        return tables


def example(test: str) -> tuple[str, str]:
    """Return two adapters that a test may be of: two of DDS, or one and plain sockets."""
    first, second, *_ = of_family("dds")
    return first, second if test == "interop" else of_family("baseline")[0]


def read(
    test: str,
    adapters: Sequence[str],
    options: Mapping[str, str | None],
    baselines: Iterable[str] = (),
    interop: Mapping[str, Mapping[str, str]] | None = None,
) -> tuple[ScenarioLine, list[UserError]]:
    """Return the line, without its mistakes, and all its mistakes; `baselines` are adapters without
    a choice of QoS, `interop` by adapter the options by which it finds other vendors."""
    wrong: list[UserError] = []
    names = [name for text in adapters for name in _names(text)]
    if not names:
        wrong.append(
            UserError(
                "names no adapter",
                where=f"busmark {test}",
                remedy=f"Such as: busmark {test} {' '.join(example(test))}. `busmark adapters` "
                "lists them.",
            )
        )
    elif test == "interop" and len(set(names)) == 1:
        wrong.append(
            UserError(
                f"{names[0]} is one vendor: interoperability is between two",
                where="busmark interop",
                remedy=f"Name a second, such as {example(test)[1]}.",
            )
        )
    values = {}
    for option, text in options.items():
        if text is None:
            continue
        try:
            values[option] = OPTIONS[option][0](text)
        except words.Mistaken as error:
            parts = [mistake.partition("\n") for mistake in error.mistakes]
            where = f"--{option.replace('_', '-')} {text}"
            wrong += [UserError(what, where=where, remedy=remedy) for what, _, remedy in parts]
    return ScenarioLine(
        test, names, values, frozenset({FLOOR_ADAPTER, *baselines}), interop or {}
    ), wrong


def _names(text: str) -> list[str]:
    """Split `udp,tcp` into two; a path may have a comma of its own."""
    return [text] if "/" in text else [name for name in text.split(",") if name]


def _listed(names: Sequence[str], last: str) -> str:
    if len(names) == 1:
        return names[0]
    return f"{', '.join(names[:-1])} {last} {names[-1]}"


HEAD = """\
# Run it with `busmark run FILE`; `busmark plan FILE` shows its cases and how long they take.
# In [matrix] every list is a dimension: a case is one value of each.
# All keys: docs/reference/scenario.md.
"""

COMMENTS = {
    "measure.duration_s": "seconds that a round measures",
    "measure.warmup_s": "seconds before it, discarded",
    "measure.verify": "compare every body with what was written",
    "matrix.test": "latency, throughput, capacity, discovery, service, service-capacity or action",
    "matrix.adapter": "`busmark adapters` lists them",
    "matrix.peer": "who answers, or reads the stream",
    "matrix.transport": "of the adapter",
    "matrix.size": "bytes of the body",
    "matrix.rate_hz": "samples per second; 0: as fast as it goes",
    "matrix.clients": "each a process of its own",
    "matrix.outstanding": "requests of each that wait for a response at a time",
    "matrix.response_size": "bytes of the body of a response",
    "matrix.server_time_s": "seconds that the server works on a request",
    "matrix.server_threads": "each takes a request, works on it and responds",
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
"""Comments on keys."""

OF_AUTO = '"auto": as long as rounds.target needs'

OF_ALSO = "What it does not name is taken from [matrix]."
OF_PLAIN = "Baselines have no QoS, so they are measured without it."

BESIDE = 34
"""Column of comments, where lines are short enough."""

BARE = re.compile(r"[A-Za-z0-9_-]+")
UNFIT = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")
"""Characters that no comment in TOML may have."""


def written(tables: Mapping[str, Any], about: str = "") -> str:
    """Return the text of the file; `about` is its first line."""
    # What would end the comment is no part of it: the next line would be a key.
    head = f"# {UNFIT.sub(' ', about)}\n{HEAD}" if about else HEAD
    return head + "\n".join(_table(tables, ())).rstrip() + "\n"


def _table(table: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    """Yield lines of a table, keys first, for a table ends where the next begins."""
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
    """Write a value as TOML; a list of one as its value."""
    if isinstance(value, list):
        if len(value) == 1:
            return _value(value[0])
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, str):
        return _text(value)
    return json.dumps(value)


def _text(text: str) -> str:
    """Quote a text: JSON's texts are TOML's, but for one character."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
