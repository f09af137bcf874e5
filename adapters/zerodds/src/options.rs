//! The adapter's options: `matrix.option.ADAPTER.KEY` in a scenario.

use busmark_adapter::OptionSpec;

/// All, with their defaults. An empty default leaves the choice to the profile.
pub const OPTIONS: &[OptionSpec] = &[
    OptionSpec {
        key: "multicast",
        value: "auto",
        doc: "Multicast for discovery and for data of other vendors: auto (off on a loopback \
              interface, on elsewhere), true, false.",
    },
    OptionSpec {
        key: "peers",
        value: "",
        doc: "Addresses (or ADDRESS:PORT) of other hosts to announce this one to, separated by \
              commas.",
    },
    OptionSpec {
        key: "max_processes",
        value: "40",
        doc: "discovery.max_peer_participants: participants of one domain on one host that can \
              find each other without multicast, and so the number of ports asked at each \
              announcement, 1 to 120; the library ships with 10.",
    },
    OptionSpec {
        key: "writer_unacked_window",
        value: "",
        doc: "writer.unacked_window_bytes: unacknowledged bytes at which a reliable writer waits, \
              0 for no bound; the library ships with 524288.",
    },
    OptionSpec {
        key: "max_message_size",
        value: "",
        doc: "transport.max_message_size: largest RTPS message in bytes; the library ships with \
              14720.",
    },
    OptionSpec {
        key: "udp_message_size",
        value: "",
        doc: "transport.udp.max_message_size: UDP payload in bytes by which samples are cut into \
              fragments, 1472 to 65507; the library ships with 1472.",
    },
    OptionSpec {
        key: "socket_receive_buffer",
        value: "",
        doc: "transport.udp.recv_buffer: bytes to ask the kernel for, which grants at most \
              net.core.rmem_max; the library ships with 1 MiB.",
    },
    OptionSpec {
        key: "socket_send_buffer",
        value: "",
        doc: "transport.udp.cache_sndbuf: bytes to ask the kernel for, which grants at most \
              net.core.wmem_max; the library ships with 256 KiB.",
    },
    OptionSpec {
        key: "receive_batch",
        value: "",
        doc: "transport.recv_batch: datagrams asked for in one system call (recvmmsg), 1 for one \
              by one; the library ships with 32.",
    },
    OptionSpec {
        key: "extra_receive_threads",
        value: "",
        doc: "threads.extra_recv: further threads that read data from the same port (UDP); the \
              library ships with 0.",
    },
    OptionSpec {
        key: "heartbeat_period_ms",
        value: "",
        doc: "writer.heartbeat_period_ms of reliable writers; the library ships with 100.",
    },
    OptionSpec {
        key: "heartbeat_response_delay_ms",
        value: "",
        doc: "reader.heartbeat_response_delay_ms: how long a reliable reader waits before it \
              answers a heartbeat; the library ships with 500.",
    },
    OptionSpec {
        key: "nack_response_delay_ms",
        value: "",
        doc: "writer.nack_response_delay_ms: how long a reliable writer waits before it repairs; \
              the library ships with 200.",
    },
    OptionSpec {
        key: "waiting",
        value: "waitset",
        doc: "What the wait strategy waitset uses: waitset (a WaitSet with a ReadCondition) or \
              reader (DataReader::wait_for_data, the library's own short cut).",
    },
];
