"""Results of older versions open with every command, and give the figures that those printed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from kept_results import NAMES
from pydantic import TypeAdapter
from seams import row_of, viewed

import busmark
from busmark.cli.main import busmark as command
from busmark.errors import UserError
from busmark.model.case import CaseSummary
from busmark.model.naming import value_text

SAME_FIGURES = ("before-participants", "emulated-network")
FORMS = "html,csv,csv-samples,xlsx,gnuplot"

GONE = frozenset({"among_lost"})
"""What documents had, and `by_round` has now."""


ESTIMATED = {
    "jitter_share": ("jitter_share", "median"),
    "samples_per_s": ("read_rate", "median"),
    "mbit_per_s": ("goodput", "median"),
    "written_per_s": ("write_rate", "median"),
    "loss": ("loss", "mean"),
}
COUNTED = (
    "sent", "received", "lost", "duplicated", "out_of_order", "foreign", "corrupted",
    "probes_sent", "probes_lost",
)  # fmt: skip
"""Fields of a latency and of a stream that are rows now."""


USED = {
    "cpu_user": "cpu_user",
    "cpu_system": "cpu_system",
    "switches": "switches_per_s",
    "rss": "rss_bytes",
    "major_faults": "major_faults",
}
"""Resources of participants, by the quantity of their rows."""


def with_fields(case: Any) -> Any:
    """Return a case with what was a field of its latency or stream, and is a row now."""
    rows = {
        (row["quantity"], row["statistic"]): row
        for row in case["figures"]
        if (row["scope"], row["over"]) == ("case", "rounds")
    }
    own = {name: rows[key] for name, key in ESTIMATED.items() if key in rows}
    own |= {name: rows[name, "count"]["value"] for name in COUNTED if (name, "count") in rows}
    used: dict[str, dict[str, Any]] = {}
    for row in case["figures"]:
        if row["scope"] == "participant" and row["quantity"] in USED:
            one = used.setdefault(row["of"], {"participant": row["of"]})
            value = row if row["statistic"] == "median" else row["value"]
            one[USED[row["quantity"]]] = value
    if ("theoretical_rate", "value") in rows:
        own["theoretical_per_s"] = rows["theoretical_rate", "value"]["value"]
    view = viewed(case)
    parts = {"latency": None, "throughput": None, "resources": [*used.values()]}
    if view.has_pings:
        parts["latency"] = {**pings(view), **own}
    elif view.has_stream:
        parts["throughput"] = {**stream(case, view), **own}
    return {**case, **parts}


def pings(case: CaseSummary) -> dict[str, Any]:
    """Return what was a document's latency."""
    segments = {segment.name: plain(segment) for segment in case.segments}
    return {
        "arrivals": case.arrivals,
        "round_trip": distribution(case.round_trip),
        "half_round_trip": distribution(case.rtt_2),
        "jitter": distribution(case.distribution("jitter")),
        "one_way_there": segments.pop("there", None),
        "one_way_back": segments.pop("back", None),
        "segments": [*segments.values()],
        "segment_tables": [plain(table) for table in case.segment_tables],
    }


def stream(case: dict[str, Any], view: CaseSummary) -> dict[str, Any]:
    """Return what was a document's throughput, but for what is a row of the case."""
    links = {name: case[name] for name in ("rated_mbit_per_s", "practical_mbit_per_s")}
    return {
        "probes_hidden": bool(view.why_hidden("median", "one_way")),
        "probe_one_way": distribution(view.one_way),
        "probe_round_trip": distribution(view.round_trip),
        "jitter": distribution(view.distribution("jitter")),
        "batches": batches(case, view),
        "paced": case["paced"] and {**case["paced"], **links},
        **links,
    }


