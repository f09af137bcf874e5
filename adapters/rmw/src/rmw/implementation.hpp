// An implementation of rmw, loaded by its name.
#pragma once

#include <rmw/event.h>
#include <rmw/rmw.h>

#include <string>

namespace ros_adapter {

/// What is called of an implementation.
#define ROS_ADAPTER_CALLS(CALL)                                                                        \
    CALL(rmw_get_implementation_identifier)                                                            \
    CALL(rmw_init_options_init)                                                                        \
    CALL(rmw_init_options_fini)                                                                        \
    CALL(rmw_init)                                                                                     \
    CALL(rmw_shutdown)                                                                                 \
    CALL(rmw_context_fini)                                                                             \
    CALL(rmw_create_node)                                                                              \
    CALL(rmw_destroy_node)                                                                             \
    CALL(rmw_create_publisher)                                                                         \
    CALL(rmw_destroy_publisher)                                                                        \
    CALL(rmw_publish)                                                                                  \
    CALL(rmw_publisher_count_matched_subscriptions)                                                    \
    CALL(rmw_create_subscription)                                                                      \
    CALL(rmw_destroy_subscription)                                                                     \
    CALL(rmw_subscription_count_matched_publishers)                                                    \
    CALL(rmw_subscription_set_on_new_message_callback)                                                 \
    CALL(rmw_take_with_info)                                                                           \
    CALL(rmw_serialize)                                                                                \
    CALL(rmw_publish_serialized_message)                                                               \
    CALL(rmw_take_serialized_message_with_info)                                                        \
    CALL(rmw_create_client)                                                                            \
    CALL(rmw_destroy_client)                                                                           \
    CALL(rmw_send_request)                                                                             \
    CALL(rmw_take_response)                                                                            \
    CALL(rmw_service_server_is_available)                                                              \
    CALL(rmw_count_services)                                                                           \
    CALL(rmw_create_service)                                                                           \
    CALL(rmw_destroy_service)                                                                          \
    CALL(rmw_take_request)                                                                             \
    CALL(rmw_send_response)                                                                            \
    CALL(rmw_count_clients)                                                                            \
    CALL(rmw_publisher_event_init)                                                                     \
    CALL(rmw_subscription_event_init)                                                                  \
    CALL(rmw_take_event)                                                                               \
    CALL(rmw_create_wait_set)                                                                          \
    CALL(rmw_destroy_wait_set)                                                                         \
    CALL(rmw_wait)

struct Implementation {
    /// Loads `lib<name>.so`; what was loaded before is given again.
    static const Implementation &load(const std::string &name);

#define ROS_ADAPTER_MEMBER(name) decltype(&::name) name;
    ROS_ADAPTER_CALLS(ROS_ADAPTER_MEMBER)
#undef ROS_ADAPTER_MEMBER
};

} // namespace ros_adapter
