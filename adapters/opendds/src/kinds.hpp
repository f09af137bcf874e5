// Between the contract's samples and the types that OpenDDS generates from idl/busmark.idl.
#ifndef BUSMARK_OPENDDS_KINDS_HPP
#define BUSMARK_OPENDDS_KINDS_HPP

#include "body.hpp"
#include "busmark_typesTypeSupportImpl.h"
#ifdef BUSMARK_USER_TYPE
#include "user_type.hpp"
#endif

#include <cstring>
#include <type_traits>

namespace opendds {

static_assert(sizeof(busmark::Header) == sizeof(busmark_header_t) &&
                  std::is_trivially_copyable_v<busmark::Header>,
              "the header has the layout of the contract");
static_assert(sizeof(busmark::StructElement) == sizeof(busmark_struct_t) &&
                  std::is_trivially_copyable_v<busmark::StructElement>,
              "the element has the layout of the contract");

template <class Sequence> void fill(Sequence &sequence, const void *body, size_t bytes) {
    using Element = std::remove_reference_t<decltype(sequence[0])>;
    static_assert(std::is_trivially_copyable_v<Element>);
    sequence.length(static_cast<CORBA::ULong>(bytes / sizeof(Element)));
    if (bytes > 0) std::memcpy(sequence.get_buffer(), body, bytes);
}

template <class Sequence> Body view(const Sequence &sequence) {
    using Element = std::remove_reference_t<decltype(sequence[0])>;
    return {sequence.get_buffer(), sequence.length() * sizeof(Element)};
}

template <class Message> void set_body(Message &message, const void *body, size_t bytes) {
    fill(message.body, body, bytes);
}
template <class Message> Body body_of(const Message &message) { return view(message.body); }

inline void set_body(busmark::EmptySample &, const void *, size_t) {}
inline Body body_of(const busmark::EmptySample &) { return {nullptr, 0}; }

inline void set_body(busmark::AnySample &message, const void *body, size_t bytes) {
    std::decay_t<decltype(message.body.octets())> octets;
    fill(octets, body, bytes);
    message.body.octets(octets);
}
inline Body body_of(const busmark::AnySample &message) {
    // Busmark sends octets; what comes from elsewhere is not ours to read.
    if (message.body._d() != BUSMARK_PAYLOAD_OCTET) return {nullptr, 0};
    return view(message.body.octets());
}

/// Which instance of a keyed topic a sample belongs to (C27); other types have none.
template <class Message> void set_instance(Message &, uint32_t) {}
inline void set_instance(busmark::KeyedSample &message, uint32_t instance) {
    message.instance = instance;
}

} // namespace opendds

#endif
