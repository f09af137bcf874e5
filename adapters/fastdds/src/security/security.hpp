// DDS Security (C38): a participant's documents, as properties of the library's built-in plug-ins.
#pragma once

#include <busmark_adapter.hpp>

#include <fastdds/dds/domain/qos/DomainParticipantQos.hpp>

namespace fastdds_adapter {

void apply_security(const busmark::Security &security,
                    eprosima::fastdds::dds::DomainParticipantQos &qos);

} // namespace fastdds_adapter
