/* SPDX-License-Identifier: Apache-2.0
 *
 * The adapter of CORBA's event service: writers push samples into a channel of omniEvents, which
 * pushes them to readers.
 */
#include "channel.hpp"
#include "failure.hpp"
#include "intake.hpp"
#include "kinds.hpp"
#include "presence.hpp"
#include "profile.hpp"
#include "server.hpp"

#include <omniORB4/CORBA.h>

namespace busmark_omnievents {
namespace {

using busmark_omniorb::Intake;
using busmark_omniorb::View;

const char *const TRANSPORTS[] = {"tcp", nullptr};
const uint32_t CARRIERS[] = {BUSMARK_CARRIER_TCP};

const busmark_option_t OPTIONS[] = {
    {"server", "", "Address of the event service, HOST:PORT; empty lets Busmark start omniEvents."},
    {"cycle_ns", "100000000",
     "Nanoseconds between two transfers from a channel's input to its output (CyclePeriod_ns), which "
     "holds for channels that this participant is the first to use."},
    {"queue_length", "1023",
     "Events that a channel holds; what a consumer has not had by then is lost (MaxQueueLength)."},
    {nullptr, nullptr, nullptr}};

/// A channel keeps its last 1023 events, whatever their size: larger ones would fill the memory.
constexpr uint64_t LARGEST = uint64_t{1} << 20;

const busmark_capabilities_t CAPABILITIES{
    sizeof(busmark_capabilities_t),
    BUSMARK_WAIT_LISTENER | BUSMARK_WAIT_WAITSET | BUSMARK_WAIT_POLL,
    BUSMARK_REACH_PROCESS | BUSMARK_REACH_HOST | BUSMARK_REACH_NETWORK,
    (1u << (BUSMARK_PAYLOAD_ANY + 1)) - 1, // all kinds
    BUSMARK_QOS_BEST_EFFORT,
    0, // no QoS can change
    BUSMARK_FEATURE_MATCHED | BUSMARK_FEATURE_WRITE_IN_LISTENER | BUSMARK_FEATURE_SERVER,
    LARGEST,
    "omnievents",
    "omniEvents (CORBA event service)",
    BUSMARK_OMNIORB_VERSION,
    "omniEvents 2.6, omniORB 4.2",
    "LGPL-2.1-or-later",
    "a sample is extracted from the any that an event is; with waitset and poll the servant copies "
    "header and body into a queue",
    "apt-get install omnievents libcos4-2",
    TRANSPORTS,
    OPTIONS,
    nullptr,
    BUSMARK_DISCLOSE_ALL_INTERFACES | BUSMARK_DISCLOSE_ALLOCATES, // the event service's port
    CARRIERS,
    nullptr,
    "",
    0,
    0,
    0, // no services of its own
    0,
    0,
    0};

/// An event: an any that owns the sample in it.
template <class Kind> struct Prepared final : busmark::Sample {
    CORBA::Any event;
    typename Kind::Sample *value = new typename Kind::Sample;
};

/// What all endpoints of a participant use.
struct Attachment {
    explicit Attachment(const busmark::ParticipantConfig &config)
        : domain(config.domain), service{config.option("server"), config.number<uint32_t>("cycle_ns"),
                                         config.number<uint32_t>("queue_length")},
          orb((check(), busmark_omniorb::endpoint_parameters(config))),
          presence(orb, service, config.domain) {}

    void check() const {
        if (service.address.empty())
            throw busmark::Error(BUSMARK_INVALID, "option server: the address of an event service is "
                                                  "needed, HOST:PORT");
        if (service.cycle_ns == 0 || service.cycle_ns > 999'999'999 || service.queue_length == 0)
            throw busmark::Error(BUSMARK_INVALID, "options cycle_ns and queue_length: from 1, and less "
                                                  "than a second");
    }

    /// The channel of a topic.
    CosEventChannelAdmin::EventChannel_var channel_of(const busmark::EndpointConfig &config) const {
        return channel(orb, service, "busmark " + std::to_string(domain) + " " +
                                         std::to_string(config.payload) + " " + config.topic);
    }

