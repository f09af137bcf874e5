"""docs/reference/result.md: the result directory and every column of its tables."""

from __future__ import annotations

from tools.pages import docstrings
from tools.pages import markdown as md

from busmark.store import FORMAT_VERSION, TABLES, Manifest, manifest

LAYOUT = """\
```
manifest.json          what was run, where, with what, and what was found
cases.parquet          one row per case and round: status, reason, summary
estimates.parquet      every figure of the result, made from the tables; may be deleted
series.parquet         the curves of its charts, made from the tables; may be deleted
cases.jsonl            rows that are not in that table yet, while a large campaign runs
samples/*.parquet      raw time stamps, one file per round: CASE.rNNN.parquet
participants/*.parquet who took part, one file per round
flows/*.parquet        what became of each writer's samples at each reader, one file per round
intervals/*.parquet    samples and bytes over time, one file per round
changes/*.parquet      what changed in the middle of rounds, one file per round
system/*.parquet       the kernel's counters over time, one file per round
artefacts/*            files made beside a round, if any: CASE.rNNN.COMPANION.…
events.jsonl           every attempt and every error, with time
summaries.parquet      of imported results: what the source states
logs/*.log             what workers printed, CASE.rNNN.WORKER.log; CASE.rNNN.attemptN.WORKER.log of
                       an attempt that failed; a file only where there was something
report/report.html     the report; can be deleted and written again by `busmark report`
```
"""

CRASH = """\
A round's tables are written first: beside their place, flushed, then renamed. The row in
`cases.parquet` follows in the same way and is what makes the round count. Where writing that table
would take more than a fiftieth of the time, rows are lines of `cases.jsonl` until it is written
again, at the latest when the campaign ends. So a crash at any moment leaves every finished round
readable. `busmark run --resume --out DIR` runs what is missing:
rounds that were not run, that failed, or whose files are gone. It removes leftovers that end in
`.partial`, refuses a changed scenario, and refuses an adapter whose library has another hash.

A further attempt at a round replaces the row of the attempt before it. The earlier attempt and
its reason stay in `events.jsonl`, and what its workers printed in `logs/`.

A directory may be copied to another machine and resumed there, by the same build of Busmark.
From then on `resumptions` in the manifest names the first round that ran there and has that
machine's profile, and a finding says in what the machines differ.
"""

TABLE_NOTES = {
    "cases": "One row per case and round. `status` decides: only rounds that are `ok` enter an "
    "estimate.",
    "samples": "One row per recorded sample: all pings of a latency round, the probes of a "
    "throughput round. Warm-up is not recorded. Stamps T1 to T4 are explained in [the hot path]"
    "(../hot-path.md).",
    "participants": "One row per participant of a round. To put the stamps of a round on the axis "
    "of a packet capture, or beside a middleware's own stamps, add `realtime_ns − monotonic_ns` of "
    "the participant that took them.",
    "flows": "One row per flow, writer and reader: what was to come, was written and was read. "
    "Pings that several readers answer have one row per writer.",
    "intervals": "Counters of a throughput round, at the writer and at the reader.",
    "changes": "Only for cases with a timeline: one row per change and end of a flow, when it "
    "took effect. `samples` and `intervals` say by `phase` what was before and what "
    "after. See [change something while it is "
    "measured](../tasks/change-while-measuring.md).",
    "batches": "Only for streams in batches: one row per batch and reader. Goodput within a batch "
    "is `received` over `duration_ns`. The raw samples of the role `batcher` have the "
    "same batches as they were written.",
    "discoveries": "Only for discovery tests: one row per repetition. Times begin with the first "
    "call that creates something. See [measure discovery](../tasks/measure-discovery.md).",
    "goals": "Only for action tests: one row per goal of a client. Times begin when it was to be "
    "sent. See [measure services](../tasks/measure-services.md#actions).",
    "matches": "Only for streams with three endpoints or more whose participants have one clock: "
    "one row per endpoint, in the order in which they had found their counterparts.",
    "hops": "Only for rounds with a capture: one row for each time that a sample passed a hop, "
    "that is from one address and port to another on one interface. A sample is recognised by its "
    "header (run, writer, `seq`) in any protocol. Rows that are not `warm_up` join with `samples` "
    "by writer and seq; a pong has the seq of its ping, its own writer, and the ping's writer in "
    "`answered`. At most the first two million passages are kept. See "
    "[capture packets](../../python/busmark/plugins/capture/docs/capture-packets.md).",
    "wire": "Only for rounds with a capture: packets and bytes by what they were for. What was "
    "captured at both ends of a link is counted once.",
    "summaries": "Only for imported results: every figure as another tool states it, with file "
    "and line. `line` is null if the importer combined a figure from parts of the "
    "run. See [import results of other tools]"
    "(../../python/busmark/plugins/imports/docs/import-other-tools.md).",
    "system": "What the kernel counted between two readings, one row per interval and object; "
    "`scope` says which columns a row has. Counts are of the interval: divide by `duration_ns`. "
    "See [what it costs the machine](../tasks/watch-the-system.md).",
}

