#include "transport.hpp"

#include "failure.hpp"

#include <ace/Configuration.h>
// The first four register their transports when this library is loaded.
#include <dds/DCPS/transport/multicast/Multicast.h>
#include <dds/DCPS/transport/rtps_udp/RtpsUdp.h>
#include <dds/DCPS/transport/shmem/Shmem.h>
#include <dds/DCPS/transport/tcp/Tcp.h>

#include <dds/DCPS/transport/framework/TransportConfig.h>
#include <dds/DCPS/transport/framework/TransportExceptions.h>
#include <dds/DCPS/transport/framework/TransportInst.h>
#include <dds/DCPS/transport/framework/TransportRegistry.h>

#include <atomic>

namespace opendds {

namespace {

/// A name that nobody else in this process uses, another copy of this library included.
std::string unique_name() {
    static std::atomic<unsigned long> count{0};
    return "busmark-" + std::to_string(reinterpret_cast<uintptr_t>(&count)) + "-" +
           std::to_string(++count);
}

/// Gives the settings as if they stood in a configuration file: that form outlives versions.
void configure(OpenDDS::DCPS::TransportInst &instance, const Section &section) {
    ACE_Configuration_Heap heap;
    heap.open();
    ACE_Configuration_Section_Key key;
    heap.open_section(heap.root_section(), ACE_TEXT("transport"), 1, key);
    for (const auto &[name, value] : section)
        heap.set_string_value(key, name.c_str(), value.c_str());
    if (instance.load(heap, key) != 0)
        throw busmark::Error(BUSMARK_INVALID, "OpenDDS refuses the transport's settings");
}

} // namespace

Transport::Transport(const Settings &settings) {
    const std::string name = unique_name();
    instance_ = TheTransportRegistry->create_inst(name, settings.transport_type);
    if (!instance_)
        throw busmark::Error(BUSMARK_UNAVAILABLE,
                             "OpenDDS has no transport " + settings.transport_type +
                                 ": its library must be where OpenDDS's other libraries are");
    configure(*instance_, settings.transport);
    config_ = TheTransportRegistry->create_config(name);
    config_->instances_.push_back(instance_);
}

Transport::~Transport() {
    if (config_) TheTransportRegistry->remove_config(config_);
    if (instance_) TheTransportRegistry->remove_inst(instance_);
}

void Transport::bind(DDS::DomainParticipant_ptr participant) {
    try {
        TheTransportRegistry->bind_config(config_, participant);
    } catch (const OpenDDS::DCPS::Transport::Exception &) {
        throw busmark::Error(BUSMARK_FAILED, "OpenDDS refuses the participant's transport");
    }
}

} // namespace opendds
