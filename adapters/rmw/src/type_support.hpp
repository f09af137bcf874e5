// Type support of the message and of the service, in the kinds that implementations ask for by name.
#pragma once

#include <rosidl_runtime_c/message_type_support_struct.h>
#include <rosidl_runtime_c/service_type_support_struct.h>

namespace rmw_adapter {

const rosidl_message_type_support_t *message_type_support();
const rosidl_service_type_support_t *service_type_support();

} // namespace rmw_adapter
