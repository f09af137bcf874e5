// DDS Security (C38): whether a participant's documents can be used, for libraries that seldom say it.
#pragma once

#include <busmark_adapter.hpp>

#include <string>

namespace dds_security {

/// Throws where a document cannot be read or is about other domains.
void check_documents(const busmark::Security &security, uint32_t domain);

/// What is wrong with documents that can be read: certificate, key, signatures, grant; empty if nothing
/// is found.
std::string why_refused(const busmark::Security &security);

} // namespace dds_security
