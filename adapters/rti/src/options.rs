//! The adapter's options: `matrix.option.rti.KEY` in a scenario.

use busmark_adapter::OptionSpec;

/// All, with their defaults. An empty default leaves the choice to the profile.
pub const OPTIONS: &[OptionSpec] = &[
    OptionSpec {
        key: "library",
        value: "",
        doc: "Folder of librtiddsconnector.so; empty: the one that BUSMARK_RTI_CONNECTOR names, else \
              that of the Python package rticonnextdds-connector.",
    },
    OptionSpec {
        key: "multicast",
        value: "auto",
        doc: "Discovery by multicast over udp: auto (off on a loopback interface), true, false.",
    },
    OptionSpec {
        key: "peers",
        value: "",
        doc: "Addresses of other hosts to announce this one to over udp, separated by commas.",
    },
    OptionSpec {
        key: "max_participants",
        value: "40",
        doc: "Participants of one domain on one host that can find each other without multicast, \
              and so the number of ports asked at each announcement, 1 to 120.",
    },
    OptionSpec {
        key: "qos_base",
        value: "",
        doc: "What reliable endpoints start from: generic (the profiles BuiltinQosLib::Generic… that \
              the library brings for them), low_latency or high_rate (with its snippet of that \
              name, where a writer keeps all), none (the library's defaults, without bound on what \
              a writer holds); empty: generic, in the profile tuned high_rate.",
    },
    OptionSpec {
        key: "publish_mode",
        value: "auto",
        doc: "Who sends: synchronous (the thread that writes), asynchronous (a thread of the \
              library), auto (asynchronous where a sample can exceed a message, which the library \
              asks for).",
    },
    OptionSpec {
        key: "batching",
        value: "false",
        doc: "true gathers samples until batch_bytes or 10 ms are reached, or until a flush.",
    },
    OptionSpec {
        key: "batch_bytes",
        value: "30720",
        doc: "Bytes of a batch, up to 60000; the library's own profile for it has 30720.",
    },
    OptionSpec {
        key: "type_object",
        value: "true",
        doc: "true announces types with their description, as the library ships; false by name only.",
    },
    OptionSpec {
        key: "message_size_max",
        value: "",
        doc: "Largest message of the transport in bytes; the library ships with 65507 (udp) and \
              65536 (shmem).",
    },
    OptionSpec {
        key: "socket_receive_buffer",
        value: "",
        doc: "recv_socket_buffer_size of udp: bytes to ask the kernel for, which grants at most \
              net.core.rmem_max; the library ships with 131072.",
    },
    OptionSpec {
        key: "socket_send_buffer",
        value: "",
        doc: "send_socket_buffer_size of udp: bytes to ask the kernel for, which grants at most \
              net.core.wmem_max; the library ships with 131072.",
    },
    OptionSpec {
        key: "shm_receive_buffer",
        value: "",
        doc: "receive_buffer_size of shmem in bytes; the library ships with 1048576.",
    },
    OptionSpec {
        key: "shm_messages",
        value: "",
        doc: "received_message_count_max of shmem: messages that the buffer holds; the library \
              ships with 64.",
    },
];
