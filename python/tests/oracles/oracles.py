"""What the commands say of stored results: frozen, so that the inside can be rebuilt.

An *oracle* is a frame (`busmark.open`) or a document (`--json` of a command) of a real result.
`results/` holds the results, `frozen.tar.xz` what the commands said of them. Who changes a figure
on purpose freezes again,

    python python/tests/oracles/oracles.py freeze

and lists the difference with its reason in `differences.md`. `oracles.py record FOLDER` packs
results that `packs.sh FOLDER` has run into `results/`.
"""

from __future__ import annotations

import contextlib
import io
import json
import math
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl
from click.testing import CliRunner

import busmark
from busmark.cli.main import busmark as busmark_command
from busmark.compare.campaign import summarise
from busmark.errors import UserError
from busmark.plugins.papers.repetition import repetition
from busmark.store import Result

HERE = Path(__file__).resolve().parent
KEPT = HERE.parent / "store" / "kept"
FILES = HERE.parents[1] / "busmark" / "plugins" / "imports" / "tests"
FRAMES = ("cases", "estimates", "findings", "reported")
"""Frames that are computed; the raw tables are files of the result itself."""
RELATIVE = 1e-9
"""Sums of floating point differ between processors in the last digits."""
PASSING = frozenset({"busmark_version", "command", "created_utc", "finished_utc", "hosts"})
"""Keys of documents that say where or by what they were made."""

IMPORTS: dict[str, tuple[str, ...]] = {
    "performance_test-run1": (
        "published/performance_test-run1-pub.csv", "published/performance_test-run1-sub.csv",
    ),
    "performance_test-10-subscribers": ("published/performance_test-10-subscribers.csv",),
    "perftest-3": (
        "published/perftest-3-pub-summary.csv", "published/perftest-3-sub-summary.csv",
    ),
    "perftest-scan": ("published/perftest-3-pub-scan.csv", "published/perftest-3-sub-scan.csv"),
    "sockperf": ("files/sockperf_ping_pong.txt",),
    "sockperf-log": ("files/sockperf_log.csv",),
    "ddsperf": ("files/ddsperf_ping.txt",),
    "fastdds": ("files/fastdds_table.txt",),
    "fastdds-raw": ("files/fastdds_raw.csv",),
    "opendds": ("files/opendds_report.json",),
    "omb": ("files/omb.json",),
}  # fmt: skip
"""Results of other tools, by the name of what is imported."""

COMPARISONS: dict[str, tuple[str, ...]] = {
    "adapters": ("closed-loop", "--by", "adapter"),
    "sizes-of-streams": ("streams", "--by", "adapter"),
    "links": ("lab", "--by", "link_loss"),
    "sides": ("sides", "--by", "side", "--fail-if", "median.latency > 1.05"),
    "same": ("closed-loop", "closed-loop-again"),
    "streams": ("streams", "streams-again"),
    "kept": ("before-participants", "--by", "transport"),
    "imported": ("performance_test-run1", "closed-loop"),
}  # fmt: skip


PREDICTIONS = ("before-participants", "openddsbench-latency", "first")
"""Results with a sweep that models can be fitted to."""


def results() -> list[Path]:
    """Return archives of results: kept ones of older versions, and those recorded for this."""
    return sorted(KEPT.glob("*.tar.xz")) + sorted((HERE / "results").glob("*.tar.xz"))


def unpack(archive: Path, folder: Path) -> Path:
    """Unpack a result below `folder`; return its directory."""
    directory = folder / archive.name.removesuffix(".tar.xz")
    with tarfile.open(archive) as opened:
        opened.extractall(directory, filter="data")
    return directory / "result"


def command(folder: Path, *arguments: str) -> Any:
    """Run `busmark … --json`; return what it prints, whatever it exits with."""
    ended = CliRunner().invoke(busmark_command, [*arguments, "--json"])
    if isinstance(ended.exception, UserError):
        return {"exit_code": 2, "error": str(ended.exception).replace(f"{folder}/", "")}
    return {
        "exit_code": ended.exit_code,
        "document": json.loads(ended.stdout.replace(f"{folder}/", "")),
    }


def done(*arguments: Any) -> None:
    """Run `busmark`, which must come to its end."""
    ended = CliRunner().invoke(busmark_command, [*map(str, arguments)])
    assert ended.exit_code == 0, ended.output


