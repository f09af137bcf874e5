"""Short rounds for hours, plain and secured: does the command grow?

    python python/tests/e2e/growth.py --hours 2 --out growth.jsonl

One campaign runs until it is interrupted. Memory, descriptors and threads of the controller
are read all the while, between rounds and within them; the medians of each tenth of the time are
printed, with what each round adds by a robust line (Theil-Sen) through them.
"""

from __future__ import annotations

import argparse
import json
import signal
import statistics
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from e2e_harness import Lab, assert_intact, count, end, scenario, tidy
from scipy.stats import theilslopes

PARTS = 10
EVERY_S = 1.0
SAID = "said"
INTO_A_FILE = ("sh", "-c", f'exec "$@" >{SAID} 2>&1', "sh")
"""A pipe that nobody reads would be full after some hundred rounds."""
MATRIX = """adapter = ["udp", "tcp", "cyclonedds", "fastdds"]
security = "none"
size = [64, 128, 256, 1024, 2048, 4096, 8192, 16384]

[[also]]
adapter = "tcp"
security = "tls"

[[also]]
adapter = ["cyclonedds", "fastdds"]
security = "all"
"""


@dataclass(frozen=True)
class Reading:
    """What the controller has at one moment."""

    rounds: int
    memory_kib: int
    descriptors: int
    threads: int


def read(process: int, out: Path) -> Reading:
    """What it has now."""
    place = Path(f"/proc/{process}")
    status = dict(
        line.split(":", 1) for line in (place / "status").read_text().splitlines() if ":" in line
    )
    return Reading(
        count(out, "round_ends"),
        int(status["VmRSS"].split()[0]),
        len(list((place / "fd").iterdir())),
        int(status["Threads"]),
    )


def soak(hours: float, kept: Path | None) -> list[Reading]:
    """Runs the campaign for these hours; readings are kept in that file as they come."""
    with tempfile.TemporaryDirectory(prefix="bmg-") as folder:
        place = Path(folder)
        (place / "s").mkdir()
        lab = Lab(place, place / "s")
        lab.scenario(scenario(MATRIX, rounds="min = 1000\nmax = 1000"))
        out, readings = place / "result", []
        with tidy(lab.start("run", "scenario.toml", "--out", out, prefix=INTO_A_FILE)) as process:
            until = time.monotonic() + hours * 3600
            while time.monotonic() < until and process.poll() is None:
                time.sleep(EVERY_S)
                if not count(out, "round_ends"):
                    continue
                with suppress(FileNotFoundError, KeyError):  # It has just ended.
                    readings.append(read(process.pid, out))
                    if kept:
                        with kept.open("a") as file:
                            file.write(json.dumps(asdict(readings[-1])) + "\n")
            process.send_signal(signal.SIGINT)
            ended = end(process, 600)
        assert readings and ended.code in (0, 130), (place / SAID).read_text()
        assert_intact(out)
        lab.assert_nothing_left()
    return readings


def main() -> int:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--hours", type=float, default=2.0)
    parser.add_argument("--out", type=Path, help="all readings, a line of JSON each")
    asked = parser.parse_args()
    readings = soak(asked.hours, asked.out)
    names = ("memory_kib", "descriptors", "threads")
    print(f"| rounds | {' | '.join(names)} |\n| --- | --- | --- | --- |")
    size = max(1, len(readings) // PARTS)
    parts = [readings[at : at + size] for at in range(0, len(readings), size)][:PARTS]
    for part in parts:
        medians = [statistics.median(getattr(each, name) for each in part) for name in names]
        print(f"| {part[-1].rounds} | {' | '.join(f'{value:g}' for value in medians)} |")
    # The first part warms up: caches, threads, imports.
    later = [reading for part in parts[1:] for reading in part][:: max(1, len(readings) // 1000)]
    for name in names if len(later) > 2 else ():
        rounds = [reading.rounds for reading in later]
        line = theilslopes([getattr(each, name) for each in later], rounds)
        print(f"{name}: {1000 * line.slope:+.3g} [{1000 * line.low_slope:+.3g}, "
              f"{1000 * line.high_slope:+.3g}] for 1,000 rounds")  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
