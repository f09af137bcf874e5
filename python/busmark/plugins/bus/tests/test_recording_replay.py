"""What a replay reports of answers and ends that are not as in the recording.

`golden/differences.txt` has it for each of these answers, reviewed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import recordings
from seams import reviewed

from busmark.plugins.bus.recording.reader import Reader, session
from busmark.plugins.bus.recording.replay import answers, ends
from busmark.plugins.bus.recording.score import Options, score


def said(app: int, **rest: Any) -> dict[int, dict[str, Any]]:
    """Return the answer of an application; with `error`, it refuses."""
    error = rest.pop("error", None)
    outcome = {"error": {"kind": "x", "message": error}} if error else {"result": rest}
    return {app: {"app": app, "instance": 1, "ok": error is None, **outcome}}


STARTED = {"test": 7, "kind": "transponder", "writers": [300]}
TRANSPONDER = {"test": 7, "kind": "transponder"}
TRANSCEIVER = {"test": 7, "kind": "transceiver"}
ANSWERS: dict[str, tuple[int, dict[int, dict[str, Any]]]] = {
    "started with other numbers": (1, said(4, **STARTED)),
    "nobody answers": (1, {}),
    "refused": (1, said(4, error="not permitted")),
    "another answers, too": (1, said(4, **STARTED) | said(9, **STARTED)),
    "cannot be read": (1, {4: {"app": 4, "ok": False}}),
    "changed at another time": (3, said(3, at_ns=99, changed=1)),
    "changed more": (3, said(3, at_ns=5, changed=2)),
    "one ended nothing, one has not answered": (4, said(3, ended=[])),
    "one ended more, one has no such test": (
        4, said(3, ended=[TRANSCEIVER, TRANSPONDER]) | said(4, none=7)),
}  # fmt: skip


def test_what_is_not_as_in_the_recording_is_reported(tmp_path: Path) -> None:
    path = recordings.write(tmp_path / "r.jsonl", recordings.SESSION)
    steps = score(session(Reader(path)), Options()).steps
    text = ""
    for name, (number, now) in ANSWERS.items():
        found = [*answers(number, steps[number - 1], now)] or ["as in the recording"]
        text += f"## {name}\n" + "".join(f"{line}\n" for line in found)
    well, ill = (3, (7, "transceiver"), ""), (3, (7, "transceiver"), "no answer came")
    for name, now_ends in {
        "ended as before": [well],
        "failed": [ill],
        "ended twice": [well] * 2,
    }.items():
        found = [*ends([well], now_ends)] or ["as in the recording"]
        text += f"## {name}\n" + "".join(f"{line}\n" for line in found)
    reviewed(Path(__file__).parent / "golden" / "differences.txt", text)
