// Clients and servers of rmw.
#pragma once

#include "participant.hpp"

#include <memory>

namespace rmw_adapter {

std::unique_ptr<busmark::Service> make_service(std::shared_ptr<Node> node, const busmark::EndpointConfig &config,
                                               busmark_side_e side);

} // namespace rmw_adapter
