//! The adapter's options: `matrix.option.ADAPTER.KEY` in a scenario.

use busmark_adapter::OptionSpec;

/// All, with their defaults. An empty default leaves the choice to the profile.
pub const OPTIONS: &[OptionSpec] = &[
    OptionSpec {
        key: "multicast",
        value: "auto",
        doc: "Multicast for discovery and data (UDP): auto (off on a loopback interface, elsewhere \
              as the library decides), true, false, spdp (discovery only).",
    },
    OptionSpec {
        key: "peers",
        value: "",
        doc: "Addresses of other hosts to announce this one to where multicast is off, separated \
              by commas; over TCP each may end in :PORT.",
    },
    OptionSpec {
        key: "max_processes",
        value: "120",
        doc: "Processes of one domain on one host that can find each other without multicast, and \
              so the number of ports asked at each announcement, 1 to 120.",
    },
    OptionSpec {
        key: "max_message_size",
        value: "",
        doc: "General/MaxMessageSize: largest UDP payload in bytes; the library ships with 14720.",
    },
    OptionSpec {
        key: "fragment_size",
        value: "",
        doc: "General/FragmentSize: bytes of a sample's fragment; the library ships with 1344.",
    },
    OptionSpec {
        key: "socket_receive_buffer",
        value: "",
        doc: "Internal/SocketReceiveBufferSize[@max]: bytes to ask the kernel for, which grants at \
              most net.core.rmem_max; the library ships with 1 MiB.",
    },
    OptionSpec {
        key: "socket_send_buffer",
        value: "",
        doc: "Internal/SocketSendBufferSize[@max]: bytes to ask the kernel for, which grants at \
              most net.core.wmem_max; the library ships with at least 64 KiB.",
    },
    OptionSpec {
        key: "whc_high",
        value: "",
        doc: "Internal/Watermarks/WhcHigh: unacknowledged bytes at which a reliable writer blocks; \
              the library ships with 512000.",
    },
    OptionSpec {
        key: "synchronous_delivery",
        value: "true",
        doc: "true: samples are delivered by the receive thread (shortest latency); false: by a \
              delivery thread (Internal/SynchronousDeliveryPriorityThreshold above 0).",
    },
    OptionSpec {
        key: "multiple_receive_threads",
        value: "",
        doc: "Internal/MultipleReceiveThreads (UDP): true gives data a thread of its own that blocks \
              in the read, without asking epoll first; the library ships with false since 11.0 and \
              shipped with true before.",
    },
    OptionSpec {
        key: "publish_mode",
        value: "synchronous",
        doc: "synchronous (write sends, as the library ships) or asynchronous (a thread of the \
              library's sends: a latency budget of 1 ns at writers and readers, which both sides \
              must have).",
    },
    OptionSpec {
        key: "config",
        value: "",
        doc: "The user's own configuration, read before Busmark's: empty (none), env (what \
              CYCLONEDDS_URI says) or a file's absolute path. Interface, peers and transport are \
              Busmark's, and so is each element that the profile or another option sets.",
    },
    OptionSpec {
        key: "write_batching",
        value: "",
        doc: "Internal/WriteBatch: true gathers samples until a packet is full or flushed, as \
              ddsperf does; the library ships with false.",
    },
    // Last, for an adapter without TCP has all others.
    OptionSpec {
        key: "tcp_no_delay",
        value: "true",
        doc: "TCP/NoDelay: true switches Nagle's algorithm off, as the library ships; false leaves \
              it on.",
    },
];
