"""Figures of the paper's Tables 6 to 14, as data: a line for each of its 36 tests.

Table 6, latencies of deployment 1, is not in the published text.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

Condition = Literal["UDP-R", "TCP-R", "UDP-BE", "TCP-BE"]
"""Transport and stream: R is reliable, BE best effort."""

CONDITIONS: tuple[Condition, ...] = ("UDP-R", "TCP-R", "UDP-BE", "TCP-BE")
"""Conditions in the order of the paper's columns."""

LIMITS = (50, 100, 150)
"""Packets of a test."""


class Spread(NamedTuple):
    """Least, greatest, average, standard deviation, variance."""

    least: float
    greatest: float
    mean: float
    deviation: float | None
    variance: float | None
    """Absent for a single value."""


class Lengths(NamedTuple):
    """Bits of a packet over all its hops, on average; of all packets; packets sent, received."""

    average: float
    total: int
    sent: int
    received: int


class Test(NamedTuple):
    """Results of one test in the paper: latency L in ms, throughput by Eq. 2 in Mbit/s, lengths."""

    deployment: int
    condition: Condition
    limit: int
    latency_ms: Spread | None
    throughput: Spread
    lengths: Lengths

    @property
    def name(self) -> str:
        """Heading of its column."""
        return f"{self.condition} {self.limit}p"


FIGURES = """
1 UDP-R   50     —      —      —      —       — 3.294  9.997 5.436 1.234  1.523   2144 107200  50  50
1 UDP-R  100     —      —      —      —       — 3.181 14.233 6.115 1.901  3.613   2144 214400 100 100
1 UDP-R  150     —      —      —      —       — 2.648 12.447 5.897  2.01  4.039   2144 321600 150 150
1 TCP-R   50     —      —      —      —       — 0.051 17.357 5.441 4.683 21.931 2357.6 117880  50  50
1 TCP-R  100     —      —      —      —       — 0.048 15.117 4.744 3.772 14.232   2336 233600 100 100
1 TCP-R  150     —      —      —      —       — 0.049 13.771 4.636 3.578 12.803 2345.6 351840 150 150
1 UDP-BE  50     —      —      —      —       — 3.608 16.027 6.602 2.213  4.896   2144 107200  50  50
1 UDP-BE 100     —      —      —      —       —  3.04 14.506 6.353 1.839  3.383   2144 214400 100 100
1 UDP-BE 150     —      —      —      —       — 4.782 18.885 8.638  2.13  4.537   2144 321600 150 150
1 TCP-BE  50     —      —      —      —       — 3.146 15.326 7.615 2.365  5.592   2336 116800  50  50
1 TCP-BE 100     —      —      —      —       — 3.686 17.225 6.796 1.948  3.794   2336 233600 100 100
1 TCP-BE 150     —      —      —      —       —  3.21 15.747 7.062 2.361  5.575   2336 350400 150 150
2 UDP-R   50 0.387  0.873  0.656  0.111   0.012 3.096  6.992 4.263 0.874  0.765   2704 132496  50  49
2 UDP-R  100 0.301  1.175  0.615  0.135   0.018   2.3  8.997 4.683 1.377  1.897 2706.6 267952 100  99
2 UDP-R  150 0.274  0.902  0.617  0.128   0.016 2.998  9.869 4.651 1.372  1.881 2704.9 400320 150 148
2 TCP-R   50 0.249 48.129 14.792 20.985 440.379 0.077 12.426 4.259 3.601 12.964 3287.2 164360  50  50
2 TCP-R  100 0.248 48.427 15.002 20.537 421.788 0.064 12.462  4.22 3.319 11.016 3296.5 326352 100  99
2 TCP-R  150 0.238   48.8 14.689 20.435 417.588 0.063 12.999 4.554 3.581 12.821 3296.2 484536 150 147
2 UDP-BE  50 0.272  1.467  0.558  0.188   0.035 1.843  9.947 5.247 1.381  1.908   2704 132496  50  49
2 UDP-BE 100 0.318  2.661  0.731  0.242   0.058 1.016  8.491 3.988 1.188  1.411   2704 267696 100  99
2 UDP-BE 150 0.248  1.385  0.573  0.193   0.037 1.952 10.883 5.248 1.718  2.951   2706 403200 150 149
2 TCP-BE  50 0.251   0.63  0.404  0.085   0.007 4.901 12.295 7.995 1.795  3.221   3088 151312  50  49
2 TCP-BE 100 0.272  0.917   0.57   0.12   0.014 3.368 11.368 5.693  1.43  2.045   3088 305712 100  99
2 TCP-BE 150 0.236  1.124  0.555  0.136   0.019 2.747 13.062 5.999 1.919  3.681   3088 460112 150 149
3 UDP-R   50 0.261   1.44  0.576    0.2    0.04 0.956  5.264  2.68 0.987  0.974   1376  67424  50  49
3 UDP-R  100 0.252  0.846  0.571  0.115   0.013 1.626  5.469 2.541   0.7   0.49   1376 136224 100  99
3 UDP-R  150 0.252   0.89  0.579  0.111   0.012 1.547  5.459 2.494  0.64  0.409   1376 205024 150 149
3 TCP-R   50 0.242 48.112 15.058 21.105 445.402 0.049  7.262 2.458 1.999  3.996 1963.3  96200  50  49
3 TCP-R  100 0.238 48.589 15.274 20.885 436.164 0.036  7.403 2.431  1.89  3.573 1961.2 194160 100  99
3 TCP-R  150 0.253 47.084 14.584 20.099 403.954 0.037   8.07  2.61 2.144  4.599 1970.2 293560 150 149
3 UDP-BE  50 0.303  0.808  0.628  0.133   0.018 1.704  4.544 2.335 0.701  0.492   1376  67424  50  49
3 UDP-BE 100 0.256  0.807  0.606  0.148   0.022 1.705  5.368 2.468 0.859  0.738   1376 136224 100  99
3 UDP-BE 150 0.254  1.469   0.55  0.183   0.033 0.937  5.425 2.773 0.917  0.841   1376 205024 150 149
3 TCP-BE  50 0.167  0.682   0.45  0.106   0.011  2.58 10.543 4.233 1.482  2.197   1760  86240  50  49
3 TCP-BE 100 0.201  0.761  0.493    0.1    0.01 2.311  8.753  3.81 1.249  1.561   1760 174240 100  99
3 TCP-BE 150 0.169  0.983  0.444  0.128   0.016 1.791 10.445 4.371 1.544  2.383   1760 262240 150 149
"""  # noqa: E501
"""A line for each test: deployment, condition, limit; least, greatest, average, deviation and
variance of L and of the throughput; average and total length, packets sent and received. In the
order of the paper's tables."""


def _test(line: str) -> Test:
    where, condition, limit, *figures = line.split()
    latency, throughput, (average, *counts) = figures[:5], figures[5:10], figures[10:]
    return Test(
        int(where),
        next(name for name in CONDITIONS if name == condition),
        int(limit),
        None if "—" in latency else Spread(*map(float, latency)),
        Spread(*map(float, throughput)),
        Lengths(float(average), *map(int, counts)),
    )


PUBLISHED = tuple(map(_test, FIGURES.strip().splitlines()))
