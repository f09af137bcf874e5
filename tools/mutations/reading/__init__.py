"""Only the code that reads what a stranger made, so that ten million inputs of a kind can be tried:
a scenario's text, an answer of a worker, a manifest, a table, a file of another tool, a security
document.

The targets beside this folder also use what was read: plan, analyse, draw. They are ten to a
hundred times as slow.
"""
