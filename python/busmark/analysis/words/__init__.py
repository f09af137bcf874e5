"""Names, numbers and sentences: what the figures allow to be said."""
