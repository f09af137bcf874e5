"""The text of a scenario: TOML, then the model with its errors at their lines."""

from __future__ import annotations

from pathlib import Path
from random import Random

from tools.mutations import values

from busmark.scenario import parse

HEAD = 'name = "own"\nquestion = "why?"\n'
MATRIX = '[matrix]\nadapter = ["udp", "tcp"]\n'

PARTS = (
    'size = [64, "uniform(1, 9)"]\ntest = "latency"\nrate_hz = [100.5]\n',
    'test = ["throughput", "capacity"]\nsize = 64\nbatch = 10\n',
    'peer = ["same", "null"]\nplacement = "same"\nwait = ["poll", "listener"]\n',
    '[matrix.qos]\nreliability = ["reliable", "default"]\nhistory = "keep_last"\ndepth = 4\n',
    '[matrix.link]\nrate = "100mbit"\nloss = ["1%"]\ndelay = ["2ms"]\n[lab]\nnodes = 3\n',
    '[matrix.option.udp]\nreceive_buffer = [65536, 0]\n',
    'load = ["", "cpu 50% + net 5mbit"]\nsecurity = ["none", "all"]\n',
    '[measure]\nduration_s = 2.0\nwarmup_s = 0.5\nsamples = 100\n',
    '[rounds]\nmin = 3\nmax = 9\ntarget = 0.1\nseed = 7\n',
    '[criteria]\nmin_samples = 10\n[run]\nhang_s = 20\ninterface = "lo"\n',
    '[nodes.lab1]\nprefix = "ssh lab1"\n',
    '[security]\ndirectory = "keys"\n',
    '[[participant]]\nname = "node"\ncount = 3\ncpus = "0"\n'
    '[[flow]]\nname = "state"\nwriters = ["node"]\nreaders = ["passive"]\nrate_hz = 12.5\n',
    '[[also]]\nadapter = "null"\nlink.loss = ""\n',
    '[[timeline]]\nat_s = 0.5\nrate_hz = 50\n',
)  # fmt: skip
"""Further lines, with some keys of each kind. The scenarios are short: a long one that is damaged
in several places is refused for the first of them."""


class ScenarioText:
    """A scenario of a few lines, damaged."""

    def __init__(self, folder: Path) -> None:
        del folder
        self.known = [HEAD + MATRIX + part for part in ("", *PARTS)]
        for text in self.known:
            parse(text, "scenario.toml", [])

    def input(self, number: int, rng: Random) -> None:
        """One of them."""
        text = values.text(self.known[number % len(self.known)], rng)
        parse(text, "scenario.toml", [])
