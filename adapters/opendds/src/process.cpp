#include "process.hpp"

#include "configuration.hpp"
#include "failure.hpp"

// Registers RTPS discovery when this library is loaded.
#include <dds/DCPS/RTPS/RtpsDiscovery.h>

#include <dds/DCPS/Service_Participant.h>

#include <map>
#include <mutex>
#include <vector>

namespace opendds {

namespace {

struct Domain {
    std::string settings;
    unsigned participants = 0;
};

std::mutex mutex;
std::map<int, Domain> domains;

/// Ends OpenDDS's threads before its libraries' static objects go.
struct Running {
    ~Running() {
        // With participants still in use, shutting down under their threads would crash.
        for (const auto &[number, domain] : domains)
            if (domain.participants > 0) return;
        TheServiceParticipant->shutdown();
    }
};

/// Puts together what [rtps_discovery/…] says.
Section section_of(const DiscoverySettings &settings) {
    const bool loopback = settings.interface_address.rfind("127.", 0) == 0;
    Section section = {
        {"ResendPeriod", std::to_string(settings.resend_period_s)},
        {"MulticastInterface", settings.interface_name},
        {"SpdpLocalAddress", settings.interface_address},
        {"SedpLocalAddress", settings.interface_address + ":0"},
        // Without it endpoints would be announced by multicast, which loopback has not.
        {"SedpMulticast", loopback ? "0" : "1"},
    };
    std::string list;
    for (const std::string &address : settings.announce_to)
        list += (list.empty() ? "" : ",") + address;
    if (!list.empty()) section.emplace_back("SpdpSendAddrs", list);
    return section;
}

/// Gives the domain a discovery with these settings.
void install(int domain, const DiscoverySettings &settings) {
    // One for each set of settings: OpenDDS cannot take a discovery out again.
    static std::map<std::string, std::string> names;
    const auto known = names.find(settings.text());
    const std::string name = known == names.end() ? unique_name() : known->second;
    Configuration configuration;
    if (known == names.end()) configuration.add("rtps_discovery", name, section_of(settings));
    configuration.add("domain", std::to_string(domain), {{"DiscoveryConfig", name}});
    configuration.load(unique_name());
    names.emplace(settings.text(), name);
}

} // namespace

DDS::DomainParticipantFactory_var factory() {
    std::string words[] = {
        "busmark",
        // Seconds for which the deletion of a writer waits for acknowledgements; as shipped it waits
        // for ever, and the contract allows ten seconds for everything.
        "-DCPSPendingTimeout", "2",
        // Alignment counts from behind the encapsulation header, as the standard says and all other
        // vendors do; as shipped, 3.13 counts from the header, and 64-bit members lie elsewhere.
        "-DCPSRTISerialization", "1"};
    std::vector<char *> arguments;
    for (std::string &word : words) arguments.push_back(word.data());
    int count = static_cast<int>(arguments.size());
    arguments.push_back(nullptr);
    DDS::DomainParticipantFactory_var factory =
        TheParticipantFactoryWithArgs(count, arguments.data());
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
