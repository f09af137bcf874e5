#include "participant.hpp"

#include "endpoints.hpp"

namespace rmw_adapter {

std::unique_ptr<busmark::Writer> Participant::writer(const busmark::EndpointConfig &config) {
    return std::make_unique<Writer>(node_, config);
}

std::unique_ptr<busmark::Reader> Participant::reader(const busmark::EndpointConfig &config, busmark::Listener listener) {
    return std::make_unique<Reader>(node_, config, listener);
}

} // namespace rmw_adapter
