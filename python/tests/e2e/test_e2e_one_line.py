"""One line from adapters to the answer, with real workers; and the ways into it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from e2e_harness import (
    DOMAIN,
    WATCHDOG_S,
    Ended,
    Lab,
    assert_complete,
    assert_intact,
    need_adapters,
)

SHORT = (
    "--duration", "0.1", "--set", "measure.warmup_s=0.02", "--set", "measure.max_samples=5000",
    "--set", "criteria.min_samples=1", "--set", "criteria.min_rate=0",
    "--set", "criteria.match_timeout_s=60",
    "--set", f"run.domain={DOMAIN}",
)  # fmt: skip


def fed(lab: Lab, text: str, *arguments: str) -> Ended:
    """Run `busmark` with this on its standard input."""
    done = subprocess.run(
        [sys.executable, "-m", "busmark", *arguments], input=text, text=True, cwd=lab.folder,
        env=lab.environment, capture_output=True, timeout=WATCHDOG_S, check=False,
    )  # fmt: skip
    assert "Traceback" not in done.stderr, done.stderr
    return Ended(done.returncode, done.stdout, done.stderr)


def cases_of(document: list[dict[str, object]]) -> list[object]:
    return [(case["id"], case["params"], case["status"], case["reason"]) for case in document]


@pytest.fixture(scope="module")
def line(shared_lab: Lab) -> tuple[Lab, Ended]:
    """Compare a DDS middleware with a baseline."""
    need_adapters("cyclonedds", "tcp")
    ended = shared_lab.busmark(
        "latency", "cyclonedds", "tcp", "--size", "64,128", "--qos", "reliable,keep_last:1",
        "--rounds", "3", *SHORT, "--save", "s.toml", "--out", "line",
    )  # fmt: skip
    return shared_lab, ended


def test_a_line_ends_with_the_answer_of_the_comparison(line: tuple[Lab, Ended]) -> None:
    lab, ended = line
    assert ended.code == 0, ended.text
    assert_complete(lab.folder / "line", cases=4, rounds=3)
    answer = ended.out.partition("\nAnswer\n")[2].partition("\nCaveats")[0]
    assert "Eclipse Cyclone DDS" in answer and "TCP sockets" in answer
    assert "64 B" in answer and "128 B" in answer and "transport and history" in answer
    assert ended.out.rstrip().endswith("busmark compare line --by adapter")
    campaign = json.loads(lab.busmark("show", "line", "--json").out)
    pairs = json.loads(lab.busmark("compare", "line", "--by", "adapter", "--json").out)["pairs"]
    assert len(campaign["rankings"]) == len(pairs) == 2
    for ranking, pair in zip(campaign["rankings"], pairs, strict=True):
        leader = ranking["leader"]
        if leader is None:
            # An error among the findings, such as a lost sample on a machine that was suspended.
            assert all(place["reason"] for place in ranking["places"]
                       if place["role"] == "not compared")  # fmt: skip
            continue
        assert "cyclonedds" in leader, "a baseline is no winner"
        (versus,) = (place["to_leader"] for place in ranking["places"] if place["to_leader"])
        change = pair["changes"][0]["change"]
        found = [versus["ratio"][name] for name in ("value", "low", "high")]
        same = [change[name] for name in ("value", "low", "high")]
        turned = [1 / change[name] for name in ("value", "high", "low")]
        assert found in (pytest.approx(same), pytest.approx(turned))


def test_the_saved_file_plans_to_the_same_cases(line: tuple[Lab, Ended]) -> None:
    lab, _ = line
    planned = json.loads(lab.busmark("plan", "s.toml", "--json").out)["cases"]
    result = assert_intact(lab.folder / "line")
    run = [case.model_dump(mode="json") for case in result.manifest.cases]
    assert cases_of(planned) == cases_of(run)
    assert result.manifest.scenario_text == (lab.folder / "s.toml").read_text(encoding="utf-8")


def test_a_scenario_from_standard_input(line: tuple[Lab, Ended]) -> None:
    lab, _ = line
    text = (lab.folder / "s.toml").read_text(encoding="utf-8")
    planned = fed(lab, text, "plan", "-", "--json")
    assert planned.out == lab.busmark("plan", "s.toml", "--json").out
    ended = fed(lab, text, "run", "-", "--only", "tcp-64B", "--out", "piped")
    assert ended.code == 0, ended.text
    assert assert_intact(lab.folder / "piped").manifest.scenario_text == text
    wrong = fed(lab, text + "\nsise = 3\n", "run", "-", "--out", "wrong")
    assert wrong.code == 2 and "standard input:" in wrong.err
    assert not (lab.folder / "wrong").exists()


def test_interop_counts_pairs_that_work(lab: Lab) -> None:
    need_adapters("cyclonedds", "fastdds")
    ended = lab.busmark("interop", "cyclonedds", "fastdds", "--rounds", "1", *SHORT, "--out", "r")
    assert ended.code == 0, ended.text
    assert "4 of 4 pairs work" in ended.out
    assert "Eclipse Cyclone DDS → eProsima Fast DDS" in ended.out


MISTAKEN = ("latency", "cyclone", "tpc", "--size", "64,1Hz", "--qos", "relable", "--rate", "x")


def test_all_mistakes_are_shown_at_once_and_nothing_is_written(lab: Lab) -> None:
    ended = lab.quickly(
        *MISTAKEN, "--set", "measure.warmup_s=-1", "--set", "matrix.wiat=poll", "--save", "s.toml"
    )
    assert ended.code == 2
    for part in (
        "7 errors", "--size 64,1Hz: '1Hz' is a rate, not a size", "64k",
        "--qos relable: 'relable' is no policy", "Did you mean reliable?", "--rate x:",
        "no adapter 'cyclone'", "Did you mean cyclonedds?", "no adapter 'tpc'",
        "--set measure.warmup_s", "--set matrix.wiat: unknown key", "Did you mean wait?",
    ):  # fmt: skip
        assert part in ended.err, part
    assert list(lab.folder.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("latency",), "names no adapter"),
        (("interop", "cyclonedds"), "between two"),
        (("latency", "udp", "--size", "99999999999999"), "--size 99999999999999: matrix.size"),
        (("latency", "udp", "--rate", "1e12"), "--rate 1e12: matrix.rate_hz"),
        (("latency", "udp", "--qos", "deadline_s:-1"), "--qos deadline_s:-1: matrix.qos.deadline"),
        (("latency", "./nothing.so"), "no such adapter library"),
        (("throughput", "udp", "--save", "no/s.toml"), "cannot be written"),
        (("throughput", "udp", "--transport", "tcp"), "no case of the scenario can run here"),
    ],
)
def test_a_mistake_is_refused_in_words(lab: Lab, arguments: tuple[str, ...], says: str) -> None:
    need_adapters("udp")
    ended = lab.quickly(*arguments)
    assert ended.code == 2 and says in ended.err, ended.err
    assert list(lab.folder.iterdir()) == []


def test_a_file_that_is_there_is_not_overwritten(lab: Lab) -> None:
    place = lab.scenario("mine", "s.toml")
    for arguments in (("latency", "udp", "--save", "s.toml"), ("init", "s.toml")):
        ended = lab.quickly(*arguments)
        assert ended.code == 2 and "is already there" in ended.err
    assert place.read_text(encoding="utf-8") == "mine"


# --- init -----------------------------------------------------------------------------------------


def test_init_asks_five_questions_and_writes_what_can_be_planned(lab: Lab) -> None:
    need_adapters("udp", "tcp")
    ended = fed(lab, "throughput\nudp,tcp\n64\n0\n4\n", "init", "mine.toml")
    assert ended.code == 0, ended.text
    assert "5/5" in ended.err and "busmark run mine.toml" in ended.out
    planned = json.loads(lab.busmark("plan", "mine.toml", "--json").out)
    assert [(c["params"]["test"], c["params"]["adapter"]) for c in planned["cases"]] == [
        ("throughput", "udp"), ("throughput", "tcp"),
    ]  # fmt: skip
    assert planned["rounds"]["min"] == 4
    assert " # " in (lab.folder / "mine.toml").read_text(encoding="utf-8")


# --- --open ---------------------------------------------------------------------------------------


@pytest.fixture
def browser(lab: Lab) -> Path:
    """Make a program that writes down what it is to show."""
    program = lab.folder / "browser"
    program.write_text('#!/bin/sh\necho "$1" >> "$0.shown"\n', encoding="utf-8")
    program.chmod(0o755)
    return program


def test_goodput_is_compared_in_a_folder_of_its_own_and_the_page_opened(
    lab: Lab, browser: Path
) -> None:
    need_adapters("tcp", "udp", "null")
    variables = {"BROWSER": browser}
    ended = lab.busmark(
        "throughput", "tcp", "udp", "null", "--rounds", "2", *SHORT, "--open", variables=variables
    )
    assert ended.code == 0, ended.text
    answer = ended.out.partition("\nAnswer\n")[2].partition("\nCaveats")[0]
    assert "Goodput, different CPUs, Mbit/s" in answer and "1 KiB" in answer
    (folder,) = (lab.folder / "busmark-results").iterdir()
    assert folder.name.startswith("throughput-tcp-udp-null-")
    placements = {
        case.params.adapter: case.params.placement for case in assert_intact(folder).manifest.cases
    }
    assert placements == {"tcp": "different", "udp": "different", "null": "same"}
    ended = lab.busmark("report", folder, "--open", variables=variables)
    assert ended.code == 0, ended.text
    page = (folder / "report" / "report.html").as_uri()
    shown = browser.with_suffix(".shown")
    assert shown.read_text(encoding="utf-8").split() == [page, page]


# --- completion -----------------------------------------------------------------------------------


def test_a_completed_name_is_one_word_of_bash_and_runs_nothing(lab: Lab) -> None:
    name = "a$(touch ran) *'b"
    place = lab.folder / "busmark-results" / name
    place.mkdir(parents=True)
    (place / "manifest.json").write_text("{}")
    script = """eval "$("$@" completion bash)"
        COMP_WORDS=(busmark show @a) COMP_CWORD=2
        _busmark_completion "$0"
        eval "set -- ${COMPREPLY[*]}"
        printf '%s\\n' "$@" """
    program = lab.folder / "busmark"
    program.write_text(
        f"#!{sys.executable}\n"
        "import sys; sys.argv[0] = 'busmark'; from busmark.cli.main import main; main()\n"
    )
    program.chmod(0o700)
    done = subprocess.run(
        ["bash", "-c", script, str(program), str(program)], text=True, capture_output=True,
        timeout=WATCHDOG_S, check=False, cwd=lab.folder, env=lab.environment,
    )  # fmt: skip
    assert done.stdout == f"@{name}\n", done.stdout + done.stderr
    assert not (lab.folder / "ran").exists()


@pytest.mark.parametrize("mebibytes", [150, 1000])
def test_a_limit_of_memory_is_met_with_words(lab: Lab, mebibytes: int) -> None:
    limit = ["sh", "-c", f'ulimit -v {mebibytes * 1024}; exec "$@"', "sh"]
    ended = lab.busmark("show", prefix=limit)
    assert ended.code == 2 and "ulimit -v" in ended.err, ended.text
