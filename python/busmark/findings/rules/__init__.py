"""One rule per file; `busmark.findings.registry` orders them."""
