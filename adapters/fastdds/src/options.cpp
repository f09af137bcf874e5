#include "options.hpp"

#include "series.hpp"

namespace fastdds_adapter {

const busmark_option_t options[] = {
    {"publish_mode", "synchronous",
     "PublishModeQosPolicy: synchronous (write sends, as the library ships) or asynchronous (a "
     "thread of the library's sends)."},
    {"data_sharing", "auto",
     "DataSharingQosPolicy: auto (as shipped; never used for these types, whose sequences have no "
     "bound), on (bodies bounded by the endpoint's largest; samples go through shared memory between "
     "processes; no keyed topics) or off."},
    {"loan", "none",
     "Samples in memory that the library lends: none, copy (the writer copies each body there) or in_place (once "
     "for each piece of memory, as if the writer had made it there; needs data_sharing=on, and then nothing is "
     "copied between processes). Samples then have the fixed size of the endpoint's largest body, and a type "
     "that other vendors do not have; payload octet, no keys."},
    {"intraprocess", "full",
     "Delivery between participants of one process without a transport: full (as shipped), "
     "user_data_only or off; one value for the whole process."},
    {"history_memory_policy", "preallocated_with_realloc",
     "MemoryManagementPolicy of histories: preallocated_with_realloc (as shipped), preallocated "
     "(each sample has room for the endpoint's largest body), dynamic or dynamic_reusable."},
    {"socket_buffer_bytes", "",
     "Bytes of every send and receive buffer of a socket, of which the kernel grants at most "
     "net.core.wmem_max and rmem_max; the library ships with the system's default."},
    {"max_message_bytes", "",
     "Largest RTPS message of a transport, and so the size of a fragment, in bytes, at most 65500 on "
     "sockets; the library ships with 65500."},
    {"heartbeat_period_ms", "",
     "Period of a reliable writer's heartbeats while samples are unacknowledged, in milliseconds; "
     "the library ships with 3000."},
    {"flow_bytes_per_period", "0",
     "Flow controller: bytes that all writers of a participant send per period at most; 0: no limit, as "
     "shipped; else with publish_mode asynchronous only."},
    {"flow_period_ms", "100", "Flow controller: length of its period in milliseconds."},
    {"discovery", "auto",
     "How participants find each other (udp): auto (unicast on a loopback interface, multicast "
     "elsewhere), unicast, multicast or server (at a discovery server, which the run starts)."},
    {"server", "",
     "A discovery server that runs already (udp): ADDRESS:PORT, or ADDRESS:PORT/ID where its ID is not 0."},
    {"peers", "",
     "IPv4 addresses of other hosts to announce this one to where discovery is unicast, separated by "
     "commas."},
    {"max_participants", "120",
     "Participants of one domain on one host that can find each other without multicast (udp), and so "
     "the number of ports asked at each announcement, 1 to 120."},
    {"tcp_no_delay", "",
     "TCPTransportDescriptor::enable_tcp_nodelay: true switches Nagle's algorithm off; the library "
     "ships with false."},
    {"tcp_crc", "true",
     "TCPTransportDescriptor::calculate_crc and check_crc: a checksum over every message, byte by "
     "byte; the library ships with true."},
    {"shm_segment_bytes", "",
     "Shared memory that a participant sends from, in bytes; the library ships with 524288."},
    {"config", "",
     "The user's XML profiles: empty (none is read), env (the file that " BUSMARK_PROFILES_VARIABLE
     " names) or a file's absolute path. Its default profiles of participants, writers and readers hold "
     "where neither the case nor another option has a value; transports and discovery are Busmark's."},
    {"shm_queue_messages", "",
     "Messages that wait at a shared memory port at most; the library ships with 512."},
    {nullptr, nullptr, nullptr}};

} // namespace fastdds_adapter
