"""What a reader must know to judge the comparisons; part of the report."""

METHOD = (
    "One row compares Busmark's round in fresh processes with a fresh run of the other "
    "program. In every round of the bench, the contestants of a task run back to back in "
    "random (seeded) order; the tasks are in random order too. The ratio is the geometric "
    "mean of the rounds' ratios, its interval Student's on their logarithms (95 %). A figure "
    "of our own is the median of the rounds with its distribution-free interval (95 %).",
    "*met*: the estimate keeps the target. *not met*: the whole interval breaks it. *cannot "
    "tell*: the estimate breaks it, the interval reaches it.",
    "Both sides run on the same CPUs: *same* puts both ends on the last CPU, *different* the "
    "passive end on the first and the active end on the last. Everything is on loopback.",
    "Sizes are those of the body. Busmark's header of 64 B comes on top, and the other side "
    "carries it too: as header of the bare loop, as a longer message of the peer.",
    "Where no wait strategy is named it is the listener: a thread that blocks until there is data.",
)

DIFFERENCES = (
    "Bare loops send a fixed number of samples, as many as the last round fitted into the "
    "time; Busmark measures for a fixed time. Bare streams have no warm-up.",
    "The bare loop over sockets calls `send` and `recv` through functions, as those of the C "
    "library are. *Inlined*, the system call is in the loop itself. On a processor that forgets "
    "where functions and calls through pointers lead whenever another process has run, each one "
    "after a wake-up costs up to half a microsecond; a loop without any shows what that makes of "
    "a round trip. No library that is called, and no adapter that is loaded, can avoid it.",
    "sockperf: `ping-pong --full-rtt`, which measures whole seconds, less 0.45 s; its message"
    " has the size of Busmark's sample with header. It uses one socket for both directions, "
    "Busmark one for each; over TCP Busmark adds 5 B of framing.",
    "ddsperf prints half of the round trip, so its figure is doubled; it is the median of the"
    " first 20,000 samples of the last second. It is of Debian's Cyclone DDS, older than the "
    "one in Busmark's adapter and in the bare loop. Its sample has the serialised size of "
    "Busmark's (body + 64 B header + 4 B length), and its topic has a key. Network interface "
    "and discovery are set as Busmark's adapter sets them.",
    "Cyclone DDS up to 0.10 gave data a receive thread that blocks in the read; 11.0 asks epoll "
    "first unless it is told not to (`multiple_receive_threads`), which costs a system call per "
    "sample. `ddsperf pub` gathers small samples into packets (`write_batching`) and cannot be "
    "told not to. Against ddsperf, Busmark's adapter is set alike; the settings stand in the row.",
    "iperf3 writes blocks of 128 KiB; Busmark sends samples that take 128 KiB of the stream "
    "each. iperf3's figure is its receiver's.",
    "UDP streams lose what the reader cannot take; the figure is what arrives.",
    "Streams carry no latency probes here, because the others carry none.",
)
