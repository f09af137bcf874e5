#include "security.hpp"

#include <dds/DCPS/Service_Participant.h>
#include <dds/DCPS/security/BuiltInPluginLoader.h>
#include <documents.hpp>

namespace opendds {

namespace {

std::mutex mutex;

/// By itself OpenDDS opens the library of its plug-ins by a name that is found by LD_LIBRARY_PATH only.
void register_plugins() {
    static std::once_flag once;
    std::call_once(once, [] { OpenDDS::Security::BuiltInPluginLoader().init(0, nullptr); });
}

} // namespace

Protection::Protection(bool secured) : lock_(mutex) {
    if (secured) register_plugins();
    TheServiceParticipant->set_security(secured);
}

Protection::~Protection() { TheServiceParticipant->set_security(false); }

void add_documents(const busmark::Security &security, int domain, DDS::DomainParticipantQos &qos) {
    dds_security::check_documents(security, static_cast<uint32_t>(domain));
    // OpenDDS takes a key of another certificate, and names no file of those that it refuses.
    const std::string why = dds_security::why_refused(security);
    if (!why.empty()) throw busmark::Error(BUSMARK_INVALID, why);
    const auto add = [&qos](const char *name, const std::string &value) {
        auto &properties = qos.property.value;
        const CORBA::ULong at = properties.length();
        properties.length(at + 1);
        properties[at].name = name;
        properties[at].value = value.c_str();
        properties[at].propagate = false;
    };
    add("dds.sec.auth.identity_ca", "file:" + security.identity_ca);
    add("dds.sec.auth.identity_certificate", "file:" + security.certificate);
    add("dds.sec.auth.private_key", "file:" + security.private_key);
    if (!security.password.empty()) add("dds.sec.auth.password", security.password);
    add("dds.sec.access.permissions_ca", "file:" + security.permissions_ca);
    add("dds.sec.access.governance", "file:" + security.governance);
    add("dds.sec.access.permissions", "file:" + security.permissions);
}

} // namespace opendds