class Bench:
    """All results unpacked in a folder, and what can be asked of them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._opened: dict[str, Any] = {}
        self._found = {a.name.removesuffix(".tar.xz"): unpack(a, folder) for a in results()}
        for name, files in IMPORTS.items():
            self._found[name] = folder / name
            # By names that do not say where the checkout is.
            with contextlib.chdir(FILES):
                done("import", "--out", self._found[name], *files)

    def oracles(self) -> Iterator[tuple[str, Callable[[], Any]]]:
        """Yield every oracle's name, and the function that asks for it."""
        for name in self._found:
            yield f"{name}/document", partial(self.document, name)
            for frame in FRAMES:
                yield f"{name}/{frame}", partial(self.frame, name, frame)
            if Result(self._found[name]).manifest.scenario.get("document"):
                yield f"{name}/statements", partial(self.statements, name)
        for name, arguments in COMPARISONS.items():
            places = [str(self._found.get(each, each)) for each in arguments]
            yield f"comparisons/{name}", partial(command, self._folder, "compare", *places)
        for name in PREDICTIONS:
            directory = str(self._found[name])
            yield f"predictions/{name}", partial(command, self._folder, "predict", directory)
        yield "history", self.history

    def document(self, name: str) -> Any:
        """Return what `show --json` prints of a result."""
        return command(self._folder, "show", str(self._found[name]))

    def frame(self, name: str, frame: str) -> pl.DataFrame:
        if name not in self._opened:
            self._opened[name] = busmark.open(self._found[name])
        found: pl.DataFrame = getattr(self._opened[name], frame)
        return found

    def statements(self, name: str) -> Any:
        """Return what a result says to its document: verdict and ratios of each check."""
        found = repetition(summarise(Result(self._found[name]), with_series=False))
        assert found is not None
        return [
            {
                "check": check.name, "verdict": said.verdict, "reason": said.reason,
                "ratio": said.ratio and asdict(said.ratio),
                "pairs": [[pair.name, asdict(ratio)] for pair, ratio in said.ratios],
            }
            for answer in found.answers
            for check, said in answer.lines
        ]  # fmt: skip

    def history(self) -> Any:
        """Return what `history show` prints of a history of some of the results."""
        file = self._folder / "history.jsonl"
        file.unlink(missing_ok=True)
        for number, name in enumerate(("closed-loop", "closed-loop-again", "streams")):
            done(
                "history", "add", self._found[name], "--history", file,
                "--commit", f"{number:040x}", "--machine", "oracle",
                "--date", f"2026-01-0{number + 1}T00:00:00Z",
            )  # fmt: skip
        return command(self._folder, "history", "show", "--history", str(file))


def stored(found: Any) -> bytes:
    """Return an oracle in its frozen form: Parquet, or JSON."""
    if isinstance(found, pl.DataFrame):
        buffer = io.BytesIO()
        found.write_parquet(buffer, compression="zstd", statistics=False)
        return buffer.getvalue()
    return json.dumps(settled(found), ensure_ascii=False, indent=0).encode()


def settled(found: Any) -> Any:
    """Return a document without what says where and by what it was made."""
    if isinstance(found, dict):
        return {key: settled(value) for key, value in found.items() if key not in PASSING}
    if isinstance(found, list):
        return [settled(value) for value in found]
    return found


def differences(frozen: Any, found: Any, where: str = "") -> Iterator[str]:
    """Yield every place in which two oracles differ."""
    if isinstance(frozen, dict) and isinstance(found, dict):
        for key in frozen.keys() | found.keys():
            if key not in found or key not in frozen:
                yield f"{where}.{key}: {'no longer' if key in frozen else 'not before'} there"
            else:
                yield from differences(frozen[key], found[key], f"{where}.{key}")
    elif isinstance(frozen, list) and isinstance(found, list):
        if len(frozen) != len(found):
            yield f"{where}: {len(frozen)} entries before, {len(found)} now"
        for number, (one, other) in enumerate(zip(frozen, found, strict=False)):
            yield from differences(one, other, f"{where}[{number}]")
    elif not alike(frozen, found):
        yield f"{where}: {frozen!r} before, {found!r} now"


def alike(frozen: Any, found: Any) -> bool:
    """Return whether two values are the same, numbers but for their last digits."""
    numbers = [v for v in (frozen, found) if isinstance(v, int | float) and not isinstance(v, bool)]
    if len(numbers) == 2:
        return (
            math.isclose(frozen, found, rel_tol=RELATIVE)
            or frozen == found
            or (math.isnan(frozen) and math.isnan(found))
        )
    return bool(frozen == found)


def as_document(frame: pl.DataFrame) -> Any:
    """Return a frame as a document, column by column, to be compared as one."""
    return frame.to_dict(as_series=False)


FROZEN = HERE / "frozen.tar.xz"


def frozen() -> dict[str, Any]:
    """Return the frozen oracles, by name."""
    found: dict[str, Any] = {}
    with tarfile.open(FROZEN) as archive:
        for member in archive:
            opened = archive.extractfile(member)
            assert opened is not None
            name, _, kind = member.name.rpartition(".")
            data = opened.read()
            found[name] = pl.read_parquet(data) if kind == "parquet" else json.loads(data)
    return found


def freeze() -> None:
    """Write what the commands say today."""
    with tempfile.TemporaryDirectory() as folder, tarfile.open(FROZEN, "w:xz", preset=9) as archive:
        for name, ask in Bench(Path(folder)).oracles():
            found = ask()
            kind = "parquet" if isinstance(found, pl.DataFrame) else "json"
            data = stored(found)
            member = tarfile.TarInfo(f"{name}.{kind}")
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))


def record(folder: Path) -> None:
    """Pack the results in `folder`, without their reports and logs."""
    (HERE / "results").mkdir(exist_ok=True)
    for manifest in sorted(folder.glob("*/manifest.json")):
        directory = manifest.parent
        packed = HERE / "results" / f"{directory.name}.tar.xz"
        with tarfile.open(packed, "w:xz", preset=9) as archive:
            archive.add(directory, "result", filter=_kept)


def _kept(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    parts = Path(member.name).parts
    if len(parts) > 1 and parts[1] in (
        "report", "logs", "artefacts", ".lock", "analysis.json", "estimates.parquet",
        "series.parquet",
    ):  # fmt: skip
        return None
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member


if __name__ == "__main__":
    if sys.argv[1:] == ["freeze"]:
        freeze()
    elif sys.argv[1:2] == ["record"]:
        record(Path(sys.argv[2]))
    else:
        sys.exit(__doc__)
