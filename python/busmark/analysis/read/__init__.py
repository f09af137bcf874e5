"""What is stored, made ready: rounds that count, samples in order, what was lost in its place."""
