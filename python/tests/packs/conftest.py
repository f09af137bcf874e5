"""Settings of the property tests: the same examples in every run, and no time limit."""

from hypothesis import settings

# A deadline would make the outcome depend on the machine's load.
settings.register_profile("busmark-packs", deadline=None, derandomize=True)
settings.load_profile("busmark-packs")
