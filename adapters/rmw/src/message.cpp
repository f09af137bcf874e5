#include "message.hpp"

#include "failure.hpp"
#include "type_support.hpp"

namespace ros_adapter {

Serialized::Serialized() {
    const rcutils_allocator_t allocator = rcutils_get_default_allocator();
    if (rmw_serialized_message_init(&bytes, 0, &allocator) != RMW_RET_OK)
        throw busmark::Error(BUSMARK_RESOURCES, "no memory for a serialised message: " + words());
}
Serialized::~Serialized() { (void)!rmw_serialized_message_fini(&bytes); }

SerializedSample::SerializedSample(decltype(&rmw_serialize) serialize, const Message &message) {
    check(serialize(&message, message_type_support(), &bytes), "a message is not serialised");
}

} // namespace ros_adapter
