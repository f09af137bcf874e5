"""Pages that are templates: captures, late samples, comparisons, histories, documents."""
