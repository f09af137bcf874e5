"""Cells of the notebook of a campaign with which its reader continues: frames, a choice of cases,
own plots."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from busmark.compare.campaign import Campaign
from busmark.model import naming as dim
from busmark.model.case import CaseSummary
from busmark.model.quantities import GOODPUT
from busmark.present.charts import look
from busmark.present.document import Chart, Section, SourceText, code
from busmark.present.markup import escaped


def opening(campaign: Campaign, directory: str) -> Section:
    """Return the cells that open the results; `directory` is relative to the notebook."""
    colours = "".join(f"    {each.text!r}: {look.colour(each)!r},\n" for each in campaign.labels)
    return Section(
        "",
        [
            SourceText(
                "This notebook was written and run by `busmark report --to notebook`. Change it "
                "and run it again: it needs the Python package `busmark` and the results. "
                "`busmark.open` returns data frames, whose columns *Python interface* of Busmark's "
                "documentation describes; times are nanoseconds. Files that could not be read are "
                "listed below them."
            ),
            code(f"""
            import busmark
            import polars as pl
            from busmark.present.display import Drawing, chart

            pl.Config(tbl_rows=60, tbl_cols=20, fmt_str_lengths=90, float_precision=3)
            r = busmark.open({directory!r})
            r
            """),
            code("r.problems"),
            code(
                "# The colour of each middleware is the same in all reports.\n"
                f"colour = {{\n{colours}}}"
            ),
        ],
    )


def drawn(chart: Chart) -> Iterator[SourceText]:
    """Return a heading, and a cell for each choice of cases, which draws them from the results."""
    yield SourceText(f"### {escaped(chart.title)}\n\n{escaped(chart.explanation)}".strip())
    for shape in chart.shapes:
        choice = f", {dict(shape.keys)!r}" if shape.keys else ""
        yield code(f"chart(r, {chart.key!r}{choice})")


def closing(campaign: Campaign, charts: Sequence[str]) -> Section:
    """Return the cells at the end, for the tests that there are; `charts`: those not shown yet."""
    more = f" More charts: {', '.join(f'`{key}`' for key in charts)}." if charts else ""
    cells = [
        SourceText(
            "## Continue here\n\n`chart(r, KEY, CHOICE)` draws a chart of the report for another "
            f"choice of cases; without a choice the first.{more} `plot` draws your own."
        ),
        code(PLOT),
    ]
    if latency := _choice(campaign, "latency"):
        cells += _latency(latency)
    if streams := _choice(campaign, "throughput"):
        cells += _streams(streams)
    command = " ".join(campaign.command.split()).replace("`", "'")
    return Section(
        "",
        [
            *cells,
            SourceText(
                "All raw samples of all rounds, joined with parameters of their case. The frame is "
                "lazy: filter and select before `.collect()`."
            ),
            code("""
            keys = ["adapter", "placement", "flow"]
            r.samples(parameters=["adapter", "placement"]).group_by(keys).agg(
                pl.len().alias("samples"),
                (pl.col("written_ns") - pl.col("sent_ns")).median().alias("median_write_ns"),
            ).sort(keys).collect()
            """),
            SourceText(f"The command that repeats the campaign:\n\n```sh\n{command}\n```"),
        ],
    )


PLOT = """
    def plot(frame, x, y, mark="line", log=(), zoom=False, title=""):
        \"\"\"A line for each label. zoom: only the range in which most values lie, within 1.5
        interquartile ranges of the quartiles (Tukey 1977).\"\"\"
        def axis(name, **scale):
            kind = "log" if name in log else "linear"
            return {"field": name, "type": "quantitative",
                    "scale": {"type": kind, "zero": False, **scale}}
        ends = {}
        values = frame[y].drop_nulls()
        if zoom and len(values):
            low, high = values.quantile(0.25), values.quantile(0.75)
            reach = 1.5 * (high - low)
            ends = {"domain": [max(low - reach, values.min()), min(high + reach, values.max())]}
        known = frame["label"].unique(maintain_order=True).to_list()
        scale = {"domain": known, "range": [colour[label] for label in known]}
        return Drawing({
            "title": title, "width": 800, "height": 300,
            "data": {"values": frame.select("label", x, y).to_dicts()},
            "mark": {"type": mark, "clip": True, **({"point": True} if mark == "line" else {})},
            "encoding": {"x": axis(x), "y": axis(y, **ends),
                         "color": {"field": "label", "title": None, "scale": scale}},
        }, title)
    """


def _conditions(same: Mapping[str, object]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in same.items())


def _latency(same: dict[str, object]) -> Iterator[SourceText]:
    yield SourceText(
        "### Latency: a choice of cases\n\nOnly size and middleware differ. The null adapter, "
        "which shows what Busmark itself costs, is left out. Change the conditions for another "
        "choice."
    )
    yield code(f"""
        latency = r.cases.filter(
            ~pl.col("is_floor"), pl.col("half_round_trip_count") > 0,
            {_conditions(same)},
        ).sort("size", "label").with_columns(
            (pl.col(f"half_round_trip_{{name}}_ns") / 1e3).alias(f"{{name}}_us")
            for name in ("mean", "median", "min", "max", "std", "p99")
        )
        names = "mean_us", "median_us", "min_us", "max_us", "std_us", "p99_us"
        latency.select("label", "size", "rounds_ok", "half_round_trip_count", "lost", *names)
        """)
    yield SourceText(
        "Value by value over size, and zoomed; another name of the table for another one."
    )
    yield code('plot(latency, "size", "mean_us", log=["size"], title="Mean of RTT/2, µs")')
    yield code('plot(latency, "size", "max_us", log=["size"], zoom=True, title="Max, zoomed")')
    yield SourceText(
        "Sample by sample: the last 500 of the first round at the smallest size. `r.latencies` "
        "returns the values that the estimates rest on, without warm-up; a lost ping has none."
    )
    yield code("""
        chosen = latency.filter(pl.col("size") == pl.col("size").min()).head(6)
        samples = pl.concat(
            r.latencies(case, lost=True)
            .filter(pl.col("round") == pl.col("round").min())
            .tail(500)
            .select("t_s", pl.lit(label).alias("label"), us=pl.col("latency_ns") / 1e3)
            for case, label in chosen.select("case", "label").iter_rows()
        )
        plot(samples, "t_s", "us", "point", log=["us"], title="RTT/2, µs, sample by sample")
        """)
    yield SourceText(
        "Distribution function of the same cases, smoothed with a Gaussian kernel; the chart "
        "`latency-ecdf` is the empirical one. Shares are of what was sent: a curve ends where lost "
        "samples begin."
    )
    yield code("""
        curves = r.series.filter(
            pl.col("kind") == "smoothed_ecdf", pl.col("quantity") == "half_round_trip",
        ).join(latency.filter(pl.col("size") == pl.col("size").min()), on="case")
        curves = curves.with_columns(us=pl.col("x") / 1e3, share=pl.col("y"))
        plot(curves, "us", "share", log=["us"], title="Share of samples at or below, RTT/2, µs")
        """)


def _streams(same: dict[str, object]) -> Iterator[SourceText]:
    yield SourceText(
        "### Streams: a choice of cases\n\nCounted at the reader: goodput is what arrived, in "
        "bodies without headers, and 1 Mbit/s is 10⁶ bit/s. Latency is of samples within the "
        "stream."
    )
    yield code(f"""
        streams = r.cases.filter(
            ~pl.col("is_floor"), pl.col("samples_per_s").is_not_null(),
            {_conditions(same)},
        ).sort("size", "label")
        names = "received", "lost", "loss", "samples_per_s", "goodput_mbit_per_s"
        streams.select("label", "size", "rounds_ok", *names, "probe_one_way_median_ns")
        """)
    yield code("""
        plot(streams, "size", "goodput_mbit_per_s", log=["size"], title="Goodput, Mbit/s")
        """)
    yield code("""
        title = "Median one-way latency in the stream, ns"
        plot(streams, "size", "probe_one_way_median_ns", log=["size"], title=title)
        """)


def _choice(campaign: Campaign, test: str) -> dict[str, object] | None:
    """Return columns of the frame of cases with what the largest set of measured cases that may be
    drawn together has in common; the first of several. None without any."""
    by_id = {case.id: case for case in campaign.cases}
    sets: dict[tuple[object, ...], list[CaseSummary]] = {}
    for group in campaign.groups:
        for case in (by_id[c] for c in group.cases):
            if case.test == test and case.size is not None and (case.rtt_2 or GOODPUT.figure(case)):
                key = (case.placement, *case.workload.items())
                sets.setdefault(key, []).append(case)
    if not sets:
        return None
    own = [dim.flatten(case.params) for case in max(sets.values(), key=len)]
    every = [dim.flatten(case.params) for case in campaign.cases if case.test == test]
    same = {
        name: own[0].get(name)
        for name in dim.varying(every)
        if not dim.is_choice(name)
        and "." not in name
        and len({str(flat.get(name)) for flat in own}) == 1
        and isinstance(own[0].get(name), str | int | float)
    }
    return {"test": test, "placement": own[0].get("placement"), **same}
