// The members of the keyed type, as the library's content filters look them up.
#pragma once

#include "series.hpp"

namespace fastdds_adapter {

inline constexpr const char *keyed_type_name = "busmark::KeyedSample";

/// Registers the type by its name.
void describe_keyed_type();

} // namespace fastdds_adapter
