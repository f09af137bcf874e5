#include "process.hpp"

#include "failure.hpp"

#include <dds/DCPS/RTPS/RtpsDiscovery.h>
#include <dds/DCPS/Service_Participant.h>

#include <map>
#include <mutex>

namespace opendds {

namespace {

/// Seconds for which the deletion of a writer waits for acknowledgements; OpenDDS waits for ever,
/// and the contract allows ten seconds for everything.
char pending_timeout_s[] = "2";

/// Ends OpenDDS's threads before its libraries' static objects go.
struct Running {
    ~Running() { TheServiceParticipant->shutdown(); }
};

struct Domain {
    std::string settings;
    unsigned participants = 0;
};

std::mutex mutex;
std::map<int, Domain> domains;

void install(int domain, const DiscoverySettings &settings) {
    using OpenDDS::RTPS::RtpsDiscovery;
    // One for each set of settings: a discovery cannot be taken out again.
    const std::string key = "busmark " + settings.text();
    const auto &known = TheServiceParticipant->discoveryMap();
    if (known.find(key) == known.end()) {
        auto discovery = OpenDDS::DCPS::make_rch<RtpsDiscovery>(key);
        discovery->resend_period(ACE_Time_Value(settings.resend_period_s));
        discovery->multicast_interface(settings.interface_name);
        discovery->spdp_local_address(settings.interface_address);
        discovery->sedp_local_address(settings.interface_address + ":0");
        // Without it the endpoints' announcements would go by multicast, which loopback has not.
        discovery->sedp_multicast(settings.interface_address.rfind("127.", 0) != 0);
        for (const std::string &address : settings.announce_to)
            discovery->spdp_send_addrs().push_back(address);
        TheServiceParticipant->add_discovery(discovery);
    }
    TheServiceParticipant->set_repo_domain(domain, key, false);
}

} // namespace

DDS::DomainParticipantFactory_var factory() {
    char name[] = "busmark", option[] = "-DCPSPendingTimeout";
    char *arguments[] = {name, option, pending_timeout_s, nullptr};
    int count = 3;
    DDS::DomainParticipantFactory_var factory = TheParticipantFactoryWithArgs(count, arguments);
    check_entity(factory, "participant factory");
    static Running running;
    return factory;
}

Discovery::Discovery(int domain, const DiscoverySettings &settings) : domain_(domain) {
    const std::lock_guard<std::mutex> lock(mutex);
    Domain &entry = domains[domain];
    const std::string text = settings.text();
    if (entry.participants > 0 && entry.settings != text)
        throw busmark::Error(BUSMARK_INVALID,
                             "OpenDDS has one discovery per domain and process: a participant of "
                             "this domain was made with another interface or other options");
    if (entry.participants == 0) install(domain, settings);
    entry.settings = text;
    ++entry.participants;
}

Discovery::~Discovery() {
    const std::lock_guard<std::mutex> lock(mutex);
    --domains[domain_].participants;
}

} // namespace opendds
