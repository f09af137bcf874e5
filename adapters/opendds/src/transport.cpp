#include "transport.hpp"

#include "configuration.hpp"

#include <dds/DCPS/transport/framework/TransportConfig.h>
#include <dds/DCPS/transport/framework/TransportExceptions.h>
#include <dds/DCPS/transport/framework/TransportInst.h>
#include <dds/DCPS/transport/framework/TransportRegistry.h>
#include <dds/DCPS/transport/rtps_udp/RtpsUdpLoader.h>
#include <dds/DCPS/transport/tcp/TcpLoader.h>

#include <mutex>

namespace opendds {

namespace {

/// Makes the transports known that are linked in. By itself OpenDDS opens their libraries by a name
/// that is found by LD_LIBRARY_PATH only.
void register_transports() {
    OpenDDS::DCPS::RtpsUdpLoader().init(0, nullptr);
    OpenDDS::DCPS::TcpLoader().init(0, nullptr);
}

} // namespace

Transport::Transport(const Settings &settings) {
    static std::once_flag once; // The participants of a process may be made by several threads.
    std::call_once(once, register_transports);
    const std::string name = unique_name();
    Configuration configuration;
    configuration.add("transport", name, settings.transport);
    configuration.load(name);
    instance_ = TheTransportRegistry->get_inst(name);
    config_ = TheTransportRegistry->get_config(name);
    if (!instance_ || !config_)
        throw busmark::Error(BUSMARK_FAILED, "OpenDDS made no transport of its configuration");
}

Transport::~Transport() { close(); }

void Transport::close() {
    if (!instance_) return;
    TheTransportRegistry->remove_config(config_);
    TheTransportRegistry->remove_inst(instance_);
    instance_.reset();
    config_.reset();
}

void Transport::bind(DDS::DomainParticipant_ptr participant) {
    try {
        TheTransportRegistry->bind_config(config_, participant);
    } catch (const OpenDDS::DCPS::Transport::Exception &) {
        throw busmark::Error(BUSMARK_FAILED, "OpenDDS refuses the participant's transport");
    }
}

} // namespace opendds
