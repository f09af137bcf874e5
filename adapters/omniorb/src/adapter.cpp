/* SPDX-License-Identifier: Apache-2.0
 *
 * The omniORB adapter: a reader is a CORBA object, a writer calls it with each sample.
 */
#include "orb.hpp"
#include "profile.hpp"
#include "reader.hpp"
#include "service.hpp"
#include "writer.hpp"

namespace busmark_omniorb {
namespace {

const char *const TRANSPORTS[] = {"tcp", "unix", nullptr};
const uint32_t CARRIERS[] = {BUSMARK_CARRIER_TCP, BUSMARK_CARRIER_LOCAL};

constexpr uint32_t PAYLOADS = (1u << (BUSMARK_PAYLOAD_ANY + 1)) - 1; // all kinds

const busmark_capabilities_t CAPABILITIES{
    sizeof(busmark_capabilities_t),
    BUSMARK_WAIT_LISTENER | BUSMARK_WAIT_WAITSET | BUSMARK_WAIT_POLL,
    BUSMARK_REACH_PROCESS | BUSMARK_REACH_HOST | BUSMARK_REACH_NETWORK,
    PAYLOADS,
    BUSMARK_QOS_RELIABLE | BUSMARK_QOS_KEEP_ALL | BUSMARK_QOS_VOLATILE,
    0, // no QoS can change
    BUSMARK_FEATURE_LOCATORS | BUSMARK_FEATURE_MATCHED | BUSMARK_FEATURE_WRITE_IN_LISTENER |
        BUSMARK_FEATURE_KEEP_ALL_IN_LISTENER | BUSMARK_FEATURE_SYNCHRONOUS | BUSMARK_FEATURE_SERVICES,
    LARGEST_BODY,
    "omniorb",
    "omniORB (CORBA)",
    BUSMARK_OMNIORB_VERSION,
    "omniORB 4.2",
    "LGPL-2.1-or-later",
    "with waitset and poll the servant copies header and body into a queue; of an any the octets are "
    "extracted; services: threads of the ORB wait for responses, at either end, and bodies are copied for them",
    "apt-get install libomniorb4-2",
    TRANSPORTS,
    OPTIONS,
    nullptr,
    BUSMARK_DISCLOSE_ALLOCATES,
    CARRIERS,
    nullptr,
    "supportCurrent 0",
    0,
    0,
    BUSMARK_WAIT_WAITSET | BUSMARK_WAIT_POLL,
    BUSMARK_QOS_RELIABLE | BUSMARK_QOS_KEEP_ALL | BUSMARK_QOS_VOLATILE,
    MOST_REQUESTS,
    0};

class Participant final : public busmark::Participant {
public:
    explicit Participant(const busmark::ParticipantConfig &config)
        : domain_(config.domain), choices_(choices_of(config)),
          orb_(std::make_shared<Orb>(orb_parameters(config))) {}

    std::unique_ptr<busmark::Writer> writer(const busmark::EndpointConfig &config) override {
        return make_writer(orb_, domain_, choices_, config);
    }
    std::unique_ptr<busmark::Reader> reader(const busmark::EndpointConfig &config,
                                            busmark::Listener listener) override {
        return std::make_unique<Reader>(orb_, domain_, choices_, config, listener);
    }
    std::unique_ptr<busmark::Service> service(const busmark::EndpointConfig &config,
                                              busmark_side_e side) override {
        return make_service(orb_, domain_, choices_, config, side);
    }

private:
    const uint32_t domain_;
    const Choices choices_;
    const std::shared_ptr<Orb> orb_;
};

struct Adapter {
    static const busmark_capabilities_t &capabilities() { return CAPABILITIES; }
    static void probe() {} // the library would not have been opened without omniORB
    static std::unique_ptr<busmark::Participant> participant(const busmark::ParticipantConfig &config) {
        return std::make_unique<Participant>(config);
    }
};

} // namespace
} // namespace busmark_omniorb

BUSMARK_EXPORT(busmark_omniorb::Adapter)
