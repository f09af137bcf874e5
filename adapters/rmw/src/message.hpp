// The message, requests and responses, and how each is handed over: as a message, or as bytes.
#pragma once

#include <busmark_adapter.hpp>
#include <busmark_msgs/msg/sample.h>
#include <busmark_msgs/srv/call.h>

#include <rmw/rmw.h>
#include <rosidl_runtime_c/primitives_sequence_functions.h>

#include <cstring>

namespace ros_adapter {

using Message = busmark_msgs__msg__Sample;
using Request = busmark_msgs__srv__Call_Request;
using Response = busmark_msgs__srv__Call_Response;

// As in busmark_header_t, whose members all have in the same order.
static_assert(offsetof(Message, body) == sizeof(busmark_header_t));
static_assert(offsetof(Request, body) == sizeof(busmark_header_t));
static_assert(offsetof(Response, body) == sizeof(busmark_header_t));

inline bool init(Message &message) { return busmark_msgs__msg__Sample__init(&message); }
inline bool init(Request &message) { return busmark_msgs__srv__Call_Request__init(&message); }
inline bool init(Response &message) { return busmark_msgs__srv__Call_Response__init(&message); }
inline void fini(Message &message) { busmark_msgs__msg__Sample__fini(&message); }
inline void fini(Request &message) { busmark_msgs__srv__Call_Request__fini(&message); }
inline void fini(Response &message) { busmark_msgs__srv__Call_Response__fini(&message); }

/// A message, a request or a response, which is taken into again and again.
template <class Kind> struct Owned {
    Owned() {
        if (!init(message)) throw busmark::Error(BUSMARK_RESOURCES, "no memory for a message");
    }
    ~Owned() { fini(message); }
    Owned(const Owned &) = delete;
    Owned &operator=(const Owned &) = delete;

    busmark_header_t header() const {
        busmark_header_t header;
        std::memcpy(&header, &message, sizeof header);
        return header;
    }

    Kind message;
};

/// The same, with the body that it was prepared with.
template <class Kind> struct Prepared : busmark::Sample, Owned<Kind> {
    Prepared(const void *body, size_t bytes) {
        if (!rosidl_runtime_c__uint8__Sequence__init(&this->message.body, bytes))
            throw busmark::Error(BUSMARK_RESOURCES, "no memory for a message of " + std::to_string(bytes) + " bytes");
        if (bytes > 0) std::memcpy(this->message.body.data, body, bytes);
    }
    /// The message with this header.
    Kind &with(const busmark_header_t &header) {
        std::memcpy(static_cast<void *>(&this->message), &header, sizeof header);
        return this->message;
    }
};

/// Bytes of a message: the encapsulation, the members of the header as they lie in memory, for a host of this byte
/// order serialises so, and the body after its length.
class Serialized {
public:
    Serialized();
    ~Serialized();
    Serialized(const Serialized &) = delete;
    Serialized &operator=(const Serialized &) = delete;

    /// The bytes with this header.
    rmw_serialized_message_t &with(const busmark_header_t &header) {
        std::memcpy(bytes.buffer + encapsulation_bytes, &header, sizeof header);
        return bytes;
    }

    /// Gives a message to the sink; whether the bytes are one.
    bool give(const rmw_message_info_t &info, busmark::Sink &sink) const {
        if (bytes.buffer_length < body_offset) return false;
        busmark_header_t header;
        std::memcpy(&header, bytes.buffer + encapsulation_bytes, sizeof header);
        uint32_t length = 0;
        std::memcpy(&length, bytes.buffer + body_offset - sizeof length, sizeof length);
        if (length > bytes.buffer_length - body_offset) return false;
        sink(header, bytes.buffer + body_offset, length, info.source_timestamp, info.received_timestamp);
        return true;
    }

    rmw_serialized_message_t bytes = rmw_get_zero_initialized_serialized_message();

private:
    static constexpr size_t encapsulation_bytes = 4;
    static constexpr size_t body_offset = encapsulation_bytes + sizeof(busmark_header_t) + sizeof(uint32_t);
};

/// A message as the bytes that it is sent as.
struct SerializedSample : busmark::Sample, Serialized {
    SerializedSample(decltype(&rmw_serialize) serialize, const Message &message);
};

} // namespace ros_adapter
