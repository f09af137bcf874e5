"""Damaged input of every kind, for `python/tests/mutations` and `make fuzz`.

- `values`: how a value, a text or bytes are changed. `material`: whole results, to be damaged.
- `results`, `imports`, `scenarios`, `protocol`, `answers`, `security`, `idl`: a kind of input each,
  and what is done with it.
"""
