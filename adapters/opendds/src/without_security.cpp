// Where OpenDDS was built without security. No profile is declared, so each is refused before.
#include "security.hpp"

namespace opendds {

namespace {

std::mutex mutex;

} // namespace

Protection::Protection(bool) : lock_(mutex) {}
Protection::~Protection() = default;

void add_documents(const busmark::Security &, int, DDS::DomainParticipantQos &) {}

} // namespace opendds
