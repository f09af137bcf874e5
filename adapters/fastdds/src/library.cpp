#include "library.hpp"

#include "series.hpp"

#include <fastdds/dds/domain/DomainParticipantFactory.hpp>
#include <fastdds/dds/log/Log.hpp>
#if BUSMARK_FASTDDS_SERIES == 3
#include <fastdds/LibrarySettings.hpp>
#else
#include <fastrtps/attributes/LibrarySettingsAttributes.h>
#include <fastrtps/xmlparser/XMLProfileManager.h>
#endif

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <memory>
#include <mutex>

namespace fastdds_adapter {

namespace {

using busmark::Error;
using eprosima::fastdds::dds::DomainParticipantFactory;
using eprosima::fastdds::dds::Log;
using eprosima::fastdds::dds::LogConsumer;
#if BUSMARK_FASTDDS_SERIES == 3
namespace settings_of = eprosima::fastdds;
using LibrarySettings = eprosima::fastdds::LibrarySettings;
#else
namespace settings_of = eprosima::fastrtps;
using LibrarySettings = eprosima::fastrtps::LibrarySettingsAttributes;
#endif

std::mutex guard; // of all that follows
unsigned users = 0;
Intraprocess in_force = Intraprocess::full;
std::string loaded; // the user's profiles

std::mutex words_guard;
/// What was logged last, a line each.
std::deque<std::string> last_words;
constexpr size_t most_lines = 3;

busmark_log_level_e level_of(Log::Kind kind) {
    switch (kind) {
    case Log::Error: return BUSMARK_LOG_ERROR;
    case Log::Warning: return BUSMARK_LOG_WARNING;
    default: return BUSMARK_LOG_INFO;
    }
}

std::string one_line(std::string text) {
    std::replace_if(text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
}

/// A failure brings a few lines, of which a later one may repeat the first with its own words around
/// it, and then takes its place; what is old says nothing on it.
void remember(const std::string &line) {
    if (line.empty()) return;
    const std::lock_guard<std::mutex> lock(words_guard);
    const auto repeated = [&](const std::string &known) { return line.find(known) != line.npos; };
    last_words.erase(std::remove_if(last_words.begin(), last_words.end(), repeated), last_words.end());
    last_words.push_back(line);
    if (last_words.size() > most_lines) last_words.pop_front();
}

/// Errors go to the host's log (C31), and the last ones into messages of failed calls.
class ToHost : public LogConsumer {
public:
    void Consume(const Log::Entry &entry) override {
        const std::string message = one_line(entry.message);
        busmark::log(level_of(entry.kind), std::string(entry.context.category) + ": " + message);
        remember(message);
    }
};

/// Files and variables of the user's would change what is measured, silently. They would be read when
/// the first participant is made.
void forget_environment() {
    for (const char *name : {"FASTRTPS_DEFAULT_PROFILES_FILE", "FASTDDS_DEFAULT_PROFILES_FILE",
                             "FASTDDS_ENVIRONMENT_FILE", "FASTDDS_BUILTIN_TRANSPORTS",
                             "ROS_DISCOVERY_SERVER", "ROS_SUPER_CLIENT", "FASTDDS_STATISTICS"})
        if (std::getenv(name) != nullptr) unsetenv(name);
    // DEFAULT_FASTRTPS_PROFILES.xml in the current folder.
    setenv("SKIP_DEFAULT_XML_FILE", "1", 1);
    DomainParticipantFactory::get_instance()->load_profiles();
}

/// The file of the option `config`; the library keeps what it has loaded until the process ends.
void load_profiles_of_user(const std::string &file) {
    if (file == loaded) return;
    if (!loaded.empty())
        throw Error(BUSMARK_INVALID, "option config: participants of one process share one file, and " +
                                         loaded + " is loaded");
    if (std::ifstream(file).peek() == std::ifstream::traits_type::eof())
        throw Error(BUSMARK_INVALID, "option config: " + file + " cannot be read, or is empty");
    if (number_of(DomainParticipantFactory::get_instance()->load_XML_profiles_file(file)) != Code::ok)
        throw Error(BUSMARK_INVALID, with_last_error("option config: " + file +
                                                     " holds no XML profiles"));
    loaded = file;
}

void apply(Intraprocess intraprocess) {
    LibrarySettings own;
    switch (intraprocess) {
    case Intraprocess::full: own.intraprocess_delivery = settings_of::INTRAPROCESS_FULL; break;
    case Intraprocess::user_data_only:
        own.intraprocess_delivery = settings_of::INTRAPROCESS_USER_DATA_ONLY;
        break;
    case Intraprocess::off: own.intraprocess_delivery = settings_of::INTRAPROCESS_OFF; break;
    }
#if BUSMARK_FASTDDS_SERIES == 3
    DomainParticipantFactory::get_instance()->set_library_settings(own);
#else
    eprosima::fastrtps::xmlparser::XMLProfileManager::library_settings(own);
#endif
}

} // namespace

LibraryUse::LibraryUse(const Settings &settings) {
    const std::lock_guard<std::mutex> lock(guard);
    if (users > 0 && settings.intraprocess != in_force)
        throw Error(BUSMARK_INVALID, "option intraprocess: participants of one process share one "
                                     "value, and another one is in force");
    if (users > 0) load_profiles_of_user(settings.config);
    if (users == 0) {
        Log::ClearConsumers();
        Log::RegisterConsumer(std::make_unique<ToHost>());
        forget_environment();
        load_profiles_of_user(settings.config);
        // After the file, which may have settings of the library too.
        apply(settings.intraprocess);
        in_force = settings.intraprocess;
    }
    ++users;
}

LibraryUse::~LibraryUse() {
    const std::lock_guard<std::mutex> lock(guard);
    if (--users > 0) return;
    Log::Flush();
    Log::KillThread();
    Log::ClearConsumers();
}

std::string with_last_error(const std::string &what) {
    Log::Flush();
    const std::lock_guard<std::mutex> lock(words_guard);
    std::string text = what, separator = ": ";
    for (const std::string &line : last_words) {
        text += separator + line;
        separator = "; ";
    }
    last_words.clear();
    return text;
}

} // namespace fastdds_adapter
