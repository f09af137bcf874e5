// What rosidl_typesupport_c generates, but that nothing is loaded by its name: the kinds are in this library.
#include "type_support.hpp"

#include <cstring>
#include <initializer_list>

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

#define BUSMARK_EVERY_KIND(interface, folder, type)                                                                    \
    extern "C" {                                                                                                       \
    const rosidl_##interface##_type_support_t *                                                                        \
        rosidl_typesupport_fastrtps_c__get_##interface##_type_support_handle__busmark_msgs__##folder##__##type();      \
    const rosidl_##interface##_type_support_t *                                                                        \
        rosidl_typesupport_introspection_c__get_##interface##_type_support_handle__busmark_msgs__##folder##__##type(); \
    const rosidl_##interface##_type_support_t *                                                                        \
        rosidl_typesupport_c__get_##interface##_type_support_handle__busmark_msgs__##folder##__##type() {              \
        return every_kind<                                                                                             \
            rosidl_##interface##_type_support_t,                                                                       \
            rosidl_typesupport_fastrtps_c__get_##interface##_type_support_handle__busmark_msgs__##folder##__##type,    \
            rosidl_typesupport_introspection_c__get_##interface##_type_support_handle__busmark_msgs__##folder##__##type>(); \
    }                                                                                                                  \
    }

BUSMARK_EVERY_KIND(message, msg, Sample)
BUSMARK_EVERY_KIND(message, srv, Call_Request)
BUSMARK_EVERY_KIND(message, srv, Call_Response)
BUSMARK_EVERY_KIND(message, srv, Call_Event)
BUSMARK_EVERY_KIND(service, srv, Call)
