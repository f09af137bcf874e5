"""Participants that are driven through the middleware itself.

- `attachment`, `caller`: how this machine attaches to such a bus, and who gives orders there.
- `watching`, `seen`: what a watcher hears, and what it makes of that. `words`: messages in words.
- `found`: who is on the bus, as the middleware knows it.
- `recording`: what was said on a bus, as lines of a file: recorded, read, replayed, exported.
- `commands`, and `live`: their screens.
"""

from busmark.plugin import Command, Plugin

PLUGIN = Plugin(
    "bus",
    "Participants driven over the middleware under test: watched, recorded, replayed.",
    commands=(
        Command(
            "bus",
            "Drive, watch and record participants over the bus.",
            "busmark.plugins.bus.commands.bus:command",
        ),
    ),
)
