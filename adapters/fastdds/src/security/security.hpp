// DDS Security (C38): a participant's documents, as properties of the library's built-in plug-ins.
#pragma once

#include <busmark_adapter.hpp>

#include <fastdds/dds/domain/qos/DomainParticipantQos.hpp>

#include <string>

namespace fastdds_adapter {

/// Throws where a document cannot be read or is about other domains: the library names no file, and of
/// domains it takes no notice.
void check_documents(const busmark::Security &security, uint32_t domain);

void apply_security(const busmark::Security &security,
                    eprosima::fastdds::dds::DomainParticipantQos &qos);

/// What is wrong with documents that the library has refused, for it often has no words for it; empty
/// if nothing is found.
std::string why_refused(const busmark::Security &security);

} // namespace fastdds_adapter
