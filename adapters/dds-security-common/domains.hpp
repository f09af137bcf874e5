// What governance and permissions of DDS Security are about.
#pragma once

#include <busmark_adapter.hpp>

#include <string>

namespace dds_security {

/// Throws unless a rule of governance is about the domain, and one that allows something of the
/// certificate's grant in permissions. Without the first Fast DDS protects nothing, and says nothing; the
/// second it does not look at.
void check_domains(const busmark::Security &security, uint32_t domain);

/// Why the certificate has no grant in permissions that holds now; empty if it has one. Fast DDS has no
/// words for it.
std::string why_no_grant(const busmark::Security &security);

} // namespace dds_security
