// What the adapter can do, and its one exported symbol.

#include "participant.hpp"

#include <dds/Version.h>

namespace {

#ifdef BUSMARK_USER_TYPE
constexpr const char *user_type = BUSMARK_USER_TYPE;
constexpr uint32_t type_kind = 1u << BUSMARK_PAYLOAD_TYPE;
#else
constexpr const char *user_type = nullptr;
constexpr uint32_t type_kind = 0;
#endif

constexpr uint32_t kinds = type_kind | (1u << BUSMARK_PAYLOAD_EMPTY) | (1u << BUSMARK_PAYLOAD_OCTET) |
                           (1u << BUSMARK_PAYLOAD_CHAR) | (1u << BUSMARK_PAYLOAD_SHORT) |
                           (1u << BUSMARK_PAYLOAD_FLOAT) | (1u << BUSMARK_PAYLOAD_LONG) |
                           (1u << BUSMARK_PAYLOAD_STRUCT) | (1u << BUSMARK_PAYLOAD_ANY);

constexpr uint32_t qos = BUSMARK_QOS_BEST_EFFORT | BUSMARK_QOS_RELIABLE | BUSMARK_QOS_KEEP_LAST |
                         BUSMARK_QOS_KEEP_ALL | BUSMARK_QOS_VOLATILE | BUSMARK_QOS_TRANSIENT_LOCAL |
                         BUSMARK_QOS_DEADLINE | BUSMARK_QOS_PARTITION |
                         BUSMARK_QOS_OWNERSHIP_STRENGTH | BUSMARK_QOS_ORDER_BY_SOURCE |
                         BUSMARK_QOS_RESOURCE_LIMITS | BUSMARK_QOS_TIME_BASED_FILTER;

// Readers only. When a writer changes, the participant that hears of it locks itself for good.
constexpr uint32_t qos_mutable = BUSMARK_QOS_PARTITION | BUSMARK_QOS_TIME_BASED_FILTER;

#ifdef OPENDDS_SECURITY
constexpr const char *middleware = "OpenDDS " DDS_VERSION;
constexpr uint64_t security = BUSMARK_FEATURE_SECURITY;
/// What governance documents are made for; OpenDDS does what they say. All others have every topic need
/// permissions, and 3.13 makes no participant in such a domain; see NOTES.md.
constexpr const char *profiles[] = {"authentication", nullptr};
#else
constexpr const char *middleware = "OpenDDS " DDS_VERSION ", built without security";
constexpr uint64_t security = 0;
constexpr const char *const *profiles = nullptr;
#endif

constexpr uint64_t features = BUSMARK_FEATURE_MATCHED | BUSMARK_FEATURE_WRITE_IN_LISTENER |
                              BUSMARK_FEATURE_SOURCE_TIME | BUSMARK_FEATURE_KEYS |
                              BUSMARK_FEATURE_CONTENT_FILTER | security;

constexpr busmark_capabilities_t capabilities_table = {
    sizeof(busmark_capabilities_t),
    BUSMARK_WAIT_LISTENER | BUSMARK_WAIT_WAITSET | BUSMARK_WAIT_POLL,
    BUSMARK_REACH_PROCESS | BUSMARK_REACH_HOST | BUSMARK_REACH_NETWORK,
    kinds,
    qos,
    qos_mutable,
    features,
    uint64_t{128} << 10, // With the buffers that OpenDDS ships, larger samples take seconds over UDP.
    "opendds",
    "OpenDDS",
    BUSMARK_OPENDDS_VERSION,
    middleware,
    "DOC",
    "",
    "build OpenDDS from its release and set DDS_ROOT, ACE_ROOT and TAO_ROOT before building Busmark",
    opendds::transports,
    opendds::options,
    user_type,
    BUSMARK_DISCLOSE_ALLOCATES | BUSMARK_DISCLOSE_RUNTIME_STAYS,
    opendds::carriers,
    profiles,
    "buffers of sockets 4 MiB, heartbeat_period 10 ms, heartbeat_response_delay 5 ms, nak_response_delay "
    "5 ms, nak_depth 256, DCPSChunks 1000",
    0,
    0,
    0, // no services of its own
    0,
    0,
    0};

struct Adapter {
    static const busmark_capabilities_t &capabilities() { return capabilities_table; }

    // The library is linked to OpenDDS: where it could be opened, OpenDDS is there.
    static void probe() {}

    static std::unique_ptr<busmark::Participant> participant(const busmark::ParticipantConfig &config) {
        return std::make_unique<opendds::Participant>(opendds::Settings(config));
    }
};

} // namespace

BUSMARK_EXPORT(Adapter)
