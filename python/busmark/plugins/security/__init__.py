"""Security documents: made, explained, checked. DDS Security, TLS, CURVE.

- `description`, `profiles`, `domains`, `rights`: what is wanted. `directory`: the documents.
- `authority`, `cms`: how each is made and signed.
- `reading`, `explain`, `checks`: documents of the user's, explained and checked.
- `campaign`: the documents of a campaign's participants, and whether the user's can be used.
  `command`: `busmark security`.
"""

from busmark.plugin import Command, Plugin

PLUGIN = Plugin(
    "security",
    "Documents of secured runs: certificates, governance, permissions, keys.",
    commands=(
        Command(
            "security",
            "Make and check documents of secured runs.",
            "busmark.plugins.security.command:command",
        ),
    ),
    hooks={"security": "busmark.plugins.security.hook"},
)
