// From a participant's configuration to OpenDDS's own settings. Knows names and values, no library.
#ifndef BUSMARK_OPENDDS_SETTINGS_HPP
#define BUSMARK_OPENDDS_SETTINGS_HPP

#include "busmark_adapter.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace opendds {

/// The adapter's options, for the capabilities.
extern const busmark_option_t options[];

/// The adapter's transports, for the capabilities.
extern const char *const transports[];
extern const uint32_t carriers[];

/// Keys and values of a section of an OpenDDS configuration file.
using Section = std::vector<std::pair<std::string, std::string>>;

/// Settings for discovery of a domain.
struct DiscoverySettings {
    std::string interface_name, interface_address;
    long resend_period_s = 0;
    std::vector<std::string> announce_to; ///< host:port, beside the multicast group

    /// Two participants of a domain must agree in it.
    std::string text() const;
};

/// What a participant is made of.
struct Settings {
    int domain = 0;
    Section transport; ///< as in [transport/…]
    DiscoverySettings discovery;
    size_t chunks = 0; ///< DCPSChunks
    bool publisher_content_filter = true;
    std::optional<busmark::Security> security; ///< none: plain

    /// Throws Error for values that cannot be.
    explicit Settings(const busmark::ParticipantConfig &config);
};

} // namespace opendds

#endif