def batches(case: dict[str, Any], view: CaseSummary) -> dict[str, Any] | None:
    """Return what was the part of a document on its batches."""
    if not (size := case["params"]["batch"]):
        return None
    answered = row_of(case, "samples_acknowledged", "count")
    return {
        "samples": size,
        "acknowledged_samples": case["params"]["batch_ack"] == "each",
        "count": row_of(case, "batches", "count")["value"],
        "unacknowledged": row_of(case, "batches_unacknowledged", "count")["value"],
        "samples_acknowledged": answered and answered["value"],
        "time": row_of(case, "batch_time", "median"),
        "shortest_ns": row_of(case, "batch_time", "min", over="samples")["value"],
        "longest_ns": row_of(case, "batch_time", "max", over="samples")["value"],
        "single": [each._asdict() for each in view.batches],
    }


def distribution(times: Any) -> dict[str, Any] | None:
    """Return a latency as documents had it."""
    if times is None:
        return None
    figures = {key: plain(times.figure(key)) for key in ("median", "mean", "p99", "p999")}
    numbers = ("quantity", "count", "effective_count", "loss", "mad_ns", "std_ns", "min_ns",
               "max_ns", "skewness", "kurtosis")  # fmt: skip
    valley = times.row("valley_ratio", "samples")
    hop, drift = times.hop_std, times.drift
    return {
        **figures,
        **{name: getattr(times, name) for name in numbers},
        "percentiles": [plain(rung) for rung in times.percentiles],
        "best": [plain(share) for share in times.best],
        "hop_std": hop and dict(zip(("low_ns", "high_ns"), hop, strict=True)),
        "modality": times.modes and {
            "count": times.modes,
            "largest": [mode._asdict() for mode in times.largest_modes],
            "valley_ratio": valley and valley.value,
        },
        "drift": drift and {**drift._asdict(), "change": plain(drift.change)},
    }  # fmt: skip


def plain(part: Any) -> Any:
    """Return a view, or a part of one, as documents have it."""
    return part if part is None else TypeAdapter(type(part)).dump_python(part, mode="json")


def run(*words: object) -> Result:
    """Run a command; it may refuse, but not end by an exception of its own."""
    ended = CliRunner().invoke(command, [str(word) for word in words])
    if ended.exception is not None and not isinstance(ended.exception, SystemExit | UserError):
        raise ended.exception
    return ended


def printed_then(kept: Path, name: str) -> Any:
    return json.loads((kept / name / "show.json").read_text())


def printed_now(kept: Path, name: str) -> Any:
    ended = run("show", kept / name / "result", "--json")
    assert ended.exit_code == 0, ended.output
    return json.loads(ended.stdout)


def differences(then: Any, now: Any, place: str = "") -> list[str]:
    """List the places where the output then differs from the output now. Additions do not matter,
    nor values that were null and have another name now."""
    if isinstance(then, dict) and isinstance(now, dict):
        return [
            line
            for key, value in then.items()
            if key not in GONE
            and (value is not None or key in now)
            # The limits of a drift are by logarithms now: no time falls by more than 100 %.
            and not (key in ("low", "high") and place.endswith("drift.change"))
            for line in differences(value, now.get(key, "(absent)"), f"{place}.{key}")
        ]
    if isinstance(then, list) and isinstance(now, list) and len(then) == len(now):
        pairs = enumerate(zip(then, now, strict=True))
        return [x for n, (one, other) in pairs for x in differences(one, other, f"{place}[{n}]")]
    if isinstance(then, float | int) and isinstance(now, float | int):
        return [] if now == pytest.approx(then, rel=1e-9) else [f"{place}: {then}, now {now}"]
    return [] if then == now else [f"{place}: {then}, now {now}"]


def taken_apart(value: Any) -> tuple[Any, list[Any]]:
    """Return a value without the best shares of its samples, and these shares."""
    apart: list[Any] = []
    if isinstance(value, dict):
        parts = {key: taken_apart(each) for key, each in value.items() if key != "best"}
        apart = [value["best"]] if value.get("best") else []
        return {k: v for k, (v, _) in parts.items()}, apart + [
            b for _, f in parts.values() for b in f
        ]
    if isinstance(value, list):
        found = [taken_apart(each) for each in value]
        return [each for each, _ in found], [b for _, more in found for b in more]
    return value, apart