    const uint32_t domain;
    const Service service;
    Orb orb;
    Presence presence;
};

template <class Kind> class Writer final : public busmark::Writer {
public:
    Writer(std::shared_ptr<Attachment> attachment, const busmark::EndpointConfig &config)
        : attachment_(std::move(attachment)), supply_(attachment_->channel_of(config)),
          id_(attachment_->presence.enter(config.topic, config.payload, true)) {}
    ~Writer() override { attachment_->presence.leave(id_); }

    std::unique_ptr<busmark::Sample> prepare(const void *body, size_t bytes) override {
        auto sample = std::make_unique<Prepared<Kind>>();
        Kind::fill(*sample->value, body, bytes);
        sample->event <<= sample->value;
        return sample;
    }

    busmark_status_e write(busmark::Sample &sample, const busmark_header_t &header) override {
        auto &prepared = static_cast<Prepared<Kind> &>(sample);
        std::memcpy(static_cast<void *>(&prepared.value->header), &header, sizeof header);
        try {
            supply_.push(prepared.event);
            return BUSMARK_OK;
        } catch (const CORBA::Exception &) {
            return BUSMARK_FAILED;
        }
    }

    busmark_status_e matched(uint32_t &count) override {
        count = attachment_->presence.count(id_);
        return BUSMARK_OK;
    }

private:
    const std::shared_ptr<Attachment> attachment_;
    Supply supply_;
    const uint64_t id_;
};

template <class Kind> class Reader final : public busmark::Reader {
public:
    Reader(std::shared_ptr<Attachment> attachment, const busmark::EndpointConfig &config,
           busmark::Listener listener)
        : attachment_(std::move(attachment)), intake_(listener, config.max_body_bytes, 0),
          demand_(attachment_->orb, attachment_->channel_of(config),
                  [this](const CORBA::Any &event) { receive(event); }),
          id_(attachment_->presence.enter(config.topic, config.payload, false)) {}
    ~Reader() override {
        attachment_->presence.leave(id_);
        intake_.shut();
    }

    busmark_status_e take(uint32_t max, busmark::Sink &sink, uint32_t &taken) override {
        return intake_.take(max, sink, taken);
    }
    busmark_status_e wait(int64_t timeout_ns) override { return intake_.wait(timeout_ns); }
    busmark_status_e matched(uint32_t &count) override {
        count = attachment_->presence.count(id_);
        return BUSMARK_OK;
    }

private:
    /// Events of another type, or too large, are a stranger's.
    void receive(const CORBA::Any &event) {
        const typename Kind::Sample *sample = nullptr;
        if (!(event >>= sample)) return;
        const View body = Kind::view(*sample);
        if (body.bytes > intake_.max_body_bytes()) return;
        busmark_header_t header;
        std::memcpy(&header, &sample->header, sizeof header);
        intake_.give(header, body.data, body.bytes, 0);
    }

    const std::shared_ptr<Attachment> attachment_;
    Intake intake_;
    Demand demand_; // after what it uses
    const uint64_t id_;
};

class Participant final : public busmark::Participant {
public:
    explicit Participant(const busmark::ParticipantConfig &config)
        : attachment_(std::make_shared<Attachment>(config)) {}

    std::unique_ptr<busmark::Writer> writer(const busmark::EndpointConfig &config) override {
        return busmark_omniorb::with_kind(
            config.payload, [&](auto kind) -> std::unique_ptr<busmark::Writer> {
                return std::make_unique<Writer<decltype(kind)>>(attachment_, config);
            });
    }
    std::unique_ptr<busmark::Reader> reader(const busmark::EndpointConfig &config,
                                            busmark::Listener listener) override {
        return busmark_omniorb::with_kind(
            config.payload, [&](auto kind) -> std::unique_ptr<busmark::Reader> {
                return std::make_unique<Reader<decltype(kind)>>(attachment_, config, listener);
            });
    }

private:
    const std::shared_ptr<Attachment> attachment_;
};

struct Adapter {
    static const busmark_capabilities_t &capabilities() { return CAPABILITIES; }
    static void probe() {
        if (program().empty())
            throw busmark::Error(BUSMARK_UNAVAILABLE,
                                 "omniEvents is missing: apt-get install omnievents");
    }
    static std::unique_ptr<busmark::Participant> participant(const busmark::ParticipantConfig &config) {
        return std::make_unique<Participant>(config);
    }
};

busmark_status_t server_create(const busmark_participant_config_t *c, busmark_server_h *out,
                               char *address, size_t bytes, busmark_error_t *error) {
    return busmark::detail::guard(error, [&] {
        auto server = std::make_unique<Server>(busmark::detail::config_of(CAPABILITIES, c));
        if (server->address().size() >= bytes)
            throw busmark::Error(BUSMARK_RESOURCES, "no room for the server's address");
        std::memcpy(address, server->address().c_str(), server->address().size() + 1);
        *out = reinterpret_cast<busmark_server_h>(server.release());
    });
}

void server_destroy(busmark_server_h server) { delete reinterpret_cast<Server *>(server); }

/// The table with the two entries that are about servers.
busmark_adapter_t with_server(busmark_adapter_t table) {
    table.server_create = server_create;
    table.server_destroy = server_destroy;
    return table;
}

} // namespace
} // namespace busmark_omnievents

extern "C" __attribute__((visibility("default"))) const busmark_adapter_t *busmark_adapter() {
    using namespace busmark_omnievents;
    static const busmark_adapter_t table =
        with_server(*busmark::detail::Entries<Adapter>::table());
    return &table;
}
