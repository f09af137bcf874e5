// What killed processes leave in /dev/shm.
#pragma once

#include <cstdint>

namespace fastdds_adapter {

/// Removes the library's shared memory of processes that are gone: segments, ports of this domain and
/// histories of data sharing. What somebody living holds, or another user owns, stays.
void remove_stale_shared_memory(uint32_t domain) noexcept;

} // namespace fastdds_adapter
