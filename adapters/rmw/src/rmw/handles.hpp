// What endpoints call of rmw. rcl has the same under the same names.
#pragma once

#include "node.hpp"

#include <failure.hpp>
#include <message.hpp>
#include <qos.hpp>

#include <rmw/event_callback_type.h>

namespace rmw_adapter {

class Publisher {
public:
    Publisher(Node &node, const std::string &topic, const rmw_qos_profile_t &qos)
        : node_(node), rmw_(node.rmw()) {
        const rmw_publisher_options_t options = rmw_get_default_publisher_options();
        native = made(rmw_.rmw_create_publisher(node.native(), type_support(), topic.c_str(), &qos, &options),
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
        native = made(rmw_.rmw_create_subscription(node.native(), type_support(), topic.c_str(), &qos, &options),
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

/// Waits for one subscription.
class WaitSet {
public:
    WaitSet(Node &node, Subscription &subscription)
        : rmw_(node.rmw()), waited_(subscription.native->data),
          set_(made(rmw_.rmw_create_wait_set(&node.context(), 1), "wait set")) {}
    ~WaitSet() { (void)!rmw_.rmw_destroy_wait_set(set_); }
    rmw_ret_t wait(int64_t timeout_ns) {
        void *waited[] = {waited_};
        rmw_subscriptions_t subscriptions{1, waited};
        const rmw_time_t timeout = time_of(timeout_ns);
        return rmw_.rmw_wait(&subscriptions, nullptr, nullptr, nullptr, nullptr, set_, &timeout);
    }

private:
    const Implementation &rmw_;
    void *waited_;
    rmw_wait_set_t *set_;
};

} // namespace rmw_adapter
