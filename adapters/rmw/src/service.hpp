// Clients and servers, of rmw or of rcl: as the folder of handles.hpp has them.
#pragma once

#include <node.hpp>

#include <busmark_adapter.hpp>

#include <memory>

namespace ros_adapter {

std::unique_ptr<busmark::Service> make_service(std::shared_ptr<Node> node, const busmark::EndpointConfig &config,
                                               busmark_side_e side);

} // namespace ros_adapter
