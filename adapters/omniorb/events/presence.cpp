// SPDX-License-Identifier: Apache-2.0
#include "presence.hpp"

#include "failure.hpp"

#include <cstring>
#include <vector>

namespace busmark_omnievents {
namespace {

CosEventChannelAdmin::EventChannel_var meeting_place(const Orb &orb, const Service &service,
                                                     uint32_t domain) {
    return channel(orb, service, "busmark " + std::to_string(domain));
}

} // namespace

Presence::Presence(const Orb &orb, const Service &service, uint32_t domain)
    : supply_(meeting_place(orb, service, domain)),
      demand_(orb, meeting_place(orb, service, domain), [this](const CORBA::Any &event) { hear(event); }) {}

uint64_t Presence::enter(const std::string &topic, uint32_t payload, bool writer) {
    Endpoint endpoint;
    endpoint.self.id = busmark_omniorb::process_token() + busmark_omniorb::next_number();
    endpoint.self.topic = topic.c_str();
    endpoint.self.payload = payload;
    endpoint.self.writer = writer;
    {
        const std::lock_guard lock(mutex_);
        endpoints_.emplace(endpoint.self.id, endpoint);
    }
    busmark_omniorb::told("announcing an endpoint", BUSMARK_FAILED,
                          [&] { tell(endpoint.self, true, true); });
    return endpoint.self.id;
}

void Presence::leave(uint64_t id) {
    busmark_events::Presence self;
    {
        const std::lock_guard lock(mutex_);
        self = endpoints_[id].self;
        endpoints_.erase(id);
    }
    busmark_omniorb::tolerant([&] { tell(self, false, false); });
}

uint32_t Presence::count(uint64_t id) {
    const std::lock_guard lock(mutex_);
    return static_cast<uint32_t>(endpoints_[id].others.size());
}

void Presence::hear(const CORBA::Any &event) {
    const busmark_events::Presence *said = nullptr;
    if (!(event >>= said)) return;
    std::vector<busmark_events::Presence> answers;
    {
        const std::lock_guard lock(mutex_);
        for (auto &[id, endpoint] : endpoints_) {
            const auto &self = endpoint.self;
            if (self.writer == said->writer || self.payload != said->payload ||
                std::strcmp(self.topic, said->topic) != 0)
                continue;
            if (!said->here) endpoint.others.erase(said->id);
            else endpoint.others.insert(said->id);
            if (said->question) answers.push_back(self);
        }
    }
    for (const auto &self : answers) busmark_omniorb::tolerant([&] { tell(self, true, false); });
}

void Presence::tell(busmark_events::Presence what, bool here, bool question) {
    what.here = here;
    what.question = question;
    CORBA::Any event;
    event <<= what;
    supply_.push(event);
}

} // namespace busmark_omnievents
