"""Captures of network traffic: what they say of RTPS, DDS-XRCE and of late samples.

- `dumpcap`: how packets are captured. `wire`: the table of packets that `busmark-packets` makes.
- `section`, `planned`: what a scenario says of captures, what the captures of a case will hold.
- `companion`, `hook`: captures of a campaign's rounds. `findings`: what they explain.
- `reading`, `samples`, `ways`, `figures`, `analysis`: a capture without Busmark's own header.
- `quantities`, `route`: figures of cases with captures. `report`, `layout`: what reports show.
- `late`: causes of late samples, one rule each.
- `command`, and `blocks`: their documents.
"""

from busmark.plugin import CasePart, Command, Plugin, ScenarioKey

PLUGIN = Plugin(
    "capture",
    "Packets of rounds and of captures: hops, costs, causes of late samples.",
    commands=(
        Command(
            "capture",
            "Capture traffic; explain late and lost samples.",
            "busmark.plugins.capture.command:command",
        ),
    ),
    companions=("busmark.plugins.capture.companion:Capture",),
    findings=("busmark.plugins.capture.findings",),
    keys=(
        ScenarioKey(
            "capture",
            "whether every round keeps what its traffic was, in pcapng files: true, or the table "
            "`[capture]`",
            table="busmark.plugins.capture.section:CaptureKey",
        ),
    ),
    part=CasePart(
        "busmark.plugins.capture.route:CaptureCase",
        "busmark.plugins.capture.route:part",
        rows="busmark.plugins.capture.route:rows",
        sections="busmark.plugins.capture.report:sections",
    ),
    quantities="busmark.plugins.capture.quantities",
    layout="busmark.plugins.capture.layout:HEADLINE",
    charts="busmark.plugins.capture.report:charts",
    columns="busmark.plugins.capture:columns.toml",
    hooks={"capture": "busmark.plugins.capture.hook"},
)
