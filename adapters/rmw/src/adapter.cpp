// Busmark adapter for a layer of ROS 2: rmw, rcl or rclpy, as the folder of participant.hpp has it.
#include <discovery_server.hpp>
#include <participant.hpp>
#include <series.hpp>

namespace ros_adapter {

namespace {

#if BUSMARK_FASTDDS_SERIES == 3
#define VERSION_STR FASTDDS_VERSION_STR
#else
#define VERSION_STR FASTRTPS_VERSION_STR
#endif

const char *const transports[] = {"udp", "shm", "shipped", nullptr};
const uint32_t carriers[] = {BUSMARK_CARRIER_UDP, BUSMARK_CARRIER_SHARED_MEMORY,
                             BUSMARK_CARRIER_MIXED};

const busmark_option_t options[] = {
    {"implementation", "",
     "The implementation of rmw, such as rmw_cyclonedds_cpp: lib<name>.so is loaded. Empty: rmw_fastrtps_cpp, or what "
     "RMW_IMPLEMENTATION says where config is env."},
    Participant::option,
    {"config", "",
     "Empty: nothing is taken from the environment. env: all that ROS and the implementation take from it, but for the "
     "domain; with transport shipped."},
    {"discovery", "auto",
     "How participants of rmw_fastrtps_cpp find each other (udp): auto (unicast on a loopback interface, multicast "
     "elsewhere), unicast, multicast or server (at a discovery server, which the run starts)."},
    {"server", "",
     "A discovery server that runs already (udp): ADDRESS:PORT, or ADDRESS:PORT/ID where its ID is not 0."},
    {"peers", "", "IPv4 addresses of other hosts to announce this one to where discovery is unicast (udp), with commas."},
    {"max_participants", "120",
     "Participants of one domain on one host that can find each other without multicast (udp), 1 to 120."},
    {"socket_buffer_bytes", "", "Bytes of every send and receive buffer of a socket (udp); Fast DDS ships with the "
                                "system's default."},
    {"max_message_bytes", "", "Largest RTPS message (udp, shm), in bytes; Fast DDS ships with 65500."},
    {"shm_segment_bytes", "", "Shared memory that a participant sends from, in bytes (shm); Fast DDS ships with 524288."},
    {"shm_queue_messages", "", "Messages that wait at a shared memory port at most (shm); Fast DDS ships with 512."},
    {nullptr, nullptr, nullptr}};

constexpr uint64_t largest_body = 16u << 20;

const busmark_capabilities_t declared = {
    sizeof(busmark_capabilities_t),
    Participant::waits,
    BUSMARK_REACH_PROCESS | BUSMARK_REACH_HOST | BUSMARK_REACH_NETWORK,
    1u << BUSMARK_PAYLOAD_OCTET,
    BUSMARK_QOS_RELIABLE | BUSMARK_QOS_BEST_EFFORT | BUSMARK_QOS_KEEP_LAST | BUSMARK_QOS_KEEP_ALL |
        BUSMARK_QOS_VOLATILE | BUSMARK_QOS_TRANSIENT_LOCAL | BUSMARK_QOS_LIFESPAN | BUSMARK_QOS_DEADLINE,
    0,
    Participant::features | BUSMARK_FEATURE_MATCHED | BUSMARK_FEATURE_SOURCE_TIME | BUSMARK_FEATURE_RECEPTION_TIME |
        BUSMARK_FEATURE_SERVER,
    largest_body,
    BUSMARK_ADAPTER_NAME,
    BUSMARK_TITLE,
    "0.1.0",
    BUSMARK_MIDDLEWARE VERSION_STR,
    "Apache-2.0",
    Participant::cost,
    "make adapters",
    transports,
    options,
    nullptr,
    BUSMARK_DISCLOSE_ALLOCATES | BUSMARK_DISCLOSE_RUNTIME_STAYS | BUSMARK_DISCLOSE_ALL_INTERFACES,
    carriers,
    nullptr,
    "udp and shm of rmw_fastrtps_cpp: socket_buffer_bytes 12582912 B, shm_segment_bytes 64 MiB",
    0,
    0,
    BUSMARK_WAIT_WAITSET | BUSMARK_WAIT_POLL,
    BUSMARK_QOS_RELIABLE | BUSMARK_QOS_BEST_EFFORT | BUSMARK_QOS_KEEP_LAST | BUSMARK_QOS_KEEP_ALL |
        BUSMARK_QOS_VOLATILE,
    0,
    0};

struct Adapter {
    static const busmark_capabilities_t &capabilities() { return declared; }
    static void probe() { Participant::probe(); }
    static std::unique_ptr<busmark::Participant> participant(const busmark::ParticipantConfig &config) {
        return std::make_unique<Participant>(config);
    }
    static std::unique_ptr<busmark::Server> server(const busmark::ParticipantConfig &config) {
        return fastdds_adapter::start_discovery_server(config);
    }
};

} // namespace

} // namespace ros_adapter

BUSMARK_EXPORT(ros_adapter::Adapter)
