"""A session by hand as the page has it: participants, recorder, a change of QoS, and its replay; on
a real DDS, by the commands a user calls."""

from __future__ import annotations

import csv
import json
import re
import shlex
import signal
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from e2e_harness import DOMAIN, Ended, Lab, end, eventually, need_adapters, tidy
from jsonschema import Draft202012Validator

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "python/busmark/plugins/bus/docs/record-and-replay.md"
ON = ("--adapter", "cyclonedds", "--domain", str(DOMAIN))


def commands() -> list[list[str]]:
    """Return the words of the page's session, without `busmark`."""
    section = PAGE.read_text(encoding="utf-8").partition("## What is recorded")[0]
    blocks = re.findall(r"^```sh\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
    return [shlex.split(line)[1:] for block in blocks for line in block.splitlines()]


def begun(lab: Lab, words: list[str], sign: str, stack: ExitStack) -> subprocess.Popen[str]:
    """Start a command that stays; return it once it has said so."""
    process = stack.enter_context(tidy(lab.start(*words)))
    assert process.stdout is not None
    line = process.stdout.readline()
    assert sign in line, line + end(process).text
    return process


@dataclass
class Session:
    """What is there when the page's commands before the replay were carried out."""

    lab: Lab
    recorded: Ended
    watched: Ended

    @property
    def file(self) -> Path:
        return self.lab.folder / "session.jsonl"

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.file.read_text(encoding="utf-8").splitlines()]

    def replay(self, *options: object) -> Ended:
        return self.lab.busmark("bus", "replay", "session.jsonl", *map(str, options))


@pytest.fixture(scope="module")
def session(shared_lab: Lab) -> Iterator[Session]:
    need_adapters("cyclonedds")
    lab, file = shared_lab, shared_lab.folder / "session.jsonl"
    with ExitStack() as stack:
        for words in commands():
            on = [*words, "--domain", str(DOMAIN)]
            if words[1] == "participant":
                begun(lab, on, "joined", stack)
            elif words[1] == "record":
                recorder = begun(lab, on, "recording what is said", stack)
            elif words[1] == "watch":
                watcher = stack.enter_context(tidy(lab.start(*on)))
            elif words[1] not in ("export", "replay"):
                if words[1] == "stop":
                    # A user looks at live figures first; they come once a second.
                    eventually(lambda: '"event": "interval"' in file.read_text(), file.read_text)
                done = lab.busmark(*on)
                assert done.code == 0, done.text
        for process in (recorder, watcher):
            process.send_signal(signal.SIGINT)
        yield Session(lab, end(recorder), end(watcher))


def test_a_session_is_recorded_whole(session: Session) -> None:
    assert session.recorded.code == 0, session.recorded.text
    head, *lines, last = session.lines()
    schema = json.loads((ROOT / "schemas/recording.schema.json").read_text(encoding="utf-8"))
    validator = Draft202012Validator(schema)
    for line in (head, *lines, last):
        validator.validate(line)
    assert head["adapter"] == "cyclonedds" and head["domain"] == DOMAIN
    assert last["what"] == "stop" and last["stored"] == len(lines)
    assert f"stored {len(lines)} messages in session.jsonl" in session.recorded.out
    answers = [line["message"] for line in lines if line["what"] == "answer"]
    tasks = [answer["order"]["do"] for answer in answers if "order" in answer]
    assert [task["cmd"] for task in tasks] == ["start", "start", "set", "stop", "stop"]
    kinds = {line["what"] for line in lines}
    assert {"order", "answer", "joined", "live", "result"} <= kinds, kinds
    # A caller may have gone before the recorder found it; an answer repeats the order.
    (changed,) = [task for task in tasks if task["cmd"] == "set"]
    assert changed["qos"]["lifespan_ns"] == 3600 * 10**9
    assert "transceiver 7" in session.watched.out or session.watched.code == 130


def test_it_is_replayed_and_answers_are_the_same(session: Session) -> None:
    done = session.replay("--json")
    found = json.loads(done.out)
    assert (done.code, found["differences"]) == (0, []), done.text
    assert [order["do"]["cmd"] for order in found["orders"]] == [
        "start", "start", "set", "stop", "stop",
    ]  # fmt: skip
    assert all(order["answered"] and order["sent_s"] is not None for order in found["orders"])
    assert found["off"]["n"] == 5 and 0 <= found["off"]["median_s"] <= found["off"]["max_s"]
    assert found["stopped"] == []
    again = session.replay("--speed", 2)
    assert again.code == 0, again.text
    assert "no differences: 5 answers and 2 ends of tests" in again.out
    assert re.search(
        r"times were off by [\d.,]+ ms \(median\), at most [\d.,]+ ms; n = 5", again.out
    )


