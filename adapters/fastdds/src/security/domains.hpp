// What governance and permissions of DDS Security are about.
#pragma once

#include <busmark_adapter.hpp>

#include <string>

namespace fastdds_adapter {

/// Throws unless a rule of governance is about the domain, and one that allows something of the
/// certificate's grant in permissions. Without the first the library protects nothing, and says nothing;
/// the second it does not look at. Signatures are the library's to check.
void check_domains(const busmark::Security &security, uint32_t domain);

/// Why the certificate has no grant in permissions that holds now; empty if it has one. The library has
/// no words for it.
std::string why_no_grant(const busmark::Security &security);

} // namespace fastdds_adapter
