// The payload kind `type`: idl/user_sample.idl.in with the user's type, as fastddsgen makes it.
#pragma once

#include "series.hpp"

#include <busmark_adapter.hpp>

#include "user_sample.h"
#include "user_samplePubSubTypes.h"


#include <algorithm>
#include <cstring>
#include <vector>

namespace fastdds_adapter {

/// A sample that can hold its body as CDR too, where that is asked for.
struct UserNative : busmark::UserSample {
    mutable std::vector<unsigned char> cdr;
};

struct UserKind {
    using Native = UserNative;
    using TypeSupport = busmark::UserSamplePubSubType;

    /// In CDR the body follows the header, whose size keeps every alignment.
    static constexpr size_t before_body = 4 + sizeof(busmark_header_t);
    static_assert(sizeof(busmark_header_t) % 8 == 0);

    static void set_body(Native &sample, const void *body, size_t bytes) {
        rtps::SerializedPayload_t payload(static_cast<uint32_t>(before_body + bytes));
        payload.length = payload.max_size;
        std::memset(payload.data, 0, before_body);
        payload.data[1] = 1; // plain CDR, little-endian
        if (bytes > 0) std::memcpy(payload.data + before_body, body, bytes);
        if (!read(payload, sample) || !holds(sample, body, bytes))
            throw busmark::Error(BUSMARK_INVALID, "the body of " + std::to_string(bytes) +
                                                      " bytes is no value of " BUSMARK_USER_TYPE
                                                      " in CDR");
    }

    static Body body(const Native &sample) {
        if ((sample.header().flags() & BUSMARK_FLAG_CHECKED) == 0) return {nullptr, 0};
        serialise(sample);
        return {sample.cdr.data() + before_body, sample.cdr.size() - before_body};
    }

    /// What fastddsgen makes must not be copied: it frees memory that a copy would share.
    template <class Type, class... More>
    static Type *make_type(const busmark::EndpointConfig &, More... more) {
        return new Type(more...);
    }
    static void set_header(Native &sample, const busmark_header_t &from) {
        busmark::Header &to = sample.header();
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
    static busmark_header_t header(const Native &sample) {
        const busmark::Header &from = sample.header();
        return {from.cookie(),       from.seq(),
                from.intended_ns(),  from.sent_ns(),
                from.echo_sent_ns(), from.echo_delivered_ns(),
                from.echo_read_ns(), from.writer_id(),
                from.flags()};
    }
    static void set_instance(Native &, uint32_t) {}

private:
    /// Bytes that are no value may ask for any amount of memory.
    static bool read(rtps::SerializedPayload_t &payload, Native &sample) {
        try {
            return TypeSupport().deserialize(&payload, static_cast<busmark::UserSample *>(&sample));
        } catch (const std::exception &) {
            return false;
        }
    }

    static bool holds(const Native &sample, const void *body, size_t bytes) {
        serialise(sample);
        return sample.cdr.size() == before_body + bytes &&
               std::memcmp(sample.cdr.data() + before_body, body, bytes) == 0;
    }

    static void serialise(const Native &sample) {
        auto *native = const_cast<busmark::UserSample *>(static_cast<const busmark::UserSample *>(&sample));
        TypeSupport support;
        // Fast CDR does not clear padding. The library's size includes the encapsulation.
        sample.cdr.assign(support.getSerializedSizeProvider(native)(), 0);
        rtps::SerializedPayload_t payload;
        payload.data = sample.cdr.data();
        payload.max_size = static_cast<uint32_t>(sample.cdr.size());
        const bool done = support.serialize(native, &payload);
        payload.data = nullptr; // It is not the payload's.
        if (!done) throw busmark::Error(BUSMARK_FAILED, "Fast CDR does not serialise the sample");
        sample.cdr.resize(payload.length);
    }
};

} // namespace fastdds_adapter