EXAMPLES = """\
## Reading it

No code of Busmark is needed. Every file opens directly. Each Parquet file carries a checksum as
`busmark.crc32` in its key-value metadata: CRC-32, as zlib computes it, of the whole file with the
eight hexadecimal digits of the checksum as zeros. Busmark refuses a file whose bytes differ.

The median round trip of each latency case, over the rounds that count:

With polars:

```python
import polars as pl

directory = "busmark-results/quickstart"
cases = pl.read_parquet(f"{directory}/cases.parquet").filter(
    (pl.col("status") == "ok") & (pl.col("test") == "latency")
)
samples = pl.scan_parquet(f"{directory}/samples/*.parquet").filter(
    (pl.col("role") == "pinger") & pl.col("read_ns").is_not_null()
)
medians = (
    samples.join(cases.lazy().select("case", "round"), on=["case", "round"])
    .group_by("case", "round")
    .agg(((pl.col("read_ns") - pl.col("intended_ns")).median() / 1000).alias("round_trip_us"))
    .group_by("case")
    .agg(pl.col("round_trip_us").median(), pl.len().alias("rounds"))
    .sort("round_trip_us")
    .collect()
)
print(medians)
```

With pandas:

```python
import pandas as pd

directory = "busmark-results/quickstart"
cases = pd.read_parquet(f"{directory}/cases.parquet")
good = cases[(cases["status"] == "ok") & (cases["test"] == "latency")]
print(good.groupby("case")["median_ns"].agg(["median", "count"]))
```

With DuckDB:

```python
import duckdb

duckdb.sql(\"\"\"
    SELECT "case", median(median_ns) / 1000 AS round_trip_us, count(*) AS rounds
    FROM 'busmark-results/quickstart/cases.parquet'
    WHERE status = 'ok' AND test = 'latency'
    GROUP BY ALL ORDER BY round_trip_us
\"\"\").show()
```

## The analysed result

`busmark show DIR --json` prints cases with their figures, findings and answers as one document. Its
schema is [schemas/result.schema.json](../../schemas/result.schema.json). A case's `figures` are its
rows of the table of estimates. All of it is computed from the files above and can be computed again
at any time; [metrics](metrics.md) says what each figure means.
"""


def page() -> str:
    """Return the page as Markdown."""
    parts = [
        md.head("Result directory", "`busmark.store`"),
        f"Format {FORMAT_VERSION}. Times are int64 nanoseconds of CLOCK_MONOTONIC unless the name "
        "says otherwise,\nsizes are bytes. A value that is not there is null, never 0.\n",
        LAYOUT,
        CRASH,
        "## `manifest.json`\n",
        "Schema: [schemas/manifest.schema.json](../../schemas/manifest.schema.json).\n",
        _manifest(),
    ]
    for name, columns in TABLES.items():
        parts += [
            f"## `{name}`\n",
            md.paragraph(TABLE_NOTES[name]),
            md.table(
                ("Column", "Kind", "Unit", "Meaning"),
                [(md.code(c.name), c.kind, c.unit, c.meaning) for c in columns],
            ),
        ]
    return "\n".join([*parts, EXAMPLES])


MANIFEST = {
    "format": "version of this format",
    "busmark_version": "version that measured",
    "created_utc": "start of the campaign, ISO 8601",
    "finished_utc": "",
    "command": "",
    "seed": "of the order of rounds and of the analysis",
    "cookie": "",
    "scenario": "",
    "scenario_text": "",
    "cases": "`id`, `params`, `status` (planned or unsupported) and `reason` of every case",
    "hosts": "",
    "adapters": "",
    "missing_adapters": "",
    "findings": "all findings: `id`, `severity`, `title`, `cause`, `evidence`, `remedy`, `cases`",
}
"""What the code does not say itself of a key of the manifest."""


def _manifest() -> str:
    docs = docstrings.of_classes(manifest)["Manifest"]
    rows = []
    for key in Manifest.model_fields:
        text = docs.get(key) or MANIFEST[key]
        rows.append((md.code(key), text))
    return md.table(("Key", "Meaning"), rows)
