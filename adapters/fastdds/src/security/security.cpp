#include "security.hpp"

#include "domains.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>

namespace fastdds_adapter {

namespace {

using busmark::Error;
using busmark::Security;

constexpr const char *authentication = "builtin.PKI-DH";
constexpr const char *access_control = "builtin.Access-Permissions";
constexpr const char *cryptography = "builtin.AES-GCM-GMAC";

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

void apply_security(const Security &security, eprosima::fastdds::dds::DomainParticipantQos &qos) {
    auto &properties = qos.properties().properties();
    const auto set = [&properties](const std::string &name, const std::string &value) {
        properties.emplace_back(name, value);
    };
    const std::string identity = std::string("dds.sec.auth.") + authentication + ".";
    const std::string access = std::string("dds.sec.access.") + access_control + ".";
    set("dds.sec.auth.plugin", authentication);
    set(identity + "identity_ca", "file://" + security.identity_ca);
    set(identity + "identity_certificate", "file://" + security.certificate);
    set(identity + "private_key", "file://" + security.private_key);
    if (!security.password.empty()) set(identity + "password", security.password);
    set("dds.sec.access.plugin", access_control);
    set(access + "permissions_ca", "file://" + security.permissions_ca);
    set(access + "governance", "file://" + security.governance);
    set(access + "permissions", "file://" + security.permissions);
    set("dds.sec.crypto.plugin", cryptography);
}

} // namespace fastdds_adapter
