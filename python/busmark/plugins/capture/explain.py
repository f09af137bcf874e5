"""`busmark capture explain`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from busmark.cli.documents import Files, show, written
from busmark.cli.options import Amount, wide
from busmark.cli.output import echo
from busmark.cli.places import Place, or_newest

ENDS: dict[str | None, Literal["ACKNACK", "TCP"]] = {"acknack": "ACKNACK", "tcp": "TCP"}
"""What `--until` says ends L."""
CAPTURES = {".pcap", ".pcapng", ".cap"}
"""Endings of files that are captures, not results."""

if TYPE_CHECKING:
    from busmark.store import Case, Result


@click.command("explain", epilog="Example: busmark capture explain traffic.pcapng")
@click.argument("place", metavar="[FILE|DIRECTORY[#CASE]]", required=False, type=Place(),
                callback=or_newest)  # fmt: skip
@click.option("--case", "wanted", metavar="CASE", help="The case, or its number, such as 003.")
@click.option("--worst", metavar="N", type=click.IntRange(0, 1000),
              help="Samples that are shown with their packets, the lost first; by default 10 of a "
              "result, and none of a file.")  # fmt: skip
@click.option("--late", "late_s", metavar="TIME", type=Amount("time", bare="ms"),
              help="FILE: a sample is late above this latency; by default above three times the "
              "fastest of its way, and 1 ms more than it.")  # fmt: skip
@click.option("--agent-port", "agent_ports", multiple=True, metavar="PORT",
              type=click.IntRange(1, 65535),
              help="FILE: a port at which an agent of DDS-XRCE listens.")  # fmt: skip
@click.option("--until", type=click.Choice(["acknack", "tcp"]),
              help="FILE: what ends L: the ACKNACK, or TCP's acknowledgement.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print all as JSON (schema: explain).")
@written("late samples")
@wide
def explain_command(
    place: str, wanted: str | None, worst: int | None, late_s: float | None,
    agent_ports: tuple[int, ...], until: str | None, as_json: bool, **options: Any,
) -> None:  # fmt: skip
    """Say why samples were late or lost, by their packets: in a capture, or in rounds of a case.

    FILE is a pcapng or pcap file of whichever origin. For each lost or late sample: the last place
    where it was seen, the cause, and the packets that show it, or that it is not in this capture.
    Latencies, losses and lengths of `capture analyse` follow.

    DIRECTORY is a result with `capture = true`; without it, the newest. A case need not be named
    where only one was captured. Causes are counted over all late samples; the worst are shown each
    as a sequence of packets.

    Exit code 0 when it was read, 2 where nothing can be read or no round of the case was captured.
    """
    from busmark.plugins.capture.late import MOST_WORST, of_case, of_file

    files = Files.of("late samples", options)
    file = Path(str(place))
    if not file.exists() and CAPTURES & set(file.suffixes):
        from busmark.errors import UserError

        raise UserError("no such capture", where=str(file), remedy="Name an existing file.")
    if file.exists() and not file.is_dir():
        late_ns = None if late_s is None else round(late_s * 1e9)
        explained = of_file(file, agent_ports=agent_ports, until=ENDS.get(until), late_ns=late_ns,
                            diagrams=worst or 0)  # fmt: skip
    else:
        from busmark.cli.show import case_of
        from busmark.store import Result

        directory, own = case_of(str(place))
        result = Result(directory)
        case = _case(result, wanted or own or "")
        shown = MOST_WORST if worst is None else worst
        explained = of_case(result, case, shown, diagrams=True)
    if as_json:
        echo(explained.model_dump_json(indent=2))
    if not as_json or files:
        from busmark.plugins.capture.late.blocks import document
        from busmark.present.formats import Views

        made = document(explained)
        if files:
            files.write(Views(lambda: made))
        if not as_json:
            show(made)


def _case(result: Result, wanted: str) -> Case:
    """The captured case of this name or number; without one, the only one."""
    from busmark.errors import UserError
    from busmark.plugins.capture.late import is_captured

    captured = [
        case for case in result.manifest.cases
        if case.status == "planned" and is_captured(result, case)
    ]  # fmt: skip
    where = str(result.directory)
    if not captured:
        raise UserError("no round was captured", where=where,
                        remedy="Run the scenario with `capture = true`.")  # fmt: skip
    found = [each for each in captured if wanted in ("", each.id, each.id.partition("-")[0])]
    if len(found) == 1:
        return found[0]
    names = ", ".join(each.id for each in captured[:5]) + (", …" if len(captured) > 5 else "")
    if wanted:
        raise UserError(f"no captured case is called {wanted!r}", where=where,
                        remedy=f"Captured are: {names}")  # fmt: skip
    raise UserError("several cases were captured", where=where,
                    remedy=f"Name one with --case: {names}")  # fmt: skip
