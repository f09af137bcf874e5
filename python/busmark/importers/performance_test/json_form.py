"""The JSON. Latencies are seconds, times of the run nanoseconds; NaN is written as 0."""

from __future__ import annotations

from pydantic import Field

from busmark.importers import documents
from busmark.importers.documents import Document
from busmark.importers.model import Imported
from busmark.importers.numbers import nanoseconds
from busmark.importers.performance_test.experiment import Experiment, Row
from busmark.importers.text import SourceText


class Result(Document):
    """One element of `analysis_results`."""

    experiment_start: int
    loop_start: int
    received: int = Field(alias="num_samples_received")
    sent: int = Field(alias="num_samples_sent")
    lost: int = Field(alias="num_samples_lost")
    latency_min: float
    latency_max: float
    latency_n: float
    latency_mean: float
    latency_m2: float | None = Field(default=None, alias="latency_M2")


class Experiments(Document):
    """The whole file."""

    perf_test_version: str | None = None
    dds_domain_id: int | None = None
    topic_name: str | None = None
    max_runtime: int | None = None
    com_mean_str: str
    rmw_implementation: str = ""
    qos_reliability: str | None = None
    qos_durability: str | None = None
    qos_history_kind: str | None = None
    qos_history_depth: int | None = None
    rate: float | None = None
    msg_name: str | None = None
    number_of_publishers: int | None = None
    number_of_subscribers: int | None = None
    with_security: bool | None = None
    is_zero_copy_transfer: bool | None = None
    is_shared_memory_transfer: bool | None = None
    use_shared_memory: bool | None = None
    use_single_participant: bool | None = None
    roundtrip_mode: str = "None"
    analysis_results: list[Result]


def recognise(text: str) -> bool:
    """By names that no other has."""
    return '"analysis_results"' in text and '"com_mean_str"' in text


def read(source: SourceText, imported: Imported) -> Experiment:
    """The experiment with its rows."""
    found = documents.checked(source, Experiments, source.text)
    if not found.analysis_results:
        raise source.nothing("an element in analysis_results")
    qos: dict[str, object] = {
        "reliability": found.qos_reliability and found.qos_reliability.lower(),
        "durability": found.qos_durability and found.qos_durability.lower(),
        "history": found.qos_history_kind and found.qos_history_kind.lower(),
    }
    if qos["history"] == "keep_last":
        qos["depth"] = found.qos_history_depth
    switches = {
        "security": found.with_security,
        "zero_copy": found.is_zero_copy_transfer,
        "shared_memory": found.is_shared_memory_transfer or found.use_shared_memory,
        "single_participant": found.use_single_participant,
    }
    experiment = Experiment(
        means=found.com_mean_str,
        rmw=found.rmw_implementation,
        version=found.perf_test_version,
        message=found.msg_name,
        rate_hz=found.rate or None,
        publishers=found.number_of_publishers,
        subscribers=found.number_of_subscribers,
        roundtrip=found.roundtrip_mode,
        qos={k: v for k, v in qos.items() if v is not None},
        alike=f"{found.perf_test_version}, {found.dds_domain_id}, {found.topic_name}, "
        f"{found.max_runtime}",
        switches={name: True for name, on in switches.items() if on},
    )
    for index, result in enumerate(found.analysis_results):
        line = documents.line_of(source.text, ("analysis_results", index)) if index == 0 else 0
        experiment.rows.append(_row(result, line or experiment.rows[0].line))
    return experiment


def _row(result: Result, line: int) -> Row:
    count = round(result.latency_n)
    # Without a sample all of them are zeros.
    known = count > 0
    spread = result.latency_m2 if known else None
    return Row(
        end_s=result.experiment_start / 1e9,
        length_s=result.loop_start / 1e9,
        received_per_s=result.received,
        sent_per_s=result.sent,
        lost_per_s=result.lost,
        count=count,
        mean_ns=nanoseconds(result.latency_mean, "s") if known else None,
        min_ns=nanoseconds(result.latency_min, "s") if known else None,
        max_ns=nanoseconds(result.latency_max, "s") if known else None,
        variance_ns2=None if spread is None else spread / count * 1e18,
        line=line,
    )
