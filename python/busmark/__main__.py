"""`python -m busmark`."""

from busmark.cli import main

main()
