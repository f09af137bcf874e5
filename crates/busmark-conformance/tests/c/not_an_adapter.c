/* A library, but not an adapter. */
int busmark_something_else(void) { return 0; }
