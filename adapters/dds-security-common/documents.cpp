#include "documents.hpp"

#include "domains.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>

namespace dds_security {

namespace {

using busmark::Error;
using busmark::Security;

void check_readable(const std::string &what, const std::string &path) {
    if (path.empty())
        throw Error(BUSMARK_INVALID, "DDS Security needs " + what + ", which is not given");
    errno = 0;
    std::ifstream file(path);
    file.get(); // a folder can be opened
    if (!file)
        throw Error(BUSMARK_INVALID,
                    what + " " + path + ": " + (errno != 0 ? std::strerror(errno) : "empty"));
}

} // namespace

void check_documents(const Security &security, uint32_t domain) {
    check_readable("identity_ca", security.identity_ca);
    check_readable("certificate", security.certificate);
    check_readable("private_key", security.private_key);
    check_readable("permissions_ca", security.permissions_ca);
    check_readable("governance", security.governance);
    check_readable("permissions", security.permissions);
    check_domains(security, domain);
}

} // namespace dds_security
