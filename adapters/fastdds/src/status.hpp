// The library's return codes in the contract's terms.
#pragma once

#include "library.hpp"

#include <busmark_adapter.hpp>
#include <fastrtps/types/TypesBase.h>

#include <string>

namespace fastdds_adapter {

using eprosima::fastrtps::types::ReturnCode_t;

inline busmark_status_e status_of(const ReturnCode_t &code) {
    switch (code()) {
    case ReturnCode_t::RETCODE_OK: return BUSMARK_OK;
    case ReturnCode_t::RETCODE_TIMEOUT: return BUSMARK_TIMEOUT;
    case ReturnCode_t::RETCODE_NO_DATA: return BUSMARK_NO_DATA;
    case ReturnCode_t::RETCODE_OUT_OF_RESOURCES: return BUSMARK_RESOURCES;
    case ReturnCode_t::RETCODE_UNSUPPORTED: return BUSMARK_UNSUPPORTED;
    case ReturnCode_t::RETCODE_BAD_PARAMETER:
    case ReturnCode_t::RETCODE_INCONSISTENT_POLICY: return BUSMARK_INVALID;
    default: return BUSMARK_FAILED;
    }
}

/// What failed last on the hot path, in the library's words (C32).
class LastFailure {
public:
    /// The status of a call; words are looked for only where it failed.
    busmark_status_e keep(const ReturnCode_t &code, const char *what) {
        const busmark_status_e status = status_of(code);
        if (status == BUSMARK_OK || status == BUSMARK_TIMEOUT || status == BUSMARK_NO_DATA)
            return status;
        return error_.keep(status, with_last_error(std::string("Fast DDS: ") + what +
                                                   " (return code " + std::to_string(code()) + ")"));
    }
    std::optional<busmark::Error> get() const { return error_.get(); }

private:
    busmark::LastError error_;
};

/// Throws unless the call went well.
inline void check(const ReturnCode_t &code, const std::string &what) {
    if (code() == ReturnCode_t::RETCODE_OK) return;
    throw busmark::Error(status_of(code), with_last_error(what + " (return code " +
                                                          std::to_string(code()) + ")"));
}

/// An entity that the library has made, or an error.
template <class Entity> Entity *made(Entity *entity, const std::string &what) {
    if (entity != nullptr) return entity;
    throw busmark::Error(BUSMARK_FAILED, with_last_error(what + " was not made"));
}

} // namespace fastdds_adapter
