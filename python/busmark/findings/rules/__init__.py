"""The rules by subject; `busmark.findings.registry` orders them."""
