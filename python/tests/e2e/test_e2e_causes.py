"""Causes that spoil a benchmark, each planted, each named by a finding of its case.

Most are planted for real: processes, signals, limits, options, a lab, a broker. Some cannot be had
here on demand and are rounds as they would have been recorded, which the campaign, the tables and
the store take like any other: a message in two pieces under Nagle's algorithm (with round trips
that the kernel really took; no adapter here writes so), drift within a round, steps of the clocks,
swapping, stolen time, and an adapter that leaves something behind for the next.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import recorded
from e2e_harness import Lab, count, eventually, need_adapters, rows, scenario, tidy
from recorded import Round

from busmark import host
from busmark.host import Condition, Counters, difference, snapshot
from busmark.host.readings import changes
from busmark.store.manifest import Case, Finding
from busmark.store.result import load_manifest

CPU = min(os.sched_getaffinity(0))
"""On which participants run where a test names one."""

MANY_BYTES = 20_000
"""Two hundred pings of 64 bytes and their headers."""

SHORT = "duration_s = 0.6\nwarmup_s = 0.1\nsystem_interval_s = 0.1"
ONE, THREE = "min = 1", "min = 3"


def found(
    lab: Lab, matrix: str, rule: str, *, prefix: tuple[str, ...] = (), **sections: str
) -> Finding:
    """Runs a campaign and returns the worst finding of this rule that concerns its only case."""
    lab.scenario(scenario(matrix, **{"measure": SHORT, "rounds": ONE, **sections}))
    lab.busmark("run", "scenario.toml", "--out", "result", prefix=prefix)
    return named(lab.folder / "result", rule)


def named(directory: Path, rule: str) -> Finding:
    """The worst finding of a rule, which concerns cases of the campaign."""
    manifest, damaged = load_manifest(directory)
    assert damaged == []
    (first, *_) = [each for each in manifest.findings if each.id == rule] or [None]
    told = [(each.id, each.evidence) for each in manifest.findings]
    assert first is not None, f"{rule} is not among {told}"
    assert not first.cases or set(first.cases) <= {case.id for case in manifest.cases}
    return first


@contextlib.contextmanager
def hog(cpu: int) -> Iterator[None]:
    """A process that never rests on this CPU."""
    code = f"import os; os.sched_setaffinity(0, {{{cpu}}})\nwhile True: pass"
    process = subprocess.Popen([sys.executable, "-c", code])
    try:
        yield
    finally:
        process.kill()
        process.wait()


# --- planted for real -----------------------------------------------------------------------------


def test_01_a_hog_on_the_same_cpu(lab: Lab) -> None:
    need_adapters("udp")
    with hog(CPU):
        matrix = f'adapter = "udp"\nplacement = "{CPU}+{CPU}"\nrate_hz = 500'
        finding = found(lab, matrix, "other-load")
    assert finding.severity == "warning"
    assert f"of CPU {CPU};" in finding.evidence and "waited for a CPU" in finding.evidence


def test_02_other_work_beside_the_participants(lab: Lab) -> None:
    need_adapters("udp")
    others = sorted(os.sched_getaffinity(0) - {CPU})
    if not others:
        pytest.skip("one CPU only")
    with hog(others[0]):
        finding = found(lab, f'adapter = "udp"\nplacement = "{CPU}+{CPU}"', "other-load")
    # A busy machine may meet the participants, too, which is worse and told instead.
    assert f"of CPU {others[0]}, on which no participant" in finding.evidence or (
        finding.severity == "warning"
    )


@contextlib.contextmanager
def limited(quota_us: int, period_us: int) -> Iterator[Path]:
    """A control group whose processes get this much CPU time in each period."""
    one = Path("/sys/fs/cgroup/cpu")
    root = one if one.is_dir() else Path("/sys/fs/cgroup")
    group = root / f"busmark-test-{uuid.uuid4().hex[:8]}"
    try:
        group.mkdir()
        if one.is_dir():
            (group / "cpu.cfs_period_us").write_text(str(period_us))
            (group / "cpu.cfs_quota_us").write_text(str(quota_us))
        else:
            (group / "cpu.max").write_text(f"{quota_us} {period_us}")
    except OSError as error:
        pytest.skip(f"no control group of our own: {error}")
    try:
        yield group
    finally:
        eventually(lambda: not (group / "cgroup.procs").read_text(), lambda: "still in use")
        group.rmdir()


def test_03_a_cpu_limit(lab: Lab) -> None:
    need_adapters("udp")
    with limited(20_000, 100_000) as group:
        enter = f'echo $$ > {group}/cgroup.procs; exec "$@"'
        finding = found(
            lab, 'adapter = "udp"\ntest = "throughput"', "cpu-limit",
            prefix=("sh", "-c", enter, "sh"),
        )  # fmt: skip
    assert "held back in" in finding.evidence


SMALL_BUFFER = """adapter = "udp"
test = "throughput"
size = 8192
option.udp.receive_buffer_bytes = 8192"""


def test_04_a_small_buffer_that_the_case_asks_for(lab: Lab) -> None:
    need_adapters("udp")
    finding = found(lab, SMALL_BUFFER, "udp-drops")
    assert "`udp.receive_buffer_bytes`" in finding.remedy
    assert "asks for a receive buffer of 8 KiB" in finding.remedy
    (row,) = rows(lab.folder / "result")
    assert row["udp_buffer_bytes"] == 2 * 8192, "what the socket has, as the kernel counts it"
    assert "16 KiB" in finding.evidence


def test_05_datagrams_dropped_with_the_systems_buffer(lab: Lab) -> None:
    need_adapters("udp")
    finding = found(lab, 'adapter = "udp"\ntest = "throughput"\nsize = 60000', "udp-drops")
    assert "at sockets of the participants" in finding.evidence
    (row,) = rows(lab.folder / "result")
    (wanted,) = re.findall(r"receive_buffer_bytes = (\d+)", finding.remedy)
    assert int(wanted) > row["udp_buffer_bytes"] > 0


@pytest.mark.usefixtures("lab_is_possible")
def test_06_loss_of_the_labs_links(lab: Lab) -> None:
    need_adapters("udp")
    matrix = 'adapter = "udp"\nrate_hz = 500\nlink.loss = "20%"\nplacement = "free"'
    finding = found(lab, matrix, "link-loss", also="[lab]\nnodes = 2")
    assert "lose 20% of packets" in finding.evidence and finding.severity == "warning"
    assert "Pings of a latency test were lost" in finding.explains


def test_08_a_rate_that_is_not_held(lab: Lab) -> None:
    need_adapters("tcp")
    finding = found(lab, 'adapter = "tcp"\ntest = "throughput"\nrate_hz = 2000000\nsize = 1024',
                    "rate-not-held")  # fmt: skip
    assert "samples/s written" in finding.evidence


def test_09_a_recorder_that_is_full(lab: Lab) -> None:
    need_adapters("tcp")
    finding = found(lab, 'adapter = "tcp"', "recorder-full", measure=f"{SHORT}\nmax_samples = 40")
    assert "1 of 1 round, after" in finding.evidence


def test_10_history_that_is_overwritten(lab: Lab) -> None:
    need_adapters("cyclonedds")
    # A waitset takes what the reader's history of one has kept meanwhile.
    matrix = 'adapter = "cyclonedds"\ntest = "throughput"\nwait = "waitset"'
    matrix += '\nqos.history = "keep_last"'
    finding = found(lab, matrix, "loss-under-reliable")
    assert finding.title == "Samples were overwritten under reliable keep-last"


DELAYS = """adapter = "reference"
transport = "pipe"
option.reference.delay = 0.3
option.reference.delay_us = 5000"""


def test_11_two_modes(lab: Lab) -> None:
    need_adapters("reference")
    finding = found(lab, DELAYS, "bimodal", measure="duration_s = 1.5\nwarmup_s = 0.1")
    assert "modes of the round trip" in finding.evidence


def test_12_participants_that_are_not_pinned(lab: Lab) -> None:
    need_adapters("udp")
    assert "free" in found(lab, 'adapter = "udp"\nplacement = "free"', "unpinned").evidence


def test_13_foreign_traffic(lab: Lab) -> None:
    need_adapters("cyclonedds")
    matrix = 'adapter = "cyclonedds"\ntest = "throughput"\nrate_hz = 500\nplacement = "free"'
    (lab.folder / "other").mkdir()
    lab.scenario(
        scenario(matrix, measure="duration_s = 30\nwarmup_s = 0.1", rounds=ONE), "other.toml"
    )
    other = lab.start("run", "other.toml", "--out", "stranger")
    with tidy(other):
        eventually(lambda: count(lab.folder / "stranger", "round_begins"), lambda: "not begun")
        finding = found(lab, matrix, "foreign-traffic")
    assert "foreign samples in 1 of 1 round" in finding.evidence


def test_14_too_few_samples(lab: Lab) -> None:
    need_adapters("udp")
    finding = found(lab, 'adapter = "udp"\nrate_hz = 10', "too-few-samples")
    assert "in the shortest of 1 round" in finding.evidence


def test_15_a_broker_that_is_restarted(lab: Lab) -> None:
    need_adapters("mqtt")
    program = shutil.which("mosquitto", path=f"{os.environ['PATH']}:/usr/sbin")
    if program is None:
        pytest.skip("no mosquitto")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    start = [program, "-p", str(port)]

    def broker() -> subprocess.Popen[bytes]:
        process = subprocess.Popen(start, stderr=subprocess.DEVNULL)
        eventually(lambda: _listens(port), lambda: "the broker does not listen")
        return process

    running = broker()
    try:
        matrix = f'adapter = "mqtt"\nrate_hz = 200\noption.mqtt.server = "127.0.0.1:{port}"'
        measure = "duration_s = 4\nwarmup_s = 0.1\ntimeout_s = 0.5"
        lab.scenario(scenario(matrix, measure=measure, rounds=ONE))
        with tidy(lab.start("run", "scenario.toml", "--out", "result")) as process:
            log = lab.folder / "result"
            eventually(lambda: count(log, "round_begins"), lambda: "no round has begun")
            eventually(lambda: len(lab.workers()) >= 2, lambda: "no participants")
            eventually(lambda: _traffic(port), lambda: "no pings")
            running.kill()
            running.wait()
            running = broker()
            process.communicate()
    finally:
        running.kill()
        running.wait()
    finding = named(lab.folder / "result", "server-lost")
    assert f"server 127.0.0.1:{port}" in finding.evidence


def _listens(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False


def _traffic(port: int) -> bool:
    """Whether a connection to the broker carries more than two clients need to find each other:
    pings have begun. (Bytes that a socket has sent, as `ss` shows them.)"""
    shown = subprocess.run(
        ["ss", "-tinH", f"dport = :{port}"], capture_output=True, text=True, check=False
    ).stdout
    sent = [int(word.partition(":")[2]) for word in shown.split() if word.startswith("bytes_sent:")]
    return max(sent, default=0) > MANY_BYTES


def test_21_nagles_algorithm_left_on(lab: Lab) -> None:
    need_adapters("tcp")
    matrix = 'adapter = "tcp"\nsize = 2000\nrate_hz = 1000\noption.tcp.nodelay = ["false", "true"]'
    finding = found(lab, matrix, "nagle-delayed-ack")
    assert "arrived together with one that was sent later" in finding.evidence
    assert finding.remedy == "Set `tcp.nodelay = true` in [matrix.option]."
    assert all("nodelayfalse" in case for case in finding.cases)


@pytest.mark.parametrize("test", ["latency", "throughput"])
def test_22_a_participant_that_is_stopped_in_a_flow_at_a_rate(lab: Lab, test: str) -> None:
    need_adapters("udp")
    lab.scenario(
        scenario(f'adapter = "udp"\ntest = "{test}"\nrate_hz = 500', measure=SHORT, rounds=ONE)
    )
    process = lab.start("run", "scenario.toml", "--out", "result")
    with tidy(process):
        pids = eventually(
            lambda: found if len(found := lab.workers()) == 2 else None, lambda: "no participants"
        )
        # For a part of every tenth of a second, whenever the measurement is.
        while process.poll() is None:
            for signalled, seconds in ((signal.SIGSTOP, 0.03), (signal.SIGCONT, 0.07)):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pids[0], signalled)
                time.sleep(seconds)
        process.communicate()
    directory = lab.folder / "result"
    finding = named(directory, "participant-stopped")
    table = pl.read_parquet(next((directory / "participants").glob("*.parquet")))
    (who,) = table.filter(pl.col("stopped"))["participant"].to_list()
    assert table.filter(pl.col("process") == pids[0])["participant"].to_list() == [who]
    assert f"{who} in round 0" in finding.evidence


# --- as they would have been recorded -------------------------------------------------------------


def rtts(seed: int, number: int = 2000) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Round trips without a fault."""
    return 50_000 * np.exp(0.1 * np.random.default_rng(seed).standard_normal(number))


