#include "objects.hpp"

namespace microxrcedds_adapter {

namespace {

using busmark::Error;

constexpr uint16_t most_objects = 0x0fff; // 12 bits

bool is_made(uint8_t answer) {
    return answer == UXR_STATUS_OK || answer == UXR_STATUS_OK_MATCHED;
}

/// What nobody asked for is as the client's examples have it, but for the history of a late reader.
uxrQoS_t qos_of(const busmark::Qos &qos) {
    uxrQoS_t out{};
    out.durability = qos.transient_local.value_or(false) ? UXR_DURABILITY_TRANSIENT_LOCAL
                                                         : UXR_DURABILITY_VOLATILE;
    out.reliability = qos.reliable.value_or(true) ? UXR_RELIABILITY_RELIABLE : UXR_RELIABILITY_BEST_EFFORT;
    out.history = qos.keep_all.value_or(false) ? UXR_HISTORY_KEEP_ALL : UXR_HISTORY_KEEP_LAST;
    if (qos.keep_all == false) out.depth = static_cast<uint16_t>(std::min(qos.depth, 0xffff));
    return out;
}

} // namespace

std::string profile_of(uint16_t domain) { return "busmark-" + std::to_string(domain); }

Objects::Objects(Session &session, uint16_t domain)
    : session_(session), participant_(uxr_object_id(1, UXR_PARTICIPANT_ID)) {
    // An agent that the run has started knows the interface by this name; another one does not.
    const std::string profile = profile_of(domain);
    const uint8_t answer = session_.ask([&](uxrSession *to, uxrStreamId stream) {
        return uxr_buffer_create_participant_ref(to, stream, participant_, domain, profile.c_str(),
                                                 UXR_REPLACE);
    });
    if (is_made(answer)) return;
    create("a participant", [&](uxrSession *to, uxrStreamId stream) {
        return uxr_buffer_create_participant_bin(to, stream, participant_, domain, "busmark", UXR_REPLACE);
    });
}

void Objects::create(const char *what, const Session::Request &request) {
    const uint8_t answer = session_.ask(request);
    if (is_made(answer)) return;
    const std::string agent = "the agent at " + session_.agent();
    if (answer == UXR_STATUS_NONE)
        throw Error(BUSMARK_UNAVAILABLE, agent + " does not answer when asked for " + what);
    throw Error(BUSMARK_FAILED, agent + " makes no " + (what + 2) + ": status " + std::to_string(answer));
}

uint16_t Objects::free_number() {
    for (uint16_t number = 1; number <= most_objects; ++number)
        if (numbers_.insert(number).second) return number;
    throw Error(BUSMARK_RESOURCES, "a client has at most 4095 objects of a kind");
}

void Objects::drop(uxrObjectId object) {
    session_.ask([&](uxrSession *to, uxrStreamId stream) {
        return uxr_buffer_delete_entity(to, stream, object);
    });
}

uint16_t Objects::use_topic(const std::string &name, const std::string &type) {
    if (const auto found = topics_.find(name); found != topics_.end()) {
        ++found->second.users;
        return found->second.number;
    }
    const uint16_t number = free_number();
    create("a topic", [&](uxrSession *to, uxrStreamId stream) {
        return uxr_buffer_create_topic_bin(to, stream, uxr_object_id(number, UXR_TOPIC_ID), participant_,
                                           name.c_str(), type.c_str(), UXR_REPLACE);
    });
    topics_[name] = {number, 1};
    return number;
}

void Objects::leave_topic(const std::string &name) {
    const auto found = topics_.find(name);
    if (--found->second.users > 0) return;
    drop(uxr_object_id(found->second.number, UXR_TOPIC_ID));
    numbers_.erase(found->second.number);
    topics_.erase(found);
}

Objects::Endpoint Objects::make(bool writes, const std::string &topic, const std::string &type,
                                const busmark::Qos &qos) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const uxrObjectId about = uxr_object_id(use_topic(topic, type), UXR_TOPIC_ID);
    const Endpoint made{free_number(), topic, writes};
    const uxrObjectId group = uxr_object_id(made.number, writes ? UXR_PUBLISHER_ID : UXR_SUBSCRIBER_ID);
    create(writes ? "a publisher" : "a subscriber", [&](uxrSession *to, uxrStreamId stream) {
        const auto make_group = writes ? uxr_buffer_create_publisher_bin : uxr_buffer_create_subscriber_bin;
        return make_group(to, stream, group, participant_, UXR_REPLACE);
    });
    create(writes ? "a writer" : "a reader", [&](uxrSession *to, uxrStreamId stream) {
        const auto make_one = writes ? uxr_buffer_create_datawriter_bin : uxr_buffer_create_datareader_bin;
        return make_one(to, stream, made.id(), group, about, qos_of(qos), UXR_REPLACE);
    });
    return made;
}

void Objects::remove(const Endpoint &endpoint) {
    const std::lock_guard<std::mutex> lock(mutex_);
    drop(endpoint.id());
    drop(uxr_object_id(endpoint.number, endpoint.writes ? UXR_PUBLISHER_ID : UXR_SUBSCRIBER_ID));
    numbers_.erase(endpoint.number);
    leave_topic(endpoint.topic);
}

} // namespace microxrcedds_adapter
