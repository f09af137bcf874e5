// What OpenDDS answers, as Busmark's statuses and words.
#ifndef BUSMARK_OPENDDS_FAILURE_HPP
#define BUSMARK_OPENDDS_FAILURE_HPP

#include "busmark_adapter.hpp"

#include <ace/Log_Msg.h>
#include <ace/Log_Msg_Callback.h>
#include <dds/DdsDcpsInfrastructureC.h>

#include <string>

namespace opendds {

/// The DDS specification's name of a return code.
const char *name_of(DDS::ReturnCode_t code);

/// The nearest status of the contract.
busmark_status_e status_of(DDS::ReturnCode_t code);

/// Throws Error unless the code is RETCODE_OK.
void check(DDS::ReturnCode_t code, const std::string &what);

/// What OpenDDS has logged as an error on this thread while it lives: it returns no reasons.
class Overheard final : ACE_Log_Msg_Callback {
public:
    Overheard();
    ~Overheard() override;
    Overheard(const Overheard &) = delete;
    Overheard &operator=(const Overheard &) = delete;
    /// One line; empty if it has said nothing.
    const std::string &words() const { return words_; }

private:
    void log(ACE_Log_Record &record) override;

    ACE_Log_Msg_Callback *before_;
    unsigned long flags_;
    std::string words_;
};

/// Throws Error if OpenDDS gave no entity.
template <class Var> void check_entity(const Var &entity, const std::string &what) {
    if (CORBA::is_nil(entity.in()))
        throw busmark::Error(BUSMARK_FAILED,
                             "OpenDDS made no " + what + "; its reason is on standard error");
}

} // namespace opendds

#endif
