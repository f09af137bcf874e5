// The adapter's options: `matrix.option.ADAPTER.KEY` in a scenario.
#pragma once

#include <busmark_adapter.h>

namespace fastdds_adapter {

/// All, with their defaults; ends with an empty entry. An empty default leaves the choice to the
/// profile.
extern const busmark_option_t options[];

} // namespace fastdds_adapter
