"""Busmark's own plug-ins, a folder each. `busmark.plugin` finds them; the core imports none."""
