// The payload kind `type`: idl/user_sample.idl.in with the user's type, as opendds_idl makes it.
#ifndef BUSMARK_OPENDDS_USER_TYPE_HPP
#define BUSMARK_OPENDDS_USER_TYPE_HPP

#include "body.hpp"
#include "user_sampleTypeSupportImpl.h"

#include <dds/DCPS/Serializer.h>

#include <cstring>
#include <string>
#include <vector>

namespace opendds {

static_assert(sizeof(busmark_header_t) % 8 == 0, "the header's size keeps every alignment");

/// The value as CDR, which follows the header there.
inline std::vector<unsigned char> cdr_of(const busmark::UserSample &message) {
    using namespace OpenDDS::DCPS;
    size_t size = 0, padding = 0;
    gen_find_size(message, size, padding);
    ACE_Message_Block block(size + padding);
    Serializer out(&block, false, Serializer::ALIGN_INITIALIZE);
    if (!(out << message)) throw busmark::Error(BUSMARK_FAILED, "OpenDDS does not serialise the sample");
    const auto *bytes = reinterpret_cast<const unsigned char *>(block.rd_ptr());
    return {bytes + sizeof(busmark_header_t), bytes + block.length()};
}

inline bool read(busmark::UserSample &message, const void *body, size_t bytes) {
    using namespace OpenDDS::DCPS;
    ACE_Message_Block block(sizeof(busmark_header_t) + bytes);
    std::memset(block.wr_ptr(), 0, sizeof(busmark_header_t));
    if (bytes > 0) std::memcpy(block.wr_ptr() + sizeof(busmark_header_t), body, bytes);
    block.wr_ptr(sizeof(busmark_header_t) + bytes);
    Serializer in(&block, false, Serializer::ALIGN_CDR);
    try {
        return in >> message;
    } catch (const std::exception &) { // Bytes that are no value may ask for any amount of memory.
        return false;
    }
}

inline void set_body(busmark::UserSample &message, const void *body, size_t bytes) {
    bool holds = read(message, body, bytes);
    if (holds) {
        const std::vector<unsigned char> again = cdr_of(message);
        holds = again.size() == bytes && std::memcmp(again.data(), body, bytes) == 0;
    }
    if (!holds)
        throw busmark::Error(BUSMARK_INVALID, "the body of " + std::to_string(bytes) +
                                                  " bytes is no value of " BUSMARK_USER_TYPE " in CDR");
}

/// Valid until the thread asks again.
inline Body body_of(const busmark::UserSample &message) {
    if ((message.header.flags & BUSMARK_FLAG_CHECKED) == 0) return {nullptr, 0};
    thread_local std::vector<unsigned char> cdr;
    cdr = cdr_of(message);
    return {cdr.data(), cdr.size()};
}

} // namespace opendds

#endif
