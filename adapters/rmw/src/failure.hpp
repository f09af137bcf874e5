// What calls of rmw return.
#pragma once

#include <busmark_adapter.hpp>

#include <rmw/error_handling.h>
#include <rmw/ret_types.h>

#include <mutex>
#include <optional>
#include <string>

namespace ros_adapter {

/// The words of the last failed call of this thread.
inline std::string words() {
    std::string text = rmw_error_is_set() ? rmw_get_error_string().str : "";
    rmw_reset_error();
    return text;
}

inline busmark_status_e status_of(rmw_ret_t code) {
    switch (code) {
    case RMW_RET_OK: return BUSMARK_OK;
    case RMW_RET_TIMEOUT: return BUSMARK_TIMEOUT;
    case RMW_RET_BAD_ALLOC: return BUSMARK_RESOURCES;
    case RMW_RET_UNSUPPORTED: return BUSMARK_UNSUPPORTED;
    default: return BUSMARK_FAILED;
    }
}

inline void check(rmw_ret_t code, const std::string &what) {
    if (code != RMW_RET_OK) throw busmark::Error(status_of(code), what + ": " + words());
}

template <class Handle> Handle *made(Handle *handle, const std::string &what) {
    if (handle == nullptr) throw busmark::Error(BUSMARK_FAILED, what + " was not made: " + words());
    // The error of the first attempt is cleared: rmw would complain where the next call of this thread does the same.
    rmw_reset_error();
    return handle;
}

/// Keeps what failed last.
class LastFailure {
public:
    busmark_status_e keep(rmw_ret_t code, const char *what) {
        if (code == RMW_RET_OK) return BUSMARK_OK;
        const busmark_status_e status = status_of(code);
        const std::lock_guard<std::mutex> lock(guard_);
        const std::string said = words();
        last_ = busmark::Error(status, std::string(BUSMARK_LAYER ": ") + what + (said.empty() ? "" : ": " + said));
        return status;
    }
    std::optional<busmark::Error> get() {
        const std::lock_guard<std::mutex> lock(guard_);
        return last_;
    }

private:
    std::mutex guard_;
    std::optional<busmark::Error> last_;
};

} // namespace ros_adapter
