/* SPDX-License-Identifier: Apache-2.0
 *
 * Who is there: endpoints say so on a channel of their own, for an event service keeps no account of
 * suppliers and consumers that others could ask for.
 */
#ifndef BUSMARK_OMNIEVENTS_PRESENCE_HPP
#define BUSMARK_OMNIEVENTS_PRESENCE_HPP

#include "channel.hpp"

#include <busmark_events.hh>

#include <map>
#include <mutex>
#include <set>
#include <string>

namespace busmark_omnievents {

class Presence {
public:
    Presence(const Orb &orb, const Service &service, uint32_t domain);

    /// Says that an endpoint is there; gives its number.
    uint64_t enter(const std::string &topic, uint32_t payload, bool writer);
    void leave(uint64_t id);
    /// Endpoints of the other side.
    uint32_t count(uint64_t id);

private:
    struct Endpoint {
        busmark_events::Presence self;
        std::set<uint64_t> others;
    };
    void hear(const CORBA::Any &event);
    void tell(busmark_events::Presence what, bool here, bool question);

    Supply supply_;
    std::mutex mutex_; ///< guards endpoints_
    std::map<uint64_t, Endpoint> endpoints_;
    Demand demand_; // after all that it uses
};

} // namespace busmark_omnievents

#endif
