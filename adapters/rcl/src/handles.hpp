// What endpoints call of rcl. rmw has the same under the same names.
#pragma once

#include "node.hpp"

#include <failure.hpp>
#include <message.hpp>
#include <qos.hpp>
#include <type_support.hpp>

#include <rcl/error_handling.h>
#include <rcl/event.h>
#include <rcl/graph.h>

namespace ros_adapter {

/// rcl fails where there is nothing to take.
inline rcl_ret_t taken(rcl_ret_t code, rcl_ret_t nothing, bool &there) {
    there = code == RCL_RET_OK;
    if (code != nothing) return code;
    rcl_reset_error();
    return RCL_RET_OK;
}

class Publisher {
public:
    Publisher(Node &node, const std::string &topic, const rmw_qos_profile_t &qos) : node_(node) {
        rcl_publisher_options_t options = rcl_publisher_get_default_options();
        options.qos = qos;
        check(rcl_publisher_init(&native, node.native(), message_type_support(), topic.c_str(), &options),
              "publisher of \"" + topic + "\" was not made");
    }
    ~Publisher() { (void)!rcl_publisher_fini(&native, node_.native()); }
    rcl_ret_t publish(const Message &message) { return rcl_publish(&native, &message, nullptr); }
    rcl_ret_t publish(const rmw_serialized_message_t &bytes) {
        return rcl_publish_serialized_message(&native, &bytes, nullptr);
    }
    rcl_ret_t matched(size_t &count) { return rcl_publisher_get_subscription_count(&native, &count); }

    rcl_publisher_t native = rcl_get_zero_initialized_publisher();

private:
    Node &node_;
};

class Subscription {
public:
    Subscription(Node &node, const std::string &topic, const rmw_qos_profile_t &qos) : node_(node) {
        rcl_subscription_options_t options = rcl_subscription_get_default_options();
        options.qos = qos;
        check(rcl_subscription_init(&native, node.native(), message_type_support(), topic.c_str(), &options),
              "subscription to \"" + topic + "\" was not made");
    }
    ~Subscription() { (void)!rcl_subscription_fini(&native, node_.native()); }
    rcl_ret_t on_message(rcl_event_callback_t call, const void *context) {
        return rcl_subscription_set_on_new_message_callback(&native, call, context);
    }
    rcl_ret_t take(Message &message, bool &there, rmw_message_info_t &info) {
        return taken(rcl_take(&native, &message, &info, nullptr), RCL_RET_SUBSCRIPTION_TAKE_FAILED, there);
    }
    rcl_ret_t take(rmw_serialized_message_t &bytes, bool &there, rmw_message_info_t &info) {
        return taken(rcl_take_serialized_message(&native, &bytes, &info, nullptr), RCL_RET_SUBSCRIPTION_TAKE_FAILED,
                     there);
    }
    rcl_ret_t matched(size_t &count) { return rcl_subscription_get_publisher_count(&native, &count); }

    static constexpr size_t subscriptions_waited_for = 1, clients_waited_for = 0, servers_waited_for = 0;
    rcl_ret_t add_to(rcl_wait_set_t *set) { return rcl_wait_set_add_subscription(set, &native, nullptr); }

