// The library's return codes in the contract's terms.
#pragma once

#include "library.hpp"
#include "series.hpp"

#include <busmark_adapter.hpp>

#include <string>

namespace fastdds_adapter {

inline busmark_status_e status_of(const ReturnCode_t &code) {
    switch (number_of(code)) {
    case Code::ok: return BUSMARK_OK;
    case Code::timeout: return BUSMARK_TIMEOUT;
    case Code::no_data: return BUSMARK_NO_DATA;
    case Code::out_of_resources: return BUSMARK_RESOURCES;
    case Code::unsupported: return BUSMARK_UNSUPPORTED;
    case Code::bad_parameter:
    case Code::inconsistent_policy: return BUSMARK_INVALID;
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
                                                   " (return code " + std::to_string(number_of(code)) + ")"));
    }
    std::optional<busmark::Error> get() const { return error_.get(); }

private:
    busmark::LastError error_;
};

/// Throws unless the call went well.
inline void check(const ReturnCode_t &code, const std::string &what) {
    if (number_of(code) == Code::ok) return;
    throw busmark::Error(status_of(code), with_last_error(what + " (return code " +
                                                          std::to_string(number_of(code)) + ")"));
}

/// An entity that the library has made, or an error.
template <class Entity> Entity *made(Entity *entity, const std::string &what) {
    if (entity != nullptr) return entity;
    throw busmark::Error(BUSMARK_FAILED, with_last_error(what + " was not made"));
}

} // namespace fastdds_adapter
