#include "message.hpp"

#include "failure.hpp"

#include <rosidl_runtime_c/primitives_sequence_functions.h>

#include <cstring>

extern "C" const rosidl_message_type_support_t *
rosidl_typesupport_fastrtps_c__get_message_type_support_handle__busmark_msgs__msg__Sample();
extern "C" const rosidl_message_type_support_t *
rosidl_typesupport_introspection_c__get_message_type_support_handle__busmark_msgs__msg__Sample();

namespace rmw_adapter {

namespace {

using busmark::Error;

const rosidl_message_type_support_t *fastrtps() {
    return rosidl_typesupport_fastrtps_c__get_message_type_support_handle__busmark_msgs__msg__Sample();
}

const rosidl_message_type_support_t *introspection() {
    return rosidl_typesupport_introspection_c__get_message_type_support_handle__busmark_msgs__msg__Sample();
}

/// Implementations ask for the kind of support that they can use, by its name.
const rosidl_message_type_support_t *kind_of(const rosidl_message_type_support_t *all, const char *name) {
    for (const auto *kind : {fastrtps(), introspection()})
        if (std::strcmp(kind->typesupport_identifier, name) == 0) return kind;
    return std::strcmp(all->typesupport_identifier, name) == 0 ? all : nullptr;
}

rmw_serialized_message_t no_bytes() {
    rmw_serialized_message_t bytes = rmw_get_zero_initialized_serialized_message();
    const rcutils_allocator_t allocator = rcutils_get_default_allocator();
    if (rmw_serialized_message_init(&bytes, 0, &allocator) != RMW_RET_OK)
        throw Error(BUSMARK_RESOURCES, "no memory for a serialised message: " + words());
    return bytes;
}

} // namespace

const rosidl_message_type_support_t *type_support() {
    static const rosidl_message_type_support_t all = [] {
        rosidl_message_type_support_t support = *fastrtps();
        support.typesupport_identifier = "rosidl_typesupport_c";
        support.func = kind_of;
        return support;
    }();
    return &all;
}

PreparedSample::PreparedSample(const void *body, size_t bytes) {
    if (!busmark_msgs__msg__Sample__init(&message) || !rosidl_runtime_c__uint8__Sequence__init(&message.body, bytes))
        throw Error(BUSMARK_RESOURCES, "no memory for a message of " + std::to_string(bytes) + " bytes");
    if (bytes > 0) std::memcpy(message.body.data, body, bytes);
}
PreparedSample::~PreparedSample() { busmark_msgs__msg__Sample__fini(&message); }

SerializedSample::SerializedSample(decltype(&rmw_serialize) serialize, const Message &message) : bytes(no_bytes()) {
    check(serialize(&message, type_support(), &bytes), "a message is not serialised");
}
SerializedSample::~SerializedSample() { (void)!rmw_serialized_message_fini(&bytes); }

TakenMessage::TakenMessage() : bytes(no_bytes()) {
    if (!busmark_msgs__msg__Sample__init(&message)) throw Error(BUSMARK_RESOURCES, "no memory for a message");
}
TakenMessage::~TakenMessage() {
    busmark_msgs__msg__Sample__fini(&message);
    (void)!rmw_serialized_message_fini(&bytes);
}

} // namespace rmw_adapter
