#include "configuration.hpp"

#include <dds/DCPS/Service_Participant.h>

#include <atomic>

namespace opendds {

std::string unique_name() {
    static std::atomic<unsigned long> count{0};
    return "busmark-" + std::to_string(reinterpret_cast<uintptr_t>(&count)) + "-" +
           std::to_string(++count);
}

Configuration::Configuration() { heap_.open(); }

void Configuration::add(const char *kind, const std::string &name, const Section &entries) {
    ACE_Configuration_Section_Key kinds, section;
    heap_.open_section(heap_.root_section(), kind, 1, kinds);
    heap_.open_section(kinds, name.c_str(), 1, section);
    for (const auto &[key, value] : entries)
        heap_.set_string_value(section, key.c_str(), value.c_str());
}

void Configuration::load(const std::string &name) {
    if (TheServiceParticipant->load_configuration(heap_, name.c_str()) != 0)
        throw busmark::Error(BUSMARK_FAILED,
                             "OpenDDS refuses its configuration; its reason is on standard error");
}

} // namespace opendds