def test_what_is_missing_or_in_the_way_is_named_before_anything_begins(session: Session) -> None:
    gone = session.replay("--map", "4=9", "--map-group", "1=2", "--wait", 1)
    assert gone.code == 2 and "not there after 1 s: application 9" in gone.err, gone.text
    begin = ("start", "transponder", "--app", "4", "--test", "7")
    assert session.lab.busmark("bus", *begin, *ON).code == 0
    there = session.replay()
    assert there.code == 2 and "application 4 has transponder 7 already" in there.err
    assert "`busmark bus stop --app 4 --test 7` ends it" in " ".join(there.err.split())
    assert session.lab.busmark("bus", "stop", *ON, "--app", "4").code == 0


def test_reports_are_rows_of_a_spreadsheet(session: Session) -> None:
    done = session.lab.busmark("bus", "export", "session.jsonl")
    assert done.code == 0, done.text
    with (session.lab.folder / "session.csv").open(encoding="utf-8", newline="") as file:
        found = list(csv.DictReader(file))
    lines = [line for line in session.lines() if line.get("what") == "result"]
    (text,) = [m["result"] for m in (line["message"] for line in lines)
               if m["kind"] == "transceiver"]  # fmt: skip
    (run,), (role,) = text["run"], text["roles"]
    (result,) = [row for row in found if (row["kind"], row["report"]) == ("transceiver", "result")]
    # A busy machine may stop it before the last answer has come.
    assert int(result["sent"]) == run["sent"] > 0
    assert [int(result[k]) for k in ("received", "missing")] == [role["received"], role["missing"]]
    assert float(result["trip_best_100_percent_mean_us"]) > 0
    live = [row for row in found if row["report"] == "live"]
    assert live and {(row["app"], row["test"]) for row in live} == {("3", "7")}
    again = session.lab.busmark("bus", "export", "session.jsonl")
    assert again.code == 2 and "is not overwritten" in again.err


def asked(path: Path) -> set[int]:
    """Return who has answered this recorder; answers to others are kept for it, too."""
    whole = [line for line in path.read_text().splitlines(keepends=True) if line.endswith("\n")]
    head, *lines = map(json.loads, whole)
    answers = [line["message"] for line in lines if line["what"] == "answer"]
    return {answer["app"] for answer in answers if answer["caller"] == head["listener"]}


def test_a_recorder_that_joins_late_and_is_killed_leaves_what_ran(session: Session) -> None:
    """What it was asked for before is in the answers of the participants."""
    lab = session.lab
    assert lab.busmark("bus", "start", "transponder", *ON, "--app", "4", "--test", "5").code == 0
    sends = ("start", "transmitter", "--app", "3", "--test", "6", "--readers", "0", "--rate", "50")
    assert lab.busmark("bus", *sends, "--duration", "600", *ON).code == 0
    qos = ("--rate", "70", "--qos", "lifespan_s:5")
    assert lab.busmark("bus", "set", *ON, "--app", "3", "--test", "6", *qos).code == 0
    late = lab.folder / "late.jsonl"
    with ExitStack() as stack:
        recorder = begun(lab, ["bus", "record", "late.jsonl", *ON], "recording", stack)
        eventually(lambda: asked(late) >= {3, 4}, late.read_text)
        recorder.kill()
    assert lab.busmark("bus", "stop", *ON, "--all").code == 0
    done = lab.busmark("bus", "replay", "late.jsonl")
    assert done.code == 0, done.text
    assert "the recording has no end" in done.err
    assert "start transponder 5" in done.out and "set transmitter 6: rate_hz: 70.0" in done.out
    assert "lifespan_ns: 5000000000" in done.out
    assert "stopped at the end, for they still ran" in done.out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (
            ["bus", "record", "there.jsonl", "--adapter", "cyclonedds"],
            "no recording is overwritten",
        ),
        (["bus", "record", "new.jsonl", "--adapter", "udp"], "this middleware has no discovery"),
        (["bus", "record", "new.jsonl", "--adapter", "cyclonedd"], "Did you mean cyclonedds?"),
        (["bus", "replay", "there.jsonl"], "is not a recording of a bus"),
        (["bus", "replay", "none.jsonl"], "makes a recording"),
        (["bus", "replay", "there.jsonl", "--map", "3"], "such as 3=7"),
        (["bus", "replay", "there.jsonl", "--only", "x=1"], "keys are app, group, test, kind, cmd"),
        (["bus", "export", "there.jsonl"], "is not a recording of a bus"),
    ],
)
def test_what_cannot_be_is_refused_in_words(lab: Lab, words: list[str], says: str) -> None:
    need_adapters("cyclonedds", "udp")
    (lab.folder / "there.jsonl").write_text("mine\n")
    ended = lab.busmark(*words)
    assert ended.code == 2 and says in ended.err, ended.text
    assert [path.name for path in lab.folder.iterdir()] == ["there.jsonl"]
