// What the library has once per process: its settings, its log, what it reads of the environment.
#pragma once

#include "settings.hpp"

#include <string>

namespace fastdds_adapter {

/// The use of the library by one participant. The first one sets it up; with the last one the log's
/// thread ends.
class LibraryUse {
public:
    explicit LibraryUse(const Settings &settings);
    ~LibraryUse();
    LibraryUse(const LibraryUse &) = delete;
    LibraryUse &operator=(const LibraryUse &) = delete;
};

/// `what` with the library's last words on it.
std::string with_last_error(const std::string &what);

} // namespace fastdds_adapter
