// How one participant's samples travel.
#ifndef BUSMARK_OPENDDS_TRANSPORT_HPP
#define BUSMARK_OPENDDS_TRANSPORT_HPP

#include "settings.hpp"

#include <dds/DCPS/transport/framework/TransportConfig_rch.h>
#include <dds/DCPS/transport/framework/TransportInst_rch.h>
#include <dds/DdsDcpsDomainC.h>

namespace opendds {

/// A transport instance in a configuration of its own. Participants must not share one: over RTPS
/// they would match and deliver nothing.
class Transport {
public:
    explicit Transport(const Settings &settings);
    ~Transport();
    Transport(const Transport &) = delete;
    Transport &operator=(const Transport &) = delete;

    /// From now on the participant's endpoints use it.
    void bind(DDS::DomainParticipant_ptr participant);

    /// Ends the transport's threads; the participant's endpoints must be gone.
    void close();

private:
    OpenDDS::DCPS::TransportInst_rch instance_;
    OpenDDS::DCPS::TransportConfig_rch config_;
};

} // namespace opendds

#endif
