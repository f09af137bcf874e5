"""`python -m busmark`."""

import signal

# Until somebody answers it, an interruption ends the process without a traceback.
if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)

from busmark.cli import main

main()
