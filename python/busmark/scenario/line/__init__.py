"""A scenario from one line: `busmark latency cyclonedds tcp --size 64,1k`.

- `words`: what stands behind each option, read into values of the scenario's keys.
- `line`: the line as a whole, and the tables of the scenario that it stands for.
- `written`: these tables as a scenario file with comments, which is all that is run.
"""

from busmark.scenario.line.line import OPTIONS, TESTS, ScenarioLine, read, written
from busmark.scenario.line.words import POLICIES, Mistaken

__all__ = ["OPTIONS", "POLICIES", "TESTS", "Mistaken", "ScenarioLine", "read", "written"]
