/* SPDX-License-Identifier: Apache-2.0
 *
 * Event channels: found by name at the event service, made where there is none.
 */
#ifndef BUSMARK_OMNIEVENTS_CHANNEL_HPP
#define BUSMARK_OMNIEVENTS_CHANNEL_HPP

#include "orb.hpp"

#include <COS/CosEventChannelAdmin.hh>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace busmark_omnievents {

using busmark_omniorb::ObjectAdapter;
using busmark_omniorb::Orb;

/// The event service, and how its channels are to be.
struct Service {
    std::string address; ///< host:port
    uint32_t cycle_ns;
    uint32_t queue_length;
};

/// The channel of this name; the first that asks makes it. Names may hold any text.
CosEventChannelAdmin::EventChannel_var channel(const Orb &orb, const Service &service,
                                               const std::string &name);

/// One end at which events enter a channel.
class Supply {
public:
    explicit Supply(CosEventChannelAdmin::EventChannel_ptr channel);
    ~Supply();
    void push(const CORBA::Any &event) { proxy_->push(event); }

private:
    CosEventChannelAdmin::ProxyPushConsumer_var proxy_;
};

/// One end at which events leave a channel; they come one at a time. It ends without disconnecting,
/// and the channel drops it when its next event fails: omniEvents 2.6 aborts where a consumer
/// disconnects while an event is on its way to it and that event then fails.
class Demand {
public:
    using Receive = std::function<void(const CORBA::Any &)>;
    Demand(const Orb &orb, CosEventChannelAdmin::EventChannel_ptr channel, Receive receive);

private:
    ObjectAdapter objects_;
};

} // namespace busmark_omnievents

#endif
