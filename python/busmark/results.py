"""`Results`: a campaign as data frames, what `busmark.open` gives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, wraps
from pathlib import Path
from typing import TypeVar, cast

import polars as pl

from busmark import compare
from busmark.compare import Comparison
from busmark.compare.campaign import Campaign
from busmark.compare.stored import StoredAnalysis
from busmark.errors import UserError, nearest
from busmark.estimate import frames
from busmark.estimate import latencies as single
from busmark.estimate.columns import CHANGES, SINGLE
from busmark.estimate.frames import schema
from busmark.estimate.one_case import SAMPLE_COLUMNS
from busmark.model.figure import LATENCY_OF, Quantity
from busmark.model.figures import Figures
from busmark.store import Manifest, Result
from busmark.store.columns import OF_PLUGINS
from busmark.store.named import resolve


def changes(found: Comparison) -> pl.DataFrame:
    """Return a comparison as the frame of `Results.compare`."""
    rows = [
        {
            "label": pair.label,
            "case": pair.baseline_case,
            "other_case": pair.candidate_case,
            "figure": one.name,
            "headline": one.headline,
            "kind": one.kind,
            "change": one.change.value if one.change else None,
            "low": one.change.low if one.change else None,
            "high": one.change.high if one.change else None,
            "p_adjusted": one.p_adjusted,
            "verdict": one.verdict,
            "reason": one.reason,
        }
        for pair in found.pairs
        for one in pair.changes
    ]
    return pl.DataFrame(rows, schema=schema(CHANGES), strict=False)


def open_results(directory: str | Path) -> Results:
    """Open the results in `directory`, or of the name `@last` or `@NAME` as `busmark list` has it;
    read the manifest and the table of rounds, nothing else.

    Raises:
        UserError: it is no result directory, there is none of this name, it is damaged, or a newer
            Busmark wrote it.
    """
    return Results(Result(resolve(str(directory))))


TABLES = (
    "samples",
    "intervals",
    "participants",
    "flows",
    "changes",
    "batches",
    "discoveries",
    "goals",
    "matches",
    *OF_PLUGINS,
    "system",
)
"""Raw tables, each scanned by a method of its name."""

Method = TypeVar("Method", bound=Callable[..., pl.LazyFrame])


def _like(samples: Method, table: str, rows: str) -> Method:
    """Return the method `samples` for another table; `rows` says what it is of."""

    @wraps(samples)
    def scan(
        self: Results,
        case: str | None = None,
        round: int | None = None,
        *,
        status: str | None = "ok",
        parameters: bool | Sequence[str] = False,
    ) -> pl.LazyFrame:
        return self._scan(table, case, round, status, parameters)

    scan.__name__, scan.__qualname__ = table, f"Results.{table}"
    scan.__doc__ = f"{rows}; see `samples` for the arguments."
    return cast("Method", scan)


class Results:
    """A campaign as polars frames; columns are listed in docs/reference/python.md.

    Frames are made when they are first asked for, and kept. `cases` and `estimates`
    need the analysis of all samples, which takes seconds for millions of them where it is not
    stored. `rounds` and the scans do not. Every frame
    becomes one of pandas by `.to_pandas()`, which needs pandas and pyarrow. What could not be read
    is not in the frames and is listed by `problems`.
    """

    def __init__(self, result: Result, campaign: Campaign | None = None) -> None:
        """Prepare the frames of a result; `campaign` is given if it has been analysed already."""
        self._result = result
        self._stored = StoredAnalysis(result, self._note, campaign)
        self._unreadable = {what: what for what in result.damage}

    def __repr__(self) -> str:
        planned = len(self.manifest.cases)
        return f"<busmark.Results {self.name!r}: {planned} cases, {self.rounds.height} rounds>"

    @property
    def name(self) -> str:
        """Name of the campaign."""
        return str(self.manifest.scenario.get("name") or "unnamed campaign")

    @property
    def directory(self) -> Path:
        """Directory of the results."""
        return self._result.directory

    @property
    def manifest(self) -> Manifest:
        """The manifest: what was run, where, with what; `manifest.json`."""
        return self._result.manifest

    @property
    def campaign(self) -> Campaign:
        """The analysed campaign, as `busmark show --json` prints it, with its curves."""
        return self._stored.campaign

    @cached_property
    def parameters(self) -> pl.DataFrame:
        """The parameters of every case, as in `cases`, without any estimate."""
        return frames.parameters([(case.id, case.params) for case in self.manifest.cases])

    @cached_property
    def cases(self) -> pl.DataFrame:
        """One row per case: its parameters, its estimates and their limits."""
        return frames.cases(self._stored.figures.cases, self.parameters)

    @cached_property
    def estimates(self) -> pl.DataFrame:
        """Every figure of every case: quantity, statistic, scope, value, interval, count, unit.

        It is read from the result's `estimates.parquet` where that is of this result, else made
        anew."""
        return self._stored.estimates

    @cached_property
    def series(self) -> pl.DataFrame:
        """The curves of every case, point by point: distributions, rounds, what changes over time.

        It is read from the result's `series.parquet` where that is of this result, else made
        anew."""
        return self._stored.series

    @property
    def rounds(self) -> pl.DataFrame:
        """One row per round, whatever became of it; `status` is ok where it counts."""
        return self._result.cases

    @cached_property
    def machines(self) -> pl.DataFrame:
        """One row per machine, with all facts of its profile."""
        return frames.machines(self.manifest)

    @cached_property
    def findings(self) -> pl.DataFrame:
        """Findings that spoil, or may spoil, the measurement: cause, evidence, remedy."""
        return frames.findings(self.manifest.findings)

    def figures(self, case: str) -> Figures:
        """Return the figures of a case, to be found by quantity, statistic and part:
        `figures(case).get(ONE_WAY, P99, flow="imu")`.

        Raises:
            UserError: there is no such case.
        """
        self._must_know(case)
        return frames.figures(self.estimates.filter(pl.col("case") == case)).get(case, Figures())

    @property
    def reported(self) -> pl.DataFrame:
        """Figures that the source of an imported result states; empty for any other."""
        return self._result.summaries

    def compare(self, other: str | Path | Results) -> pl.DataFrame:
        """Compare every figure of every case that both have, `self` being the baseline: return the
        change with its interval, and a verdict; see `busmark compare`.

        Raises:
            UserError: the two are not the same experiment, or have nothing in common.
        """
        directory = other.directory if isinstance(other, Results) else Path(other)
        sides = compare.select([str(self.directory), str(directory)], (), None)
        return changes(compare.compare(sides))

    @property
    def problems(self) -> list[str]:
        """Files that could not be read and what follows: not in the frames, or made anew. It looks
        at the end of every file; damage inside one is reported once something has read it."""
        for table in TABLES:
            self._files(table, None, None, None)
        return list(self._unreadable.values())

    def _note(self, problem: str) -> None:
        """Keep what is wrong with a file, once: several readers may stumble over it."""
        first = problem.partition("\n")[0]
        # The analysis names files as they are in the result.
        path = self.directory / first.partition(": ")[0]
        self._unreadable.setdefault(str(path), first)

    def samples(
        self,
        case: str | None = None,
        round: int | None = None,
        *,
        status: str | None = "ok",
        parameters: bool | Sequence[str] = False,
    ) -> pl.LazyFrame:
        """Return raw samples of one case or of all, of one round or of all that count; of the
        scenario's own flows too, which the column `flow` distinguishes.

        Nothing is read before `.collect()`: filter and select first.

        Args:
            case: its identifier; None: all.
            round: its number; None: all.
            status: of the rounds; None: marked ones too.
            parameters: True adds the parameters of each sample's case; names add those.
        """
        return self._scan("samples", case, round, status, parameters)

    intervals = _like(samples, "intervals", "Samples and bytes of streams over time")
    participants = _like(samples, "participants", "Who took part in each round")
    flows = _like(samples, "flows", "What became of each writer's samples at each reader")
    changes = _like(samples, "changes", "What changed in the middle of rounds, and when")
    batches = _like(samples, "batches", "Batches, each as every reader saw it")
    discoveries = _like(samples, "discoveries", "Repetitions of discovery tests")
    goals = _like(samples, "goals", "Goals of action tests")
    matches = _like(samples, "matches", "When each endpoint had found its counterparts")
    system = _like(samples, "system", "The kernel's counters over time")

    def latencies(
        self, case: str, quantity: Quantity | None = None, *, lost: bool = False
    ) -> pl.DataFrame:
        """Return single latencies of a case: `round`, `t_s` and `latency_ns`, in order of time.

        These are the values that its estimates rest on: rounds that count, without warm-up.

        Args:
            case: its identifier.
            quantity: of a latency case half_round_trip (the default) or round_trip; of a service
                response_time; of a stream's probes one_way (the default), round_trip or
                half_round_trip.
            lost: whether those that never came back are rows too, without latency; of an imported
                stream it may not be known which they were.

        Raises:
            UserError: there is no such case, or it has no such quantity.
        """
        self._must_know(case)
        rows = self.rounds.filter((pl.col("case") == case) & (pl.col("status") == "ok"))
        test = str(self.parameters.row(by_predicate=pl.col("case") == case, named=True)["test"])
        chosen = quantity or LATENCY_OF.get(test, "round_trip")
        if chosen not in single.quantities(test):
            raise UserError(
                f"a case of the test {test} has no {chosen}",
                where=f"case {case}",
                remedy=f"It has {', '.join(single.quantities(test))}.",
            )
        wanted = single.Wanted(test, chosen, lost)
        found = [pl.DataFrame(schema=schema(SINGLE))]
        for row in rows.sort("round").iter_rows(named=True):
            try:
                samples = self._result.samples(case, row["round"], SAMPLE_COLUMNS)
            except UserError as error:
                self._note(str(error))
                continue
            found.append(single.latencies(row, samples, wanted))
        return pl.concat(found)

    def _scan(
        self,
        table: str,
        case: str | None,
        number: int | None,
        status: str | None,
        parameters: bool | Sequence[str],
    ) -> pl.LazyFrame:
        if case is not None:
            self._must_know(case)
        found = self._files(table, case, number, status)
        return frames.with_parameters(frames.scan(found), self.parameters, parameters)

    def _files(
        self, table: str, case: str | None, number: int | None, status: str | None
    ) -> frames.TableFiles:
        wanted = frames.rounds(self._result, case, number, status)
        found = frames.files(self._result, table, wanted)
        analysed = self._stored.at_hand
        for problem in (*found.problems, *(analysed.problems if analysed else ())):
            self._note(problem)
        # What the analysis could not read would stop a scan in the middle.
        usable = [path for path in found.usable if str(path) not in self._unreadable]
        return frames.TableFiles(table, usable, found.problems)

    def _must_know(self, case: str) -> None:
        known = [one.id for one in self.manifest.cases]
        if case not in known:
            raise UserError(
                f"no case {case!r}",
                where=str(self.directory),
                remedy=nearest(case, known, "The frame `cases` lists them."),
            )


for _table, _of in OF_PLUGINS.items():
    setattr(Results, _table, _like(Results.samples, _table, _of.title))
