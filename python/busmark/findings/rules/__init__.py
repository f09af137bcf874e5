"""One rule per file; `busmark.findings.registry` lists them."""
