"""The nouns of Busmark as data: quantities and statistics, and what every output knows of them."""