    rcl_subscription_t native = rcl_get_zero_initialized_subscription();

private:
    Node &node_;
};

/// The event of a deadline that was missed.
class DeadlineMissed {
public:
    DeadlineMissed(Node &, Publisher &publisher)
        : there_(rcl_publisher_event_init(&event_, &publisher.native, RCL_PUBLISHER_OFFERED_DEADLINE_MISSED) ==
                 RCL_RET_OK) {}
    DeadlineMissed(Node &, Subscription &subscription)
        : there_(rcl_subscription_event_init(&event_, &subscription.native,
                                             RCL_SUBSCRIPTION_REQUESTED_DEADLINE_MISSED) == RCL_RET_OK) {}
    ~DeadlineMissed() {
        if (there_) (void)!rcl_event_fini(&event_);
    }
    /// Whether the implementation has it.
    bool there() const { return there_; }
    rcl_ret_t take(void *status, bool &there) {
        return taken(rcl_take_event(&event_, status), RCL_RET_EVENT_TAKE_FAILED, there);
    }

private:
    rcl_event_t event_ = rcl_get_zero_initialized_event();
    bool there_;
};

class ClientHandle {
public:
    ClientHandle(Node &node, const std::string &name, const rmw_qos_profile_t &qos) : node_(node), name_(name) {
        rcl_client_options_t options = rcl_client_get_default_options();
        options.qos = qos;
        check(rcl_client_init(&native_, node.native(), service_type_support(), name.c_str(), &options),
              "client of \"" + name + "\" was not made");
    }
    ~ClientHandle() { (void)!rcl_client_fini(&native_, node_.native()); }
    rcl_ret_t send(const Request &request, int64_t &number) { return rcl_send_request(&native_, &request, &number); }
    rcl_ret_t take(Response &response, bool &there, rmw_service_info_t &info) {
        return taken(rcl_take_response_with_info(&native_, &info, &response), RCL_RET_CLIENT_TAKE_FAILED, there);
    }
    rcl_ret_t available(bool &found) { return rcl_service_server_is_available(node_.native(), &native_, &found); }
    rcl_ret_t servers(size_t &count) { return rcl_count_services(node_.native(), name_.c_str(), &count); }

    static constexpr size_t subscriptions_waited_for = 0, clients_waited_for = 1, servers_waited_for = 0;
    rcl_ret_t add_to(rcl_wait_set_t *set) { return rcl_wait_set_add_client(set, &native_, nullptr); }

private:
    Node &node_;
    const std::string name_;
    rcl_client_t native_ = rcl_get_zero_initialized_client();
};

class ServerHandle {
public:
    ServerHandle(Node &node, const std::string &name, const rmw_qos_profile_t &qos) : node_(node), name_(name) {
        rcl_service_options_t options = rcl_service_get_default_options();
        options.qos = qos;
        check(rcl_service_init(&native_, node.native(), service_type_support(), name.c_str(), &options),
              "server of \"" + name + "\" was not made");
    }
    ~ServerHandle() { (void)!rcl_service_fini(&native_, node_.native()); }
    rcl_ret_t send(rmw_request_id_t &id, Response &response) { return rcl_send_response(&native_, &id, &response); }
    rcl_ret_t take(Request &request, bool &there, rmw_service_info_t &info) {
        return taken(rcl_take_request_with_info(&native_, &info, &request), RCL_RET_SERVICE_TAKE_FAILED, there);
    }
    rcl_ret_t clients(size_t &count) { return rcl_count_clients(node_.native(), name_.c_str(), &count); }

    static constexpr size_t subscriptions_waited_for = 0, clients_waited_for = 0, servers_waited_for = 1;
    rcl_ret_t add_to(rcl_wait_set_t *set) { return rcl_wait_set_add_service(set, &native_, nullptr); }

private:
    Node &node_;
    const std::string name_;
    rcl_service_t native_ = rcl_get_zero_initialized_service();
};

/// Waits for one subscription, client or server, as an executor does: what is waited for is named anew each time.
template <class Waited> class WaitSet {
public:
    WaitSet(Node &node, Waited &waited) : waited_(waited) {
        check(rcl_wait_set_init(&set_, Waited::subscriptions_waited_for, 0, 0, Waited::clients_waited_for,
                                Waited::servers_waited_for, 0, node.context(), rcl_get_default_allocator()),
              "wait set");
    }
    ~WaitSet() { (void)!rcl_wait_set_fini(&set_); }
    rcl_ret_t wait(int64_t timeout_ns) {
        rcl_ret_t code = rcl_wait_set_clear(&set_);
        if (code == RCL_RET_OK) code = waited_.add_to(&set_);
        return code == RCL_RET_OK ? rcl_wait(&set_, timeout_ns) : code;
    }

private:
    Waited &waited_;
    rcl_wait_set_t set_ = rcl_get_zero_initialized_wait_set();
};

} // namespace ros_adapter
