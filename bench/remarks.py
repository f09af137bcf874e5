"""What a reader must know to judge the comparisons; part of the report."""

METHOD = (
    "One row compares Busmark's round in fresh processes with a fresh run of the other "
    "program. In every round of the bench, the contestants of a task run back to back in "
    "random (seeded) order; the tasks are in random order too. The ratio is the median of the "
    "rounds' ratios, with an interval by order statistics (95 %). A figure of our own is the "
    "median of the rounds with its distribution-free interval (95 %).",
    "*met*: the estimate keeps the target. *not met*: the whole interval breaks it. *cannot "
    "tell*: the estimate breaks it, the interval reaches it.",
    "Both sides run on the same CPUs: *same* puts both ends on the last CPU, *different* the "
    "passive end on the first and the active end on the last. Everything is on loopback.",
    "Sizes refer to the body. Busmark's header of 64 B comes on top, and the other side carries "
    "it too: as header of the bare loop, as a longer message of the peer.",
    "Where no wait strategy is named it is the listener: a thread that blocks until there is data.",
)

DIFFERENCES = (
    "Bare loops send a fixed number of samples, as many as the last round fitted into the "
    "time; Busmark measures for a fixed time. Bare streams have no warm-up.",
    "The bare loop over sockets calls `send` and `recv` through functions, like the C library's. "
    "*Inlined*, the system call is in the loop itself. On a processor that forgets where "
    "functions and calls through pointers lead whenever another process has run, each one after a "
    "wake-up costs up to half a microsecond; a loop without any shows what that makes of a round "
    "trip. No library that is called, and no adapter that is loaded, can avoid it.",
    "sockperf: `ping-pong --full-rtt`, which measures whole seconds, less 0.45 s; its message"
    " has the size of Busmark's sample with header. It uses one socket for both directions. "
    "Busmark's adapters use one for each, as publishers and subscribers do; tcp is compared "
    "with `connection = shared`, too, where one connection carries both directions as "
    "sockperf's does. Over TCP Busmark adds 5 B of framing.",
    "ddsperf prints half of the round trip, so its figure is doubled; it is the median of the"
    " first 20,000 samples of the last second. It is of Debian's Cyclone DDS, older than the "
    "one in Busmark's adapter and in the bare loop. Its sample has the serialised size of "
    "Busmark's (body + 64 B header + 4 B length), and its topic has a key. Network interface "
    "and discovery are set as Busmark's adapter sets them.",
    "Cyclone DDS up to 0.10 gave data a receive thread that blocks in the read; 11.0 asks epoll "
    "first unless it is told not to (`multiple_receive_threads`), which costs a system call per "
    "sample. `ddsperf pub` gathers small samples into packets (`write_batching`) and cannot be "
    "told not to. Against ddsperf, Busmark's adapter and the bare loop beside it are set alike; "
    "the settings stand in the row. The bare loop against ddsperf tells what the library's version "
    "and ddsperf's own work make, ours against the bare loop what Busmark adds.",
    "iperf3 writes blocks of 128 KiB; Busmark sends samples that take 128 KiB of the stream "
    "each. iperf3's figure is its receiver's.",
    "UDP streams lose what the reader cannot take; the figure is what arrives.",
    "Each further library is compared in the way that its readers usually wait: by its "
    "listener, or, where it has none (iceoryx2, ZeroMQ), by waiting.",
    "The system acknowledges every second small segment. Over TCP with a connection for each "
    "direction that makes round trips of two and of four segments in turn, or of three each, "
    "as the first calls on the connections happened to fall; in the first case the median is "
    "one of two figures. The bare loop over omniORB makes as many calls on its connections as "
    "the adapter before it begins.",
    "A server is started anew for each run of either side, by Busmark's adapter, on the same CPU.",
    "Streams of Fast DDS, RustDDS and ZeroDDS are set as their rows say, on both sides. As "
    "shipped a stream of Fast DDS rests for up to 3 s after a datagram was lost, one of ZeroDDS "
    "for half a second whenever 512 KiB are unacknowledged, and one of RustDDS falls to less "
    "than a tenth as soon as its window of 8192 samples has overrun the reader's socket; a "
    "round would tell how often that happened. Those of RTI Connext and OpenDDS have the profile "
    "tuned, for as shipped nothing bounds what RTI's writer sends ahead, and what is lost is "
    "asked for after 3 s (RTI) or one (OpenDDS).",
    "omniEvents hands events on in cycles, of 100 ms as shipped. Here they last 1 ms, and a round "
    "trip is mostly waiting for them; that both sides take as long says little of either.",
    "The bare loop over Dust DDS has the crate's own transport and runtime, which the adapter "
    "replaces, and announces itself on every interface as the crate does. On both sides of "
    "the comparison another thread writes the answers, for the crate's listener cannot.",
    "Streams carry no latency probes here, because the others carry none.",
)

SERIALISATION = (
    "Every sample is a header of 64 B (nine members where there are types) and a sequence of "
    "octets. Bare loops have the same type and serialise it in the same way. Vendors' own "
    "benchmarks mostly send less, and their figures are not these.",
    "Cyclone DDS: ddsperf sends a sequence number, a key and a sequence of octets, 12 B "
    "before the octets.",
    "Fast DDS: its LatencyTest and ThroughputTest have a hand-written type, a sequence number "
    "and octets, copied into the payload as they lie in memory, and so has Busmark. The loop over "
    "Debian's library has fastddsgen's type, which serialises each member of the header by CDR: "
    "its row says what that costs. The loops over Fast DDS 2.14 and 3, for which no package has a "
    "generator, have the adapter's type.",
    "rmw: the message's type support is made by ROS's own generators, on both sides.",
    "RTI Connext: RTI Perftest has a type of the vendor's code generator: four octets, five "
    "numbers and a sequence of octets. RTI Connector has no generator: here samples are "
    "DynamicData, made of their serialised form before a write and serialised again to be read.",
    "OpenDDS: its benchmark's type is opendds_idl's, as here, but keyed: an identifier, "
    "counters, two times and a sequence of octets.",
    "Dust DDS: the crate's benchmark writes a key and a number or octets of the crate's own "
    "type and times single calls. Busmark's octets are a `Vec<u8>`. Either way a sample has a "
    "second, dynamic form between the program and the wire.",
    "ZeroDDS: its example that measures round trips sends a sequence number and octets by a "
    "hand-written type. Busmark's type is hand-written, too, and copies the octets as a "
    "block.",
    "omniORB: a structure with a sequence of octets by CDR, in one-way calls. omniORB has no "
    "benchmark; its example calls an echo and waits for the answer. omniEvents: the same "
    "structure in an any, whose type goes along with each sample; it has no benchmark either.",
    "iceoryx2: the vendor's benchmark reads in a busy loop and by default sends memory that "
    "nobody has written. Here header and body are copied into each loan, and an event wakes "
    "the reader.",
    "zenoh: `z_ping` sends one buffer again and again by reference, and express. Busmark's "
    "header is new in each sample, so that the payload is a copy (below 1 KiB) or has two "
    "parts, and zenoh's default is not express.",
    "MQTT: mosquitto comes with no benchmark. NATS: `nats bench` uses the client in Go; here "
    "it is that in C.",
    "ZeroMQ: `local_lat` is a request and its reply over one connection, `local_thr` push and "
    "pull. Here it is publish and subscribe, with a prefix of 8 B before the header and one "
    "copy into the message.",
)
"""Remarks on what is not equal; the first is about all comparisons."""
