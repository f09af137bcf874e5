"""What is read of every file, in every version and damaged: reviewed texts, one for each import.

`BUSMARK_GOLDEN=write pytest` writes them anew. Figures of the files in `files/` and `published/`
were computed by hand, or from the samples that were drawn for them, when their texts were reviewed.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from import_harness import read, text_of
from seams import done, reviewed, run

from busmark.errors import UserError
from busmark.store import Result

HERE = Path(__file__).parent
GOLDEN = HERE / "golden"

TOGETHER: dict[str, tuple[str, ...]] = {
    "perftest-samples-and-summary": ("files/perftest_latency_file.csv",
                                     "files/perftest_latency.csv"),
    "perftest-samples-and-another-summary": ("files/perftest_latency_file.csv",
                                             "published/perftest-3-pub-summary.csv"),
    "perftest-samples-in-nanoseconds": ("versions/perftest-nanoseconds.csv",
                                        "versions/perftest-nanoseconds-samples.csv"),
    "perftest-twice": ("files/perftest_latency.csv", "files/perftest_cpp.json"),
    "performance_test-twice": ("files/performance_test.csv", "files/performance_test.json"),
    "performance_test-halves": ("published/performance_test-run1-pub.csv",
                                "published/performance_test-run1-sub.csv"),
    "performance_test-halves-turned": ("published/performance_test-run1-sub.csv",
                                       "published/performance_test-run1-pub.csv"),
    "performance_test-two-hosts": ("published/performance_test-two-hosts-sub-stdout.txt",
                                   "published/performance_test-two-hosts-pub-stdout.txt"),
    "performance_test-executors": ("versions/performance_test-2.3-rclcpp-waitset.csv",
                                   "versions/performance_test-2.3-rclcpp-single-threaded-executor.csv"),
    "performance_test-all": ("published/performance_test-*", "published/buildfarm-plot.csv"),
    "fastdds-both": ("files/fastdds_table.txt", "files/fastdds_raw.csv"),
    "sockperf-text-and-log": ("files/sockperf_under_load.txt", "files/sockperf_log.csv"),
}  # fmt: skip
"""Files of one import. Every other file is imported alone."""

CHANGED: dict[str, tuple[str, str, str]] = {
    "performance_test-relay": ("performance_test.csv", "Roundtrip Mode: None",
                               "Roundtrip Mode: Main"),
    "performance_test-comma": ("performance_test.csv", r"(\n[\d.]+,.*)", r"\1,\t"),
    "performance_test-empty-second": (
        "performance_test.json",
        r'("experiment_start": 2000000000, "loop_start": 1000000000, )[^}]*',
        r'\1"num_samples_received": 0, "num_samples_sent": 0, "num_samples_lost": 0, '
        '"total_data_received": 0, "latency_min": 0.0, "latency_max": 0.0, "latency_n": 0.0, '
        '"latency_mean": 0.0, "latency_M2": 0.0, "latency_variance": 0.0'),
    "opendds-jitter-report": ("opendds_report.json", "round_trip_latency_", "round_trip_jitter_"),
    "opendds-jitter-json": ("opendds_summary.json", '"latency":', '"round_trip_jitter":'),
    "opendds-jitter-text": ("opendds_summary.txt", "Latency Statistics:",
                            "Round Trip Jitter Statistics:"),
    "ddsperf-as-many-as-kept": ("ddsperf_ping.txt", r"cnt \d+", "cnt 20000"),
    "ddsperf-more-than-kept": ("ddsperf_ping.txt", r"cnt \d+", "cnt 20001"),
    "ddsperf-units": ("ddsperf_ping.txt", r"mean [\d.]+us min [\d.]+us 50% [\d.]+us(.*)max \S+",
                      r"mean 1.5ms min 800ns 50% 8.9us\1max 2s"),
    "ddsperf-lost": ("ddsperf_sub.txt", "lost 0 delta", f"lost {2**31 - 1} delta"),
    "ddsperf-loss-step": ("ddsperf_sub.txt", "lost 0 delta", f"lost {2**31} delta"),
    "ddsperf-loss-steps": ("ddsperf_sub.txt", "lost 0 delta", f"lost {2**32 + 6} delta"),
    "sockperf-lost": ("sockperf_ping_pong.txt", "dropped messages = 0", "dropped messages = 7"),
    "sockperf-interval": ("sockperf_ping_pong.txt", r"\(std-dev=([\d.]+)\)",
                          r"(std-dev=\1, mean-ad=1.2, median-ad=0.3, siqr=0.2, cv=0.1, "
                          "std-error=0.01, 99.0% ci=[6.5, 6.7])"),
}  # fmt: skip
"""A file, and what is replaced in it."""

ALONE = {
    f"{folder}-{path.name}": (f"{folder}/{path.name}",)
    for folder in ("files", "published", "versions")
    for path in sorted((HERE / folder).iterdir())
    if path.name != "README.md"
}


def rounded(values: dict[str, object]) -> str:
    """Return the values without the digits that depend on the order of sums."""
    given = {k: v for k, v in values.items() if v is not None}
    short = {k: float(f"{v:.9g}") if isinstance(v, float) else v for k, v in given.items()}
    return json.dumps(short, ensure_ascii=False)


def digest(result: Result) -> str:
    """Return what is stored of an import."""
    manifest = result.manifest
    lines = [f"{f.severity} {f.id} {f.cases}: {f.evidence}" for f in manifest.findings]
    lines += manifest.source.repeated if manifest.source else []
    for case in manifest.cases:
        lines += ["", f"## {case.id}", json.dumps(case.params.declared(), ensure_ascii=False)]
        for row in result.cases.filter(case=case.id).iter_rows(named=True):
            given = case.params.declared()
            lines += ["", rounded({k: v for k, v in row.items() if k not in given})]
            stored = result.summaries.filter(case=case.id, round=row["round"])
            alike = ["file"] if stored["file"].n_unique() == 1 else []
            whole = stored.filter(stored["start_s"].is_null()).drop("case", "round", *alike)
            lines += [
                " ".join(
                    f"{v:.9g}" if isinstance(v, float) else str(v) for v in figure if v is not None
                )
                for figure in whole.iter_rows()
            ]
            parts = stored.filter(stored["start_s"].is_not_null())
            if parts.height:
                total = parts["value_ns"].sum()
                lines.append(f"{parts['start_s'].n_unique()} parts, sum of figures {total:.9g}")
            for table in (
                result.samples(case.id, row["round"]),
                result.intervals(case.id, row["round"]),
            ):
                sums = {
                    name: table[name].sum()
                    for name in table.columns
                    if table[name].dtype.is_numeric() and table[name].count()
                }
                lines += [f"{table.height} rows, sums {rounded(sums)}"] if table.height else []
    return "\n".join(lines) + "\n"


def imported(folder: Path, *paths: Path | str) -> str:
    """Return what `busmark import` says of these files, and stores."""
    out = folder / "out"
    ended = run("import", *paths, "--out", out)
    text = f"{ended.text.strip()}\n\n"
    if ended.code == 0:
        text += digest(Result(out))
    else:
        assert ended.code == 2 and not out.exists()
        text += f"{ended.error and ended.error.remedy}\n"
    return text.replace(f"{folder}/", "").replace(f"{HERE}/", "")


@pytest.mark.parametrize("name", [*ALONE, *TOGETHER])
def test_an_import_is_as_reviewed(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(HERE)
    text = imported(tmp_path, *(ALONE | TOGETHER)[name])
    if name.startswith("files") or name in TOGETHER:
        shown = done("show", tmp_path / "out", columns=140)
        text += re.sub(r"[-\d]{10} [:\d]{5} UTC", "then", f"\n{shown}").replace(f"{tmp_path}/", "")
    reviewed(GOLDEN / f"{name}.txt", text)


@pytest.mark.parametrize("name", CHANGED)
def test_a_changed_file_is_read_as_reviewed(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, old, new = CHANGED[name]
    text, count = re.subn(old, new, text_of(file))
    assert count
    (tmp_path / file).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    reviewed(GOLDEN / f"changed-{name}.txt", imported(tmp_path, file))


def test_latencies_longer_than_the_run_are_of_two_clocks(tmp_path: Path) -> None:
    path = tmp_path / "sub.txt"
    text = (HERE / "published" / "performance_test-run1-sub.csv").read_text(encoding="utf-8")
    path.write_text(text.replace("0.6408", "90000").replace("0.4355", "2000"), encoding="utf-8")
    text = imported(tmp_path, path)
    assert "import-two-clocks" in text and "90.0 s" in text and "one_way" not in text


def test_an_answer_of_means_has_the_caveats_that_touch_it(tmp_path: Path) -> None:
    imported(tmp_path, HERE / "published" / "performance_test-rate-missed.csv")
    shown = done("show", tmp_path / "out")
    answer = shown.partition("Throughput (")[0]
    assert "8.15" in answer and "The intended rate was not reached" in answer


def test_latencies_of_openmessaging_that_were_never_recorded_are_absent() -> None:
    document = json.loads(text_of("omb.json"))
    document |= {
        k: 0.0
        for k in document
        if k.startswith("aggregatedEndToEnd") and not k.endswith("Quantiles")
    }
    document["aggregatedEndToEndLatencyQuantiles"] = {}
    found = read("omb.json", json.dumps(document))
    assert "one_way" not in {s.quantity for s in found.runs[0].reported}
    assert any("aggregatedEndToEndLatency has no sample" in text for text in found.left_out)


def another_run(log: str, number: int) -> str:
    """Return the log with another identifier, and other figures in its last row."""
    head, _, row = log.rstrip("\n").rpartition("\n")
    head = re.sub("Experiment id: .*", f"Experiment id: {number}", head)
    return f"{head}\n{re.sub(r'(?<=[.][0-9])[0-9]+', str(number + 10), row)}\n"


@pytest.mark.parametrize(
    "folders",
    [("c-p-100-{}.txt", "c-s-100-{}.txt"), ("run{}/a_10-00-01", "run{}/b_10-00-02")],
)
def test_halves_are_found_by_their_names_or_by_their_folder(
    tmp_path: Path, folders: tuple[str, str]
) -> None:
    log = (HERE / "versions" / "performance_test-2.3.csv").read_text(encoding="utf-8")
    for number in (1, 2):
        for name, here in zip(folders, ("subscribers", "publishers"), strict=True):
            path = tmp_path / "in" / name.format(number)
            path.parent.mkdir(parents=True, exist_ok=True)
            text = log.replace(f"Number of {here}: 1", f"Number of {here}: 0")
            path.write_text(another_run(text, number), "utf-8")
    done("import", tmp_path / "in", "--out", tmp_path / "out")
    result = Result(tmp_path / "out")
    assert (result.cases.height, result.cases["case"].n_unique()) == (2, 1)
    assert not [f for f in result.manifest.findings if f.id == "import-several-folders"]


def test_rounds_of_different_folders_are_pointed_out(tmp_path: Path) -> None:
    """A collection of conditions that only its folders name."""
    log = (HERE / "versions" / "performance_test-2.3.csv").read_text(encoding="utf-8")
    for condition in ("0loss", "40loss"):
        folder = tmp_path / "all" / condition / "run1"
        folder.mkdir(parents=True)
        text = another_run(log, int(condition.removesuffix("loss")))
        (folder / "log").write_text(text, encoding="utf-8")
    text = imported(tmp_path, tmp_path / "all")
    (found,) = [line for line in text.splitlines() if " import-several-folders " in line]
    assert "0loss" in found and "40loss" in found


@pytest.mark.parametrize(
    ("name", "old", "new", "expected"),
    [
        ("omb.json", '"messageSize": 1024', '"messageSize": "1 kB"', "should be"),
        ("opendds_report.json", '"scenario_name": "fan"', '"scenario_name": 7', "should be"),
        ("fastdds_throughput.csv", "1024,1000,0,", "1024,1000,", "expected"),
        ("fastdds_table.txt", " 1000,", " many,", "expected"),
        ("performance_test.csv", "1.000000,\t\t100", "1.000000,\t\tx", "expected"),
        ("opendds_summary.txt", "mean = ", "mean = x", "expected"),
        ("ddsperf_ping.txt", "min 9.098us", "min what", ""),
        ("perftest_no_titles.csv", "       39,", "        x,", "is not a number"),
        ("perftest_no_titles.csv", " 6.1,", "", "10 columns"),
        ("perftest_no_titles.csv", "(Bytes),", "(Bytes);", "a header that begins with"),
    ],
)
def test_malformed_input_is_reported_with_its_line(
    name: str, old: str, new: str, expected: str
) -> None:
    text = text_of(name)
    line = text.count("\n", 0, text.index(old)) + 1
    with pytest.raises(UserError) as caught:
        read(name, text.replace(old, new, 1))
    assert caught.value.where == f"{name}, line {line}"
    assert expected in str(caught.value)


@pytest.mark.parametrize(
    "broken", ["0, 2.5", "0, 2.5, 2.6, 1, 1", "7, 2.5, 2.6, 50", "0, a, 2.6, 5"]
)
def test_a_malformed_sample_is_reported_with_its_line(broken: str) -> None:
    lines = text_of("sockperf_log.csv").splitlines()
    first = next(i for i, line in enumerate(lines) if line[:1].isdigit())
    lines[first] = broken
    with pytest.raises(UserError) as caught:
        read("sockperf_log.csv", "\n".join(lines) + "\n")
    assert caught.value.where.endswith(f"line {first + 1}")
