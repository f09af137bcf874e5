"""A history in the terminal, as Markdown and as a page.

`words`: names, numbers and sentences. `terminal`, `markdown`: those. `drawing`: what the charts of
the page show, as places on them; `busmark.report.html.tracking` has the page.
"""
