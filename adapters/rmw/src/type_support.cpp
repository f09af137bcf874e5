#include "type_support.hpp"

#include <cstring>
#include <initializer_list>

#define BUSMARK_TYPE_SUPPORT(kind, interface, type)                                                                    \
    rosidl_typesupport_##kind##__get_##interface##_type_support_handle__busmark_msgs__##type
extern "C" {
const rosidl_message_type_support_t *BUSMARK_TYPE_SUPPORT(fastrtps_c, message, msg__Sample)();
const rosidl_message_type_support_t *BUSMARK_TYPE_SUPPORT(introspection_c, message, msg__Sample)();
const rosidl_service_type_support_t *BUSMARK_TYPE_SUPPORT(fastrtps_c, service, srv__Call)();
const rosidl_service_type_support_t *BUSMARK_TYPE_SUPPORT(introspection_c, service, srv__Call)();
}

namespace rmw_adapter {

namespace {

/// Support that finds the kind that it is asked for.
template <class Support, const Support *(*fastrtps)(), const Support *(*introspection)()> const Support *every_kind() {
    static const Support all = [] {
        Support support = *fastrtps();
        support.typesupport_identifier = "rosidl_typesupport_c";
        support.func = [](const Support *asked, const char *name) -> const Support * {
            for (const Support *kind : {fastrtps(), introspection()})
                if (std::strcmp(kind->typesupport_identifier, name) == 0) return kind;
            return std::strcmp(asked->typesupport_identifier, name) == 0 ? asked : nullptr;
        };
        return support;
    }();
    return &all;
}

} // namespace

const rosidl_message_type_support_t *message_type_support() {
    return every_kind<rosidl_message_type_support_t, BUSMARK_TYPE_SUPPORT(fastrtps_c, message, msg__Sample),
                      BUSMARK_TYPE_SUPPORT(introspection_c, message, msg__Sample)>();
}

const rosidl_service_type_support_t *service_type_support() {
    return every_kind<rosidl_service_type_support_t, BUSMARK_TYPE_SUPPORT(fastrtps_c, service, srv__Call),
                      BUSMARK_TYPE_SUPPORT(introspection_c, service, srv__Call)>();
}

} // namespace rmw_adapter
