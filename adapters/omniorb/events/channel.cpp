// SPDX-License-Identifier: Apache-2.0
#include "channel.hpp"

#include "failure.hpp"

#include <COS/CosLifeCycle.hh>

#include <cctype>
#include <chrono>
#include <cstdio>
#include <thread>

namespace busmark_omnievents {
namespace {

using busmark_omniorb::CONTROL_LIMIT_MS;
using busmark_omniorb::limit_calls;
using busmark_omniorb::told;
using busmark_omniorb::tolerant;

/// Only letters, digits and underscores, as a corbaloc reference wants them.
std::string key_of(const std::string &name) {
    std::string key;
    for (const unsigned char c : name) {
        if (std::isalnum(c) != 0) {
            key += static_cast<char>(c);
            continue;
        }
        char code[8];
        std::snprintf(code, sizeof code, "_%02x", c);
        key += code;
    }
    return key;
}

CORBA::Object_var at(const Orb &orb, const Service &service, const std::string &key) {
    const std::string text = "corbaloc::" + service.address + "/" + key;
    CORBA::Object_var object = orb.orb()->string_to_object(text.c_str());
    limit_calls(object, CONTROL_LIMIT_MS);
    return object;
}

/// Nil if there is no such channel.
CosEventChannelAdmin::EventChannel_var find(const Orb &orb, const Service &service,
                                            const std::string &key) {
    try {
        return CosEventChannelAdmin::EventChannel::_narrow(at(orb, service, key));
    } catch (const CORBA::OBJECT_NOT_EXIST &) {
        return CosEventChannelAdmin::EventChannel::_nil();
    }
}

template <class Value> void add(CosLifeCycle::Criteria &criteria, const char *name, Value value) {
    const CORBA::ULong n = criteria.length();
    criteria.length(n + 1);
    criteria[n].name = name;
    criteria[n].value <<= value;
}

/// Gives what went wrong, which is no failure yet: another participant may have been first.
std::string make(const Orb &orb, const Service &service, const std::string &key) {
    const auto factory = CosLifeCycle::GenericFactory_var(
        CosLifeCycle::GenericFactory::_narrow(at(orb, service, "omniEvents")));
    if (CORBA::is_nil(factory))
        throw busmark::Error(BUSMARK_INVALID, "at " + service.address + " is no omniEvents");
    CosLifeCycle::Key kind;
    kind.length(1);
    kind[0].id = "EventChannel";
    kind[0].kind = "object interface";
    CosLifeCycle::Criteria criteria;
    add(criteria, "InsName", key.c_str());
    add(criteria, "CyclePeriod_ns", static_cast<CORBA::ULong>(service.cycle_ns));
    add(criteria, "MaxQueueLength", static_cast<CORBA::ULong>(service.queue_length));
    try {
        const CORBA::Object_var made = factory->create_object(kind, criteria);
        return {};
    } catch (const CORBA::Exception &exception) {
        return busmark_omniorb::words(exception);
    }
}

class ConsumerServant final : public POA_CosEventComm::PushConsumer {
public:
    explicit ConsumerServant(Demand::Receive receive) : receive_(std::move(receive)) {}
    void push(const CORBA::Any &event) override { receive_(event); }
    void disconnect_push_consumer() override {}

private:
    const Demand::Receive receive_;
};

} // namespace

CosEventChannelAdmin::EventChannel_var channel(const Orb &orb, const Service &service,
                                               const std::string &name) {
    const std::string key = key_of(name);
    return told("event service at " + service.address, BUSMARK_UNAVAILABLE, [&] {
        std::string reason;
        for (int i = 0; i < 100; ++i) {
            auto found = find(orb, service, key);
            if (!CORBA::is_nil(found)) {
                limit_calls(found, CONTROL_LIMIT_MS);
                return found;
            }
            if (i % 10 == 0) reason = make(orb, service, key);
            else std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        throw busmark::Error(BUSMARK_FAILED, "the event service makes no channel " + key + ": " + reason);
    });
}

Supply::Supply(CosEventChannelAdmin::EventChannel_ptr channel) {
    told("connecting a supplier to the channel", BUSMARK_FAILED, [&] {
        const CosEventChannelAdmin::SupplierAdmin_var admin = channel->for_suppliers();
        proxy_ = admin->obtain_push_consumer();
        proxy_->connect_push_supplier(CosEventComm::PushSupplier::_nil());
    });
}

Supply::~Supply() {
    limit_calls(proxy_, CONTROL_LIMIT_MS);
    tolerant([&] { proxy_->disconnect_push_consumer(); });
}

Demand::Demand(const Orb &orb, CosEventChannelAdmin::EventChannel_ptr channel, Receive receive)
    : objects_(orb, true) {
    told("connecting a consumer to the channel", BUSMARK_FAILED, [&] {
        const CORBA::Object_var object = objects_.activate(new ConsumerServant(std::move(receive)));
        const CosEventComm::PushConsumer_var self = CosEventComm::PushConsumer::_narrow(object);
        const CosEventChannelAdmin::ConsumerAdmin_var admin = channel->for_consumers();
        const CosEventChannelAdmin::ProxyPushSupplier_var proxy = admin->obtain_push_supplier();
        proxy->connect_push_consumer(self);
    });
}

} // namespace busmark_omnievents