@pytest.mark.parametrize("name", SAME_FIGURES)
def test_their_figures_are_those_that_were_printed(kept: Path, name: str) -> None:
    then, now = printed_then(kept, name), printed_now(kept, name)
    assert len(then["cases"]) > 1 and now["problems"] == []
    now["cases"] = [with_fields(case) for case in now["cases"]]
    for case in now["cases"]:
        # Those versions had the times of a round beside its counts.
        case["attempts"] = [{**one, **(one["times"] or {})} for one in case["attempts"]]
    # What is measured had other names for its ends, and for parts of the way.
    then = json.loads(
        json.dumps(then)
        .replace("ponger", "responder")
        .replace("leg", "segment")
        .replace("stated", "reported")
        .replace("stream beside", "background stream")
        .replace("flows beside", "background flows")
        .replace('"beside', '"background')
        .replace("lost_share", "loss")
        .replace("loss_share", "loss")
        .replace('link delay": "2ms"', 'link delay": "2 ms"')
        .replace("floor (null adapter)", "Busmark itself (null)")
    )
    for case in then["cases"]:
        # Values of arrivals had no words.
        if arrivals := case["workload"].get("arrivals"):
            case["workload"]["arrivals"] = value_text("arrivals", arrivals)
    (cases_then, best_then), (cases, best) = taken_apart(then["cases"]), taken_apart(now["cases"])
    assert differences(cases_then, cases) == []
    # The best share is of as many samples as there are now; those versions took the nearest number.
    for one, other in zip(best_then, best, strict=True):
        for before, after in zip(one, other, strict=True):
            assert before["percent"] == after["percent"]
            assert after["count"] in (before["count"], before["count"] - 1)
            if after["count"] == before["count"]:
                assert differences(before, after) == []
            else:
                assert after["max_ns"] <= before["max_ns"]
    assert best and now["rankings"]


@pytest.mark.parametrize("name", NAMES)
def test_reports_of_them_are_written(kept: Path, name: str, tmp_path: Path) -> None:
    ended = run("report", kept / name / "result", "--to", FORMS, "--out", tmp_path / "report")
    assert ended.exit_code == 0, ended.output
    files = {path.suffix for path in (tmp_path / "report").rglob("*") if path.stat().st_size}
    assert {".html", ".csv", ".xlsx", ".gpi"} <= files


def test_they_are_compared(kept: Path) -> None:
    by_delay = run("compare", kept / "emulated-network" / "result", "--by", "link_delay", "--json")
    assert by_delay.exit_code == 0
    (pair,) = json.loads(by_delay.stdout)["pairs"]
    assert pair["changes"][0]["change"]["value"] > 1
    versions = run("compare", kept / "first" / "result", kept / "before-participants" / "result",
                   "--by", "placement,max_samples", "--json")  # fmt: skip
    assert versions.exit_code == 0, versions.output
    pairs = json.loads(versions.stdout)["pairs"]
    assert {"udp"} <= {pair["baseline_case"].split("-")[2] for pair in pairs}
    assert all(pair["baseline_rounds"] == 3 for pair in pairs)


def test_their_sweeps_predict(kept: Path) -> None:
    ended = run("predict", kept / "before-participants" / "result", "--size", 2048, "--json")
    assert ended.exit_code == 0, ended.output
    without_model = run("predict", kept / "first" / "result")
    assert without_model.exit_code == 1 and "no usable model" in without_model.output
    no_sweep = run("predict", kept / "emulated-network" / "result")
    assert isinstance(no_sweep.exception, UserError)


@pytest.mark.parametrize("name", NAMES)
def test_they_open_as_frames_and_tables_that_they_lack_are_empty(kept: Path, name: str) -> None:
    results = busmark.open(kept / name / "result")
    assert results.samples().collect().height > 100
    assert results.participants().collect().is_empty()
    assert results.flows().collect().is_empty()
    assert results.samples().collect()["participant"].null_count() > 100
