// Busmark adapter for DDS-XRCE with eProsima's client and agent. NOTES.md says what it does and does not
// do; idl/busmark.idl is what it sends.
#include "agent.hpp"
#include "participant.hpp"

namespace microxrcedds_adapter {

namespace {

const char *const transports[] = {"udp", "tcp", "serial", nullptr};
const uint32_t carriers[] = {BUSMARK_CARRIER_UDP, BUSMARK_CARRIER_TCP, BUSMARK_CARRIER_LOCAL};

const busmark_capabilities_t declared = {
    sizeof(busmark_capabilities_t),
    BUSMARK_WAIT_LISTENER | BUSMARK_WAIT_WAITSET | BUSMARK_WAIT_POLL,
    BUSMARK_REACH_PROCESS | BUSMARK_REACH_HOST | BUSMARK_REACH_NETWORK,
    (1u << (BUSMARK_PAYLOAD_ANY + 1)) - 1,
    BUSMARK_QOS_RELIABLE | BUSMARK_QOS_BEST_EFFORT | BUSMARK_QOS_KEEP_LAST | BUSMARK_QOS_KEEP_ALL |
        BUSMARK_QOS_VOLATILE | BUSMARK_QOS_TRANSIENT_LOCAL,
    0,
    BUSMARK_FEATURE_WRITE_IN_LISTENER | BUSMARK_FEATURE_KEEP_ALL_IN_LISTENER | BUSMARK_FEATURE_SERVER,
    largest_body,
    "microxrcedds",
    "eProsima Micro XRCE-DDS",
    BUSMARK_MICROXRCEDDS_VERSION,
    "eProsima Micro XRCE-DDS Client " UXR_CLIENT_VERSION_STR,
    "Apache-2.0",
    "a client has no thread: one of the adapter's calls listeners, and looks every 20 ms whether a client "
    "that nobody waits at has something to acknowledge",
    install,
    transports,
    options,
    nullptr,
    BUSMARK_DISCLOSE_ALL_INTERFACES,
    carriers,
    nullptr,
    "",
    0,
    0,
    0, // no services of its own
    0,
    0,
    0};

struct Adapter {
    static const busmark_capabilities_t &capabilities() { return declared; }
    // The client is linked; the agent may be elsewhere.
    static void probe() {}
    static std::unique_ptr<busmark::Participant> participant(const busmark::ParticipantConfig &config) {
        return std::make_unique<Participant>(config);
    }
    static std::unique_ptr<busmark::Server> server(const busmark::ParticipantConfig &config) {
        return start_agent(config);
    }
};

} // namespace

} // namespace microxrcedds_adapter

BUSMARK_EXPORT(microxrcedds_adapter::Adapter)
