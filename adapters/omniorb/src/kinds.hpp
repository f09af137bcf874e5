/* SPDX-License-Identifier: Apache-2.0
 *
 * The payload kinds as CORBA types: how a body gets into a sample and where it lies in one.
 */
#ifndef BUSMARK_OMNIORB_KINDS_HPP
#define BUSMARK_OMNIORB_KINDS_HPP

#include <busmark_adapter.hpp>
#include <busmark_corba.hh>

#include <cstring>
#include <type_traits>

namespace busmark_omniorb {

static_assert(sizeof(busmark::Header) == sizeof(busmark_header_t) &&
                  alignof(busmark::Header) == alignof(busmark_header_t),
              "the header of the IDL file is the contract's");
static_assert(sizeof(busmark::StructElement) == sizeof(busmark_struct_t),
              "the element of the IDL file is the contract's");

/// A body as it lies in a sample.
struct View {
    const void *data = nullptr;
    size_t bytes = 0;
};

struct EmptyKind {
    using Sample = busmark::EmptySample;
    using Consumer = busmark_corba::EmptyConsumer;
    using Skeleton = POA_busmark_corba::EmptyConsumer;
    static void fill(Sample &, const void *, size_t) {}
    static View view(const Sample &) { return {}; }
};

/// A kind whose body is a sequence.
template <class SampleType, class ConsumerType, class SkeletonType> struct SequenceKind {
    using Sample = SampleType;
    using Consumer = ConsumerType;
    using Skeleton = SkeletonType;
    using Element = std::remove_pointer_t<decltype(std::declval<Sample &>().body.get_buffer())>;

    static void fill(Sample &sample, const void *body, size_t bytes) {
        sample.body.length(static_cast<CORBA::ULong>(bytes / sizeof(Element)));
        if (bytes > 0) std::memcpy(static_cast<void *>(sample.body.get_buffer()), body, bytes);
    }
    static View view(const Sample &sample) {
        return {sample.body.get_buffer(), sample.body.length() * sizeof(Element)};
    }
};

using OctetKind = SequenceKind<busmark::OctetSample, busmark_corba::OctetConsumer,
                               POA_busmark_corba::OctetConsumer>;
using CharKind = SequenceKind<busmark::CharSample, busmark_corba::CharConsumer,
                              POA_busmark_corba::CharConsumer>;
using ShortKind = SequenceKind<busmark::ShortSample, busmark_corba::ShortConsumer,
                               POA_busmark_corba::ShortConsumer>;
using FloatKind = SequenceKind<busmark::FloatSample, busmark_corba::FloatConsumer,
                               POA_busmark_corba::FloatConsumer>;
using LongKind = SequenceKind<busmark::LongSample, busmark_corba::LongConsumer,
                              POA_busmark_corba::LongConsumer>;
using StructKind = SequenceKind<busmark::StructSample, busmark_corba::StructConsumer,
                                POA_busmark_corba::StructConsumer>;

struct AnyKind {
    using Sample = busmark_corba::AnySample;
    using Consumer = busmark_corba::AnyConsumer;
    using Skeleton = POA_busmark_corba::AnyConsumer;

    static void fill(Sample &sample, const void *body, size_t bytes) {
        auto *octets = new busmark_corba::Octets;
        octets->length(static_cast<CORBA::ULong>(bytes));
        if (bytes > 0) std::memcpy(octets->get_buffer(), body, bytes);
        sample.body <<= octets; // which owns them now
    }
    /// What is not octets comes from a stranger and gives an empty body.
    static View view(const Sample &sample) {
        const busmark_corba::Octets *octets = nullptr;
        if (!(sample.body >>= octets)) return {};
        return {octets->get_buffer(), octets->length()};
    }
};

/// Calls `use` with the kind that has this number.
template <class Use> auto with_kind(busmark_payload_e payload, Use &&use) {
    switch (payload) {
    case BUSMARK_PAYLOAD_EMPTY: return use(EmptyKind{});
    case BUSMARK_PAYLOAD_CHAR: return use(CharKind{});
    case BUSMARK_PAYLOAD_SHORT: return use(ShortKind{});
    case BUSMARK_PAYLOAD_FLOAT: return use(FloatKind{});
    case BUSMARK_PAYLOAD_LONG: return use(LongKind{});
    case BUSMARK_PAYLOAD_STRUCT: return use(StructKind{});
    case BUSMARK_PAYLOAD_ANY: return use(AnyKind{});
    case BUSMARK_PAYLOAD_OCTET: break;
    }
    return use(OctetKind{});
}

} // namespace busmark_omniorb

#endif
