"""The generated pages, one file each; `tools/generate.py` lists them.

- `schemas`: the four JSON Schemas. `scenario`, `result`, `cli`, `findings`, `adapters`, `metrics`:
  the reference pages of the same names.
- `markdown`: tables and the note on top. `docstrings`: what the code says of its attributes.
"""
