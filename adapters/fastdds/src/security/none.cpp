// Where the library was built without security. No profile is declared, so each is refused before.
#include "security.hpp"

namespace fastdds_adapter {

void check_documents(const busmark::Security &, uint32_t) {}
void apply_security(const busmark::Security &, eprosima::fastdds::dds::DomainParticipantQos &) {}
std::string why_refused(const busmark::Security &) { return {}; }

} // namespace fastdds_adapter
