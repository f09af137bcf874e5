#include "settings.hpp"

#include "series.hpp"

#include <documents.hpp>

#include <cstdlib>

namespace fastdds_adapter {

namespace {

using busmark::Error;
using busmark::ParticipantConfig;

/// "Large Data Rates", "Tuning Heartbeat Period" of the library's documentation, in its example.
constexpr int64_t tuned_heartbeat_ns = 500'000'000;

DataSharing data_sharing_of(const ParticipantConfig &config) {
    const std::string word = config.choice("data_sharing", {"auto", "on", "off"});
    if (word == "auto") return DataSharing::automatic;
    return word == "on" ? DataSharing::on : DataSharing::off;
}

Loan loan_of(const ParticipantConfig &config) {
    const std::string word = config.choice("loan", {"none", "copy", "in_place"});
    if (word == "none") return Loan::none;
    return word == "copy" ? Loan::copy : Loan::in_place;
}

Memory memory_of(const ParticipantConfig &config) {
    const std::string word =
        config.choice("history_memory_policy",
                      {"preallocated", "preallocated_with_realloc", "dynamic", "dynamic_reusable"});
    if (word == "preallocated") return Memory::preallocated;
    if (word == "dynamic") return Memory::dynamic;
    return word == "dynamic_reusable" ? Memory::dynamic_reusable : Memory::preallocated_with_realloc;
}

Intraprocess intraprocess_of(const ParticipantConfig &config) {
    const std::string word = config.choice("intraprocess", {"full", "user_data_only", "off"});
    if (word == "full") return Intraprocess::full;
    return word == "off" ? Intraprocess::off : Intraprocess::user_data_only;
}

std::optional<FlowLimit> flow_of(const ParticipantConfig &config) {
    const auto bytes = config.number<int32_t>("flow_bytes_per_period");
    const auto period = config.number<uint32_t>("flow_period_ms");
    if (bytes < 0 || period == 0)
        throw Error(BUSMARK_INVALID, "options flow_bytes_per_period and flow_period_ms: a limit from "
                                     "0 and a period from 1 are expected");
    if (bytes == 0) return std::nullopt;
    return FlowLimit{bytes, period};
}

/// The file of the user's profiles, or empty.
std::string config_of(const ParticipantConfig &config) {
    constexpr const char *variable = BUSMARK_PROFILES_VARIABLE;
    const std::string &word = config.option("config");
    if (word != "env") return word;
    const char *file = std::getenv(variable);
    if (file == nullptr || *file == '\0')
        throw Error(BUSMARK_INVALID, "option config: \"env\" takes what " + std::string(variable) +
                                         " says, which is not set");
    return file;
}

std::optional<int64_t> heartbeat_of(const ParticipantConfig &config) {
    if (const auto ms = optional_number<uint32_t>(config, "heartbeat_period_ms")) {
        if (*ms == 0)
            throw Error(BUSMARK_INVALID, "option heartbeat_period_ms: a period from 1 is expected");
        return int64_t{*ms} * 1'000'000;
    }
    if (config.tuned()) return tuned_heartbeat_ns;
    return std::nullopt;
}

} // namespace

Settings::Settings(const ParticipantConfig &config)
    : TransportSettings(config), config(config_of(config)),
      asynchronous(config.choice("publish_mode", {"synchronous", "asynchronous"}) == "asynchronous"),
      data_sharing(data_sharing_of(config)), loan(loan_of(config)), memory(memory_of(config)),
      intraprocess(intraprocess_of(config)), flow(flow_of(config)), security(config.security),
      heartbeat_period_ns(heartbeat_of(config)) {
    tcp_no_delay = config.option("tcp_no_delay").empty() ? config.tuned() : config.flag("tcp_no_delay");
    tcp_crc = config.flag("tcp_crc");
    if (flow && !asynchronous)
        throw Error(BUSMARK_INVALID, "option flow_bytes_per_period: the library's flow controllers "
                                     "need the option publish_mode=asynchronous");
    if (data_sharing == DataSharing::on &&
        (memory == Memory::dynamic || memory == Memory::dynamic_reusable))
        throw Error(BUSMARK_INVALID, "option data_sharing: on needs a history_memory_policy of "
                                     "preallocated or preallocated_with_realloc");
    if (loan == Loan::in_place && data_sharing != DataSharing::on)
        throw Error(BUSMARK_INVALID, "option loan: in_place needs data_sharing=on, for only there the lent memory is the "
                                     "writer's alone; or choose copy");
    if (!security) return;
    dds_security::check_documents(*security, domain);
    if (data_sharing == DataSharing::on)
        throw Error(BUSMARK_UNSUPPORTED, "option data_sharing: the library protects no samples that "
                                         "are handed over so, and refuses it in secured domains");
}

} // namespace fastdds_adapter
