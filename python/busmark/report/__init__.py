"""Reports of an analysed campaign. They draw and compute nothing.

- `formats`: the forms in which results leave, for `busmark report --to`.
- `tables`: the headline tables, for every report.
- `terminal`: `show`, in a terminal.
- `prediction`: `show`, models and predictions in a terminal.
- `html`: `write_html`, one self-contained page.
"""
