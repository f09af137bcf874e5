// What endpoints call of rmw. rcl has the same under the same names.
#pragma once

#include "node.hpp"

#include <failure.hpp>
#include <message.hpp>
#include <qos.hpp>
#include <type_support.hpp>

#include <rmw/event_callback_type.h>

namespace ros_adapter {

class Publisher {
public:
    Publisher(Node &node, const std::string &topic, const rmw_qos_profile_t &qos)
        : node_(node), rmw_(node.rmw()) {
        const rmw_publisher_options_t options = rmw_get_default_publisher_options();
        native = made(rmw_.rmw_create_publisher(node.native(), message_type_support(), topic.c_str(), &qos, &options),
                      "publisher of \"" + topic + "\"");
    }
    ~Publisher() { (void)!rmw_.rmw_destroy_publisher(node_.native(), native); }
    rmw_ret_t publish(const Message &message) { return rmw_.rmw_publish(native, &message, nullptr); }
    rmw_ret_t publish(const rmw_serialized_message_t &bytes) {
        return rmw_.rmw_publish_serialized_message(native, &bytes, nullptr);
    }
    rmw_ret_t matched(size_t &count) { return rmw_.rmw_publisher_count_matched_subscriptions(native, &count); }

    rmw_publisher_t *native;

private:
    Node &node_;
    const Implementation &rmw_;
};

class Subscription {
public:
    Subscription(Node &node, const std::string &topic, const rmw_qos_profile_t &qos) : node_(node), rmw_(node.rmw()) {
        const rmw_subscription_options_t options = rmw_get_default_subscription_options();
        native = made(rmw_.rmw_create_subscription(node.native(), message_type_support(), topic.c_str(), &qos, &options),
                      "subscription to \"" + topic + "\"");
    }
    ~Subscription() { (void)!rmw_.rmw_destroy_subscription(node_.native(), native); }
    rmw_ret_t on_message(rmw_event_callback_t call, const void *context) {
        return rmw_.rmw_subscription_set_on_new_message_callback(native, call, context);
    }
    rmw_ret_t take(Message &message, bool &there, rmw_message_info_t &info) {
        return rmw_.rmw_take_with_info(native, &message, &there, &info, nullptr);
    }
    rmw_ret_t take(rmw_serialized_message_t &bytes, bool &there, rmw_message_info_t &info) {
        return rmw_.rmw_take_serialized_message_with_info(native, &bytes, &there, &info, nullptr);
    }
    rmw_ret_t matched(size_t &count) { return rmw_.rmw_subscription_count_matched_publishers(native, &count); }

    rmw_ret_t wait(rmw_wait_set_t *set, const rmw_time_t &timeout) {
        void *waited[] = {native->data};
        rmw_subscriptions_t subscriptions{1, waited};
        return rmw_.rmw_wait(&subscriptions, nullptr, nullptr, nullptr, nullptr, set, &timeout);
    }

    rmw_subscription_t *native;

private:
    Node &node_;
    const Implementation &rmw_;
};

/// The event of a deadline that was missed.
class DeadlineMissed {
public:
    DeadlineMissed(Node &node, Publisher &publisher)
        : rmw_(node.rmw()), there_(rmw_.rmw_publisher_event_init(&event_, publisher.native,
                                                                 RMW_EVENT_OFFERED_DEADLINE_MISSED) == RMW_RET_OK) {}
    DeadlineMissed(Node &node, Subscription &subscription)
        : rmw_(node.rmw()), there_(rmw_.rmw_subscription_event_init(&event_, subscription.native,
                                                                    RMW_EVENT_REQUESTED_DEADLINE_MISSED) == RMW_RET_OK) {}
    ~DeadlineMissed() {
        if (there_) (void)!rmw_event_fini(&event_);
    }
    /// Whether the implementation has it.
    bool there() const { return there_; }
    rmw_ret_t take(void *status, bool &taken) { return rmw_.rmw_take_event(&event_, status, &taken); }

private:
    const Implementation &rmw_;
    rmw_event_t event_ = rmw_get_zero_initialized_event();
    bool there_;
};

class ClientHandle {
public:
    ClientHandle(Node &node, const std::string &name, const rmw_qos_profile_t &qos)
        : node_(node), rmw_(node.rmw()), name_(name),
          native_(made(rmw_.rmw_create_client(node.native(), service_type_support(), name.c_str(), &qos),
                       "client of \"" + name + "\"")) {}
    ~ClientHandle() { (void)!rmw_.rmw_destroy_client(node_.native(), native_); }
    rmw_ret_t send(const Request &request, int64_t &number) { return rmw_.rmw_send_request(native_, &request, &number); }
    rmw_ret_t take(Response &response, bool &there, rmw_service_info_t &info) {
        return rmw_.rmw_take_response(native_, &info, &response, &there);
    }
    rmw_ret_t available(bool &found) { return rmw_.rmw_service_server_is_available(node_.native(), native_, &found); }
    rmw_ret_t servers(size_t &count) { return rmw_.rmw_count_services(node_.native(), name_.c_str(), &count); }
    rmw_ret_t wait(rmw_wait_set_t *set, const rmw_time_t &timeout) {
        void *waited[] = {native_->data};
        rmw_clients_t clients{1, waited};
        return rmw_.rmw_wait(nullptr, nullptr, nullptr, &clients, nullptr, set, &timeout);
    }

private:
    Node &node_;
    const Implementation &rmw_;
    const std::string name_;
    rmw_client_t *native_;
};

class ServerHandle {
public:
    ServerHandle(Node &node, const std::string &name, const rmw_qos_profile_t &qos)
        : node_(node), rmw_(node.rmw()), name_(name),
          native_(made(rmw_.rmw_create_service(node.native(), service_type_support(), name.c_str(), &qos),
                       "server of \"" + name + "\"")) {}
    ~ServerHandle() { (void)!rmw_.rmw_destroy_service(node_.native(), native_); }
    rmw_ret_t send(rmw_request_id_t &id, Response &response) { return rmw_.rmw_send_response(native_, &id, &response); }
    rmw_ret_t take(Request &request, bool &there, rmw_service_info_t &info) {
        return rmw_.rmw_take_request(native_, &info, &request, &there);
    }
    rmw_ret_t clients(size_t &count) { return rmw_.rmw_count_clients(node_.native(), name_.c_str(), &count); }
    rmw_ret_t wait(rmw_wait_set_t *set, const rmw_time_t &timeout) {
        void *waited[] = {native_->data};
        rmw_services_t services{1, waited};
        return rmw_.rmw_wait(nullptr, nullptr, &services, nullptr, nullptr, set, &timeout);
    }

private:
    Node &node_;
    const Implementation &rmw_;
    const std::string name_;
    rmw_service_t *native_;
};

/// Waits for one subscription, client or server.
template <class Waited> class WaitSet {
public:
    WaitSet(Node &node, Waited &waited)
        : rmw_(node.rmw()), waited_(waited), set_(made(rmw_.rmw_create_wait_set(&node.context(), 1), "wait set")) {}
    ~WaitSet() { (void)!rmw_.rmw_destroy_wait_set(set_); }
    rmw_ret_t wait(int64_t timeout_ns) { return waited_.wait(set_, time_of(timeout_ns)); }

private:
    const Implementation &rmw_;
    Waited &waited_;
    rmw_wait_set_t *set_;
};

} // namespace ros_adapter
