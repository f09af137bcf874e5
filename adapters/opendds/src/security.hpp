// DDS Security (C38), where OpenDDS was built with it.
#ifndef BUSMARK_OPENDDS_SECURITY_HPP
#define BUSMARK_OPENDDS_SECURITY_HPP

#include "busmark_adapter.hpp"

#include <dds/DdsDcpsDomainC.h>

#include <mutex>

namespace opendds {

/// What OpenDDS makes while it lives is secured, or plain. OpenDDS asks a switch of the whole process, when
/// it makes participants and topics; so one thread at a time.
class Protection {
public:
    explicit Protection(bool secured);
    ~Protection();
    Protection(const Protection &) = delete;
    Protection &operator=(const Protection &) = delete;

private:
    std::lock_guard<std::mutex> lock_;
};

/// Gives a participant its documents. Throws Error where they cannot be used.
void add_documents(const busmark::Security &security, int domain, DDS::DomainParticipantQos &qos);

} // namespace opendds

#endif
