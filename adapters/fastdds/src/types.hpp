// Payload kinds and the types of idl/busmark.idl that carry them, as fastddsgen makes them.
#pragma once

#include <busmark_adapter.hpp>

#include "busmark.h"
#include "busmarkPubSubTypes.h"

#include <cstring>
#include <type_traits>
#include <vector>

namespace fastdds_adapter {

/// A body as it lies in a native sample.
struct Body {
    const void *data;
    uint64_t bytes;
};

inline void assign(busmark::Header &to, const busmark_header_t &from) {
    to.cookie(from.cookie);
    to.seq(from.seq);
    to.intended_ns(from.intended_ns);
    to.sent_ns(from.sent_ns);
    to.echo_sent_ns(from.echo_sent_ns);
    to.echo_delivered_ns(from.echo_delivered_ns);
    to.echo_read_ns(from.echo_read_ns);
    to.writer_id(from.writer_id);
    to.flags(from.flags);
}

inline busmark_header_t plain(const busmark::Header &from) {
    return {from.cookie(),       from.seq(),
            from.intended_ns(),  from.sent_ns(),
            from.echo_sent_ns(), from.echo_delivered_ns(),
            from.echo_read_ns(), from.writer_id(),
            from.flags()};
}

// A generated structure has the members of the C structure in the same order and nothing else, so
// elements of a received sample are handed on as they lie in memory.
static_assert(std::is_standard_layout_v<busmark::StructElement> &&
              sizeof(busmark::StructElement) == sizeof(busmark_struct_t) &&
              alignof(busmark::StructElement) == alignof(busmark_struct_t));

template <class Element> void assign(std::vector<Element> &to, const void *from, size_t bytes) {
    to.resize(bytes / sizeof(Element));
    if (bytes > 0) std::memcpy(to.data(), from, bytes);
}

inline void assign(std::vector<busmark::StructElement> &to, const void *from, size_t bytes) {
    const auto *elements = static_cast<const unsigned char *>(from);
    to.resize(bytes / sizeof(busmark_struct_t));
    for (busmark::StructElement &element : to) {
        busmark_struct_t plain;
        std::memcpy(&plain, elements, sizeof plain);
        elements += sizeof plain;
        element.number(plain.number);
        std::memcpy(element.text().data(), plain.text, sizeof plain.text);
        element.real(plain.real);
    }
}

template <class Element> Body body_of(const std::vector<Element> &from) {
    return {from.data(), from.size() * sizeof(Element)};
}

/// A kind whose sample has a sequence as its body.
template <class NativeSample, class Support> struct SequenceKind {
    using Native = NativeSample;
    using TypeSupport = Support;
    static void set_body(Native &sample, const void *body, size_t bytes) {
        assign(sample.body(), body, bytes);
    }
    static Body body(const Native &sample) { return body_of(sample.body()); }
    static void set_instance(Native &, uint32_t) {}
};

using OctetKind = SequenceKind<busmark::OctetSample, busmark::OctetSamplePubSubType>;
using CharKind = SequenceKind<busmark::CharSample, busmark::CharSamplePubSubType>;
using ShortKind = SequenceKind<busmark::ShortSample, busmark::ShortSamplePubSubType>;
using FloatKind = SequenceKind<busmark::FloatSample, busmark::FloatSamplePubSubType>;
using LongKind = SequenceKind<busmark::LongSample, busmark::LongSamplePubSubType>;
using StructKind = SequenceKind<busmark::StructSample, busmark::StructSamplePubSubType>;

/// Keyed topics: octets of an instance.
struct KeyedKind : SequenceKind<busmark::KeyedSample, busmark::KeyedSamplePubSubType> {
    static void set_instance(Native &sample, uint32_t instance) { sample.instance(instance); }
};

struct EmptyKind {
    using Native = busmark::EmptySample;
    using TypeSupport = busmark::EmptySamplePubSubType;
    static void set_body(Native &, const void *, size_t) {}
    static Body body(const Native &) { return {nullptr, 0}; }
    static void set_instance(Native &, uint32_t) {}
};

/// A union that tells what it holds.
struct AnyKind {
    using Native = busmark::AnySample;
    using TypeSupport = busmark::AnySamplePubSubType;
    static void set_body(Native &sample, const void *body, size_t bytes) {
        std::vector<uint8_t> octets;
        assign(octets, body, bytes);
        sample.body().octets(std::move(octets));
    }
    static Body body(const Native &sample) {
        switch (sample.body()._d()) {
        case BUSMARK_PAYLOAD_OCTET: return body_of(sample.body().octets());
        case BUSMARK_PAYLOAD_LONG: return body_of(sample.body().longs());
        case BUSMARK_PAYLOAD_STRUCT: return body_of(sample.body().structs());
        default: return {nullptr, 0};
        }
    }
    static void set_instance(Native &, uint32_t) {}
};

} // namespace fastdds_adapter

#ifdef BUSMARK_USER_TYPE
#include "user_type.hpp"
#endif

namespace fastdds_adapter {

/// A type that says how long its samples are at most, for what needs to know.
template <class Support> class Bounded : public Support {
public:
    explicit Bounded(uint64_t max_body_bytes) {
        // Encapsulation, key, header, discriminator, length and their alignment.
        constexpr uint64_t around_body = 4 + 8 + sizeof(busmark_header_t) + 4 + 4 + 8;
        this->m_typeSize = static_cast<uint32_t>(around_body + max_body_bytes);
    }
    bool is_bounded() const override { return true; }
};

/// Calls `use` with the kind of an endpoint.
template <class Use> auto with_kind(const busmark::EndpointConfig &config, Use &&use) {
    if (config.instances > 0) return use(KeyedKind{});
    switch (config.payload) {
    case BUSMARK_PAYLOAD_EMPTY: return use(EmptyKind{});
    case BUSMARK_PAYLOAD_CHAR: return use(CharKind{});
    case BUSMARK_PAYLOAD_SHORT: return use(ShortKind{});
    case BUSMARK_PAYLOAD_FLOAT: return use(FloatKind{});
    case BUSMARK_PAYLOAD_LONG: return use(LongKind{});
    case BUSMARK_PAYLOAD_STRUCT: return use(StructKind{});
    case BUSMARK_PAYLOAD_ANY: return use(AnyKind{});
#ifdef BUSMARK_USER_TYPE
    case BUSMARK_PAYLOAD_TYPE: return use(UserKind{});
#endif
    default: return use(OctetKind{});
    }
}

} // namespace fastdds_adapter
