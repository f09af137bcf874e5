// A body as it lies in a received sample.
#ifndef BUSMARK_OPENDDS_BODY_HPP
#define BUSMARK_OPENDDS_BODY_HPP

#include "busmark_adapter.hpp"

namespace opendds {

struct Body {
    const void *data;
    size_t bytes;
};

} // namespace opendds

#endif
