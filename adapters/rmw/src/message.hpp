// The message, and how it is handed over: as it is, or as bytes.
#pragma once

#include <busmark_adapter.hpp>
#include <busmark_msgs/msg/sample.h>

#include <rmw/rmw.h>
#include <rosidl_runtime_c/message_type_support_struct.h>

#include <cstring>

namespace rmw_adapter {

using Message = busmark_msgs__msg__Sample;

// As in busmark_header_t, whose members the message has in the same order.
static_assert(offsetof(Message, body) == sizeof(busmark_header_t));

// A message as bytes: the encapsulation, the members of the header as they lie in memory, for a host of this byte
// order serialises so, and the body after its length.
constexpr size_t encapsulation_bytes = 4;
constexpr size_t body_offset = encapsulation_bytes + sizeof(busmark_header_t) + sizeof(uint32_t);

/// The kinds of type support that implementations ask for by name.
const rosidl_message_type_support_t *type_support();

/// A message, with the body that it was prepared with.
struct PreparedSample : busmark::Sample {
    PreparedSample(const void *body, size_t bytes);
    ~PreparedSample() override;
    /// The message with this header.
    Message &with(const busmark_header_t &header) {
        std::memcpy(&message, &header, sizeof header);
        return message;
    }
    Message message;
};

/// A message as the bytes that it is sent as.
struct SerializedSample : busmark::Sample {
    SerializedSample(decltype(&rmw_serialize) serialize, const Message &message);
    ~SerializedSample() override;
    /// The bytes with this header.
    rmw_serialized_message_t &with(const busmark_header_t &header) {
        std::memcpy(bytes.buffer + encapsulation_bytes, &header, sizeof header);
        return bytes;
    }
    rmw_serialized_message_t bytes;
};

/// What is taken into, again and again.
class TakenMessage {
public:
    TakenMessage();
    ~TakenMessage();
    TakenMessage(const TakenMessage &) = delete;
    TakenMessage &operator=(const TakenMessage &) = delete;

    Message message;
    rmw_serialized_message_t bytes;

    /// Gives the message to the sink.
    void give(const rmw_message_info_t &info, busmark::Sink &sink) const {
        busmark_header_t header;
        std::memcpy(&header, &message, sizeof header);
        sink(header, message.body.data, message.body.size, info.source_timestamp, info.received_timestamp);
    }
    /// The same of the bytes; whether they are a message.
    bool give_bytes(const rmw_message_info_t &info, busmark::Sink &sink) const {
        if (bytes.buffer_length < body_offset) return false;
        busmark_header_t header;
        std::memcpy(&header, bytes.buffer + encapsulation_bytes, sizeof header);
        uint32_t length = 0;
        std::memcpy(&length, bytes.buffer + body_offset - sizeof length, sizeof length);
        if (length > bytes.buffer_length - body_offset) return false;
        sink(header, bytes.buffer + body_offset, length, info.source_timestamp, info.received_timestamp);
        return true;
    }
};

} // namespace rmw_adapter
