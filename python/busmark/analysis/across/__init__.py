"""Cases beside one another: what varies, who is best, what a matrix or a table consists of."""
