// The sample of the loops: of Debian's library by code of fastddsgen, of the others, for which no
// package has a generator, by the adapter's own serialisation.
#pragma once

#include <bare.hpp>

#ifdef BARE_GENERATED_TYPE
#include "busmark.h"
#include "busmarkPubSubTypes.h"
#else
#include <types.hpp>
#endif

namespace bare {

#ifdef BARE_GENERATED_TYPE

using Sample = busmark::OctetSample;

inline void fill(Sample &sample, size_t bytes) { sample.body().resize(bytes, 1); }

inline void assign(Sample &sample, const Header &from) {
    busmark::Header &to = sample.header();
    to.cookie(from.cookie);
    to.seq(from.seq);
    to.intended_ns(from.times[0]);
    to.sent_ns(from.times[1]);
    to.echo_sent_ns(from.times[2]);
    to.echo_delivered_ns(from.times[3]);
    to.echo_read_ns(from.times[4]);
    to.writer_id(from.writer_id);
    to.flags(from.flags);
}

inline Header header(const Sample &sample) {
    const busmark::Header &from = sample.header();
    return {from.cookie(),
            from.seq(),
            {from.intended_ns(), from.sent_ns(), from.echo_sent_ns(), from.echo_delivered_ns(),
             from.echo_read_ns()},
            from.writer_id(),
            from.flags()};
}

inline auto *make_type() {
    auto *type = new busmark::OctetSamplePubSubType;
    type->auto_fill_type_object(false);
    type->auto_fill_type_information(false);
    return type;
}

#else

using Sample = fastdds_adapter::Sample;
static_assert(sizeof(Header) == sizeof(busmark_header_t));

inline void fill(Sample &sample, size_t bytes) { sample.body.assign(bytes, 1); }
inline void assign(Sample &sample, const Header &from) {
    std::memcpy(&sample.header, &from, sizeof from);
}
inline Header header(const Sample &sample) {
    Header result;
    std::memcpy(&result, &sample.header, sizeof result);
    return result;
}
inline auto *make_type() {
    auto *type = new fastdds_adapter::SampleType(fastdds_adapter::octet_shape);
#if BUSMARK_FASTDDS_SERIES == 2
    type->auto_fill_type_object(false);
    type->auto_fill_type_information(false);
#endif
    return type;
}

#endif

} // namespace bare
