"""Emulated networks: nodes on this machine, each a network namespace, joined by a switch."""

from busmark.plugin import Command, Plugin

PLUGIN = Plugin(
    "lab",
    "Networks of several nodes on this machine, for scenarios with links.",
    commands=(
        Command(
            "lab",
            "Emulate a network of several nodes here.",
            "busmark.plugins.lab.command:command",
            tables=False,
        ),
    ),
    hooks={"lab": "busmark.plugins.lab.hook"},
)
