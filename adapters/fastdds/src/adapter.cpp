// Busmark adapter for eProsima Fast DDS. NOTES.md says what it does and does not do; idl/busmark.idl is
// what it sends.
#include "discovery_server.hpp"
#include "options.hpp"
#include "participant.hpp"
#include "qos.hpp"
#include "series.hpp"
#include "service.hpp"

#include <busmark_adapter.hpp>

namespace fastdds_adapter {

namespace {

const char *const transports[] = {"udp", "tcp", "shm", "multicast", nullptr};
const uint32_t carriers[] = {BUSMARK_CARRIER_UDP, BUSMARK_CARRIER_TCP, BUSMARK_CARRIER_SHARED_MEMORY,
                             BUSMARK_CARRIER_UDP};

#ifdef BUSMARK_USER_TYPE
constexpr const char *user_type = BUSMARK_USER_TYPE;
constexpr uint32_t all_payloads = (1u << (BUSMARK_PAYLOAD_TYPE + 1)) - 1;
#else
constexpr const char *user_type = nullptr;
constexpr uint32_t all_payloads = (1u << (BUSMARK_PAYLOAD_ANY + 1)) - 1;
#endif
constexpr uint64_t largest_body = 16u << 20;

#if BUSMARK_FASTDDS_SERIES == 3
#define VERSION_STR FASTDDS_VERSION_STR
#else
#define VERSION_STR FASTRTPS_VERSION_STR
#endif
#if HAVE_SECURITY
constexpr const char *middleware = "eProsima Fast DDS " VERSION_STR;
constexpr uint64_t security = BUSMARK_FEATURE_SECURITY;
/// What governance documents are made for; the library does what they say.
const char *const profiles[] = {"authentication",   "access_control", "discovery", "rtps_sign",
                                "rtps_encrypt",     "data_sign",      "data_encrypt",
                                "metadata_encrypt", "all",            nullptr};
#else
constexpr const char *middleware =
    "eProsima Fast DDS " VERSION_STR ", built without security";
constexpr uint64_t security = 0;
constexpr const char *const *profiles = nullptr;
#endif

// Synchronous: a writer delivers to readers of its own process on the thread that writes.
constexpr uint64_t features = BUSMARK_FEATURE_MATCHED | BUSMARK_FEATURE_WRITE_IN_LISTENER |
                              BUSMARK_FEATURE_SYNCHRONOUS | BUSMARK_FEATURE_SOURCE_TIME |
                              BUSMARK_FEATURE_RECEPTION_TIME | BUSMARK_FEATURE_KEYS |
                              BUSMARK_FEATURE_CONTENT_FILTER | BUSMARK_FEATURE_MATCH_EVENTS |
                              BUSMARK_FEATURE_ENTITIES | BUSMARK_FEATURE_SERVER | security | services;

// When a process makes its first participant, the library opens a socket for each interface but the loopback's, to
// read its address from, and keeps it. What a full reader of the same process refuses does not always come again.
constexpr uint64_t disclosures =
    BUSMARK_DISCLOSE_ALLOCATES | BUSMARK_DISCLOSE_RUNTIME_STAYS | BUSMARK_DISCLOSE_LOSES;

const busmark_capabilities_t declared = {
    sizeof(busmark_capabilities_t),
    BUSMARK_WAIT_LISTENER | BUSMARK_WAIT_WAITSET | BUSMARK_WAIT_POLL,
    BUSMARK_REACH_PROCESS | BUSMARK_REACH_HOST | BUSMARK_REACH_NETWORK,
    all_payloads,
    honoured_qos,
    mutable_qos,
    features,
    largest_body,
    BUSMARK_ADAPTER_NAME,
    BUSMARK_TITLE,
    "0.1.0",
    middleware,
    "Apache-2.0",
    "",
    BUSMARK_INSTALL,
    transports,
    options,
    user_type,
    disclosures,
    carriers,
    profiles,
    "socket_buffer_bytes 12582912 B, heartbeat_period_ms 500 ms, shm_segment_bytes 64 MiB, "
    "tcp_no_delay true",
    0,
    0,
    service_waits,
    service_qos,
    0,
    0};

struct Adapter {
    static const busmark_capabilities_t &capabilities() { return declared; }
    // The loader has found the library already.
    static void probe() {}
    static std::unique_ptr<busmark::Participant> participant(const busmark::ParticipantConfig &config) {
        return std::make_unique<Participant>(config);
    }
    static std::unique_ptr<busmark::Server> server(const busmark::ParticipantConfig &config) {
        return start_discovery_server(config);
    }
};

} // namespace

} // namespace fastdds_adapter

BUSMARK_EXPORT(fastdds_adapter::Adapter)
