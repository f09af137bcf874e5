"""Participants that are driven through the middleware itself.

- `attachment`, `caller`: how this machine attaches to such a bus, and who gives orders there.
- `watching`, `seen`: what a watcher hears, and what it makes of that. `words`: messages in words.
- `found`, `traffic`: who is on the bus, as the middleware knows it, and as packets show it.
- `recording`: what was said on a bus, as lines of a file: recorded, read, replayed, exported.
- `commands`, and `live`: their screens.
"""

from busmark.plugin import Command, Plugin

SUMMARIES = {
    "participant": "Join the middleware as a participant that is driven over its own topics.",
    "bus": "Drive such participants: start, change and stop tests.",
    "watch": "Watch the tests of such participants: latency, throughput, loss.",
    "spot": "Watch who is on their bus: who joins, leaves, is gone, and the tests.",
    "errors": "Watch what goes wrong there: troubles, refused orders, failures.",
    "record": "Record everything that is said on such a bus.",
    "replay": "Give the orders of a recording again, at the same or scaled times.",
}
"""Commands, each in its module of `commands`."""

PLUGIN = Plugin(
    "bus",
    "Participants driven over the middleware under test: watched, recorded, replayed.",
    commands=tuple(
        Command(name, summary, f"busmark.plugins.bus.commands.{name}:command")
        for name, summary in SUMMARIES.items()
    ),
)
