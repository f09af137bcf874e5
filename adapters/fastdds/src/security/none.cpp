// Where the library was built without security. No profile is declared, so each is refused before.
#include "security.hpp"

namespace fastdds_adapter {

void apply_security(const busmark::Security &, eprosima::fastdds::dds::DomainParticipantQos &) {}

} // namespace fastdds_adapter