def recorded_finding(
    lab: Lab, monkeypatch: pytest.MonkeyPatch, rule: str, spoilt: Callable[[int], Round],
) -> Finding:  # fmt: skip
    """Finding of a campaign whose rounds are `spoilt`, by number."""
    numbers = itertools.count()
    recorded.campaign(lab.folder / "result", monkeypatch, lambda *_: spoilt(next(numbers)))
    return named(lab.folder / "result", rule)


def test_nothing_planted_is_nothing_said(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = itertools.count()
    directory = lab.folder / "result"
    recorded.campaign(directory, monkeypatch, lambda *_: Round(rtts(next(numbers))))
    assert load_manifest(directory)[0].findings == []


def test_16_drift_within_a_round(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    rise = np.linspace(1.0, 1.5, 2000)
    finding = recorded_finding(
        lab, monkeypatch, "non-stationary", lambda n: Round(rtts(n) * rise)
    )  # fmt: skip
    assert "rises by" in finding.evidence and "3 of 3 rounds" in finding.evidence


def test_17_a_step_of_the_clock(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock is put back by 50 ms while a ping is under way."""

    def spoilt(number: int) -> Round:
        series = rtts(number)
        series[1000] -= 50e6
        return Round(series)

    finding = recorded_finding(lab, monkeypatch, "clock-order", spoilt)
    assert "3 of 6" in finding.evidence and "-50.0 ms" in finding.evidence


NOON_NS = 1_800_000_000 * 10**9
"""CLOCK_REALTIME minus CLOCK_MONOTONIC."""


def test_23_the_wall_clock_is_set_in_a_round(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    def spoilt(number: int) -> Round:
        later = NOON_NS + (2 * 10**9 if number == 1 else 0)
        moments = [Condition(wall_clock_offset_ns=at) for at in (NOON_NS, later)]
        told = host.changes(*moments, {})
        return Round(rtts(number), changed="; ".join(f"{k}: {v}" for k, v in told.items()) or None)

    finding = recorded_finding(lab, monkeypatch, "machine-changed", spoilt)
    assert "1 of 3 rounds; round 1: wall_clock: stepped by +2.000 s" in finding.evidence


def test_24_the_wall_clock_is_set_between_rounds(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    def spoilt(number: int) -> Round:
        offset = NOON_NS - (number == 2) * 3 * 10**8 + number
        names = ("wall_clock_offset_ns", "wall_clock_offset_end_ns")
        return Round(rtts(number), clocks=dict.fromkeys(names, offset))

    finding = recorded_finding(lab, monkeypatch, "machine-changed", spoilt)
    assert "-0.300 s before round 2" in finding.evidence and finding.severity == "note"


def readings(*vmstat: str) -> list[dict[str, Any]]:
    """What two readings of the host with these texts of /proc/vmstat tell."""
    stat = "cpu  1 0 1 9 0 0 0 0 0 0\nctxt 1\n"
    files = [
        [(at, "/proc/stat", stat), (at, "/proc/vmstat", text)]
        for at, text in zip((0, 10**9), vmstat, strict=True)
    ]
    return changes(files, {})


def test_18_swapping(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = readings("pswpin 10\npswpout 20\n", "pswpin 910\npswpout 25\n")
    finding = recorded_finding(lab, monkeypatch, "swapped", lambda n: Round(rtts(n), system=rows))
    assert "2\N{NARROW NO-BREAK SPACE}700 pages came from swap and 15 went there in 3 rounds" in (
        finding.evidence
    )


def test_19_stolen_time(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    def counters(name: str, line: str) -> Counters:
        path = lab.folder / name / "proc/stat"
        path.parent.mkdir(parents=True)
        path.write_text(line)
        return snapshot(root=lab.folder / name)

    before = counters("before", "cpu0 100 0 0 1000 0 0 0 5 0 0\n")
    change = difference(before, counters("after", "cpu0 150 0 0 1040 0 0 0 15 0 0\n"))
    finding = recorded_finding(
        lab, monkeypatch, "steal-time", lambda n: Round(rtts(n), counters=change)
    )
    assert "up to 10 % of a CPU's time stolen" in finding.evidence


def test_20_effects_of_order(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = itertools.count()

    def after(_case: Case, before: Case | None) -> Round:
        slower = 1.3 if before is not None and before.params.adapter == "udp" else 1.0
        return Round(rtts(next(numbers), 300) * slower)

    directory = lab.folder / "result"
    recorded.campaign(directory, monkeypatch, after, adapters=("udp", "tcp", "uds"), rounds=20)
    assert "after udp values are" in named(directory, "order-effects").evidence


def test_07_nagle_and_delayed_acknowledgements(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    """Round trips that the kernel's TCP really took, between two sockets of this test: the message
    goes out in two pieces, and the answer comes when both have arrived."""
    real = two_pieces(25)
    finding = recorded_finding(lab, monkeypatch, "nagle-delayed-ack", lambda _: Round(real))
    assert "have a round trip of 35 to 100 ms" in finding.evidence
    assert "TCP_NODELAY" in finding.remedy


def two_pieces(number: int) -> list[float]:
    """Round trips (ns) of messages in two writes over a connection with Nagle's algorithm, which
    carries answers too, so that the kernel delays acknowledgements."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        client = socket.create_connection(server.getsockname())
        peer, _ = server.accept()
        thread = threading.Thread(target=_answers, args=(peer,))
        thread.start()
        took = []
        with client:
            for _ in range(number):
                begin = time.monotonic_ns()
                client.send(b"head")
                client.send(b"body")
                client.recv(1)
                took.append(float(time.monotonic_ns() - begin))
        thread.join()
    return took


def _answers(peer: socket.socket) -> None:
    with peer:
        while True:
            got = b""
            while len(got) < 8:
                piece = peer.recv(8 - len(got))
                if not piece:
                    return
                got += piece
            peer.send(b"!")
