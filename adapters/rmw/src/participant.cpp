#include "participant.hpp"

#include "endpoints.hpp"
#include "service.hpp"

namespace ros_adapter {

std::unique_ptr<busmark::Writer> Participant::writer(const busmark::EndpointConfig &config) {
    return std::make_unique<Writer>(node_, config);
}

std::unique_ptr<busmark::Reader> Participant::reader(const busmark::EndpointConfig &config, busmark::Listener listener) {
    return std::make_unique<Reader>(node_, config, listener);
}

std::unique_ptr<busmark::Service> Participant::service(const busmark::EndpointConfig &config, busmark_side_e side) {
    return make_service(node_, config, side);
}

} // namespace ros_adapter
