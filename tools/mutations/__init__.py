"""Damaged input of every kind, seeded: results, imports, scenarios, lines of the protocol, security
documents, types of a user.

- `values`: how a value, a text or bytes are changed. `material`: whole results, to be damaged.
- `results`, `imports`, `scenarios`, `protocol`, `security`, `idl`: a kind of input each, and what
  is done with it.
  `answers`: the other direction of the protocol. `known`: what is not damaged is analysed once.
- `reading`: the same inputs, only read: a hundred times as many.
- `batch`: many inputs in one process. `many`: many batches, and the record of what came of them.
"""
