// Type support of the message and of the service, in the kinds that implementations ask for by name.
#pragma once

#include <busmark_msgs/msg/sample.h>
#include <busmark_msgs/srv/call.h>

namespace ros_adapter {

inline const rosidl_message_type_support_t *message_type_support() {
    return ROSIDL_GET_MSG_TYPE_SUPPORT(busmark_msgs, msg, Sample);
}

inline const rosidl_service_type_support_t *service_type_support() {
    return ROSIDL_GET_SRV_TYPE_SUPPORT(busmark_msgs, srv, Call);
}

} // namespace ros_adapter
