// Settings given to OpenDDS as its own configuration files give them, without a file.
#ifndef BUSMARK_OPENDDS_CONFIGURATION_HPP
#define BUSMARK_OPENDDS_CONFIGURATION_HPP

#include "settings.hpp"

#include <ace/Configuration.h>

namespace opendds {

/// A name that nobody else in this process uses, another copy of this library included.
std::string unique_name();

/// A configuration file in memory.
class Configuration {
public:
    Configuration();

    /// Adds [kind/name] with these entries.
    void add(const char *kind, const std::string &name, const Section &entries);

    /// Gives it to OpenDDS; its transports then make up the configuration `name`.
    void load(const std::string &name);

private:
    ACE_Configuration_Heap heap_;
};

} // namespace opendds

#endif
