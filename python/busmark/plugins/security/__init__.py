"""Security documents: made, explained, checked. DDS Security, TLS, CURVE.

- `section`: what a scenario says of them.
- `description`, `profiles`, `domains`, `rights`: what is wanted. `directory`: the documents.
- `authority`, `cms`: how each is made and signed.
- `reading`, `explain`, `checks`: documents of the user's, explained and checked.
- `hook`: the documents of a campaign's participants, and whether the user's can be used.
- `findings`: what spoils figures of secured cases. `command`: `busmark security`.
"""

from busmark.plugin import Command, Plugin, ScenarioKey

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
    findings=("busmark.plugins.security.findings",),
    keys=(
        ScenarioKey(
            "security",
            "documents of secured cases: the table `[security]`",
            table="busmark.plugins.security.section:SecurityKey",
        ),
    ),
    hooks={"security": "busmark.plugins.security.hook"},
)
