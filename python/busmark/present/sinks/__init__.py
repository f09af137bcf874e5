"""One file for each form in which a document leaves."""
