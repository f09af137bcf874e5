"""Commands of the bus."""
