"""Captures of network traffic: what they say of RTPS, DDS-XRCE and of late samples.

- `dumpcap`: how packets are captured. `wire`: the table of packets that `busmark-packets` makes.
- `companion`, `hook`: captures of a campaign's rounds. `findings`: what they explain.
- `reading`, `samples`, `ways`, `figures`, `analysis`: a capture without Busmark's own header.
- `late`: causes of late samples, one rule each.
- `command`, and `blocks`: their documents.
"""

from busmark.plugin import Command, Plugin

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
    columns="busmark.plugins.capture:columns.toml",
    hooks={"capture": "busmark.plugins.capture.hook"},
)
