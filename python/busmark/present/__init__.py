"""Documents: tables, charts and text, and the sinks that write them."""
