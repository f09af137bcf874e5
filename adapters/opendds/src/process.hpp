// OpenDDS as it is once per process: started by the first participant, ended with the process.
#ifndef BUSMARK_OPENDDS_PROCESS_HPP
#define BUSMARK_OPENDDS_PROCESS_HPP

#include "settings.hpp"

#include <dds/DdsDcpsDomainC.h>

namespace opendds {

/// The factory; starts OpenDDS if need be. It cannot be shut down and started again: its transports
/// register themselves once in the life of a process.
DDS::DomainParticipantFactory_var factory();

/// A domain's discovery, which is one per process. Holds it as long as a participant needs it.
class Discovery {
public:
    /// Throws Error if a participant of the domain in this process has other settings.
    Discovery(int domain, const DiscoverySettings &settings);
    ~Discovery();
    Discovery(const Discovery &) = delete;
    Discovery &operator=(const Discovery &) = delete;

private:
    int domain_;
};

} // namespace opendds

#endif
