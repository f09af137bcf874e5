"""Simulated campaigns whose answer is known: `tools/truth.py` runs them, a test a part of them."""
