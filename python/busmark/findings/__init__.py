"""What spoils a benchmark, found and said with evidence and a remedy.

- `rules`: the rules, a file for each subject, text with the check; `registry`: their order.
- `run`: `host_findings`, `plan_findings`, `campaign_findings`, `early_findings` of a
  case that is not finished, and `combine` for storing them.
- `doctor`: `diagnose`, `facts` and `needed`, what `busmark doctor` prints.
- `rule`: what a rule is; `view`: what a rule of a finished case sees.
"""

from busmark.findings.doctor import Fact, diagnose, facts, needed
from busmark.findings.run import (
    campaign_findings,
    combine,
    early_findings,
    host_findings,
    plan_findings,
)

__all__ = [
    "Fact",
    "campaign_findings",
    "combine",
    "diagnose",
    "early_findings",
    "facts",
    "host_findings",
    "needed",
    "plan_findings",
]
