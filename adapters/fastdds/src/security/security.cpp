#include "security.hpp"

namespace fastdds_adapter {

namespace {

using busmark::Security;

constexpr const char *authentication = "builtin.PKI-DH";
constexpr const char *access_control = "builtin.Access-Permissions";
constexpr const char *cryptography = "builtin.AES-GCM-GMAC";

} // namespace

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
