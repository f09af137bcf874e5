#include "failure.hpp"

#include <ace/Log_Record.h>

#include <cctype>
#include <cstring>

namespace opendds {

const char *name_of(DDS::ReturnCode_t code) {
    switch (code) {
    case DDS::RETCODE_OK: return "ok";
    case DDS::RETCODE_ERROR: return "error";
    case DDS::RETCODE_UNSUPPORTED: return "unsupported";
    case DDS::RETCODE_BAD_PARAMETER: return "bad parameter";
    case DDS::RETCODE_PRECONDITION_NOT_MET: return "precondition not met";
    case DDS::RETCODE_OUT_OF_RESOURCES: return "out of resources";
    case DDS::RETCODE_NOT_ENABLED: return "not enabled";
    case DDS::RETCODE_IMMUTABLE_POLICY: return "immutable policy";
    case DDS::RETCODE_INCONSISTENT_POLICY: return "inconsistent policy";
    case DDS::RETCODE_ALREADY_DELETED: return "already deleted";
    case DDS::RETCODE_TIMEOUT: return "timeout";
    case DDS::RETCODE_NO_DATA: return "no data";
    case DDS::RETCODE_ILLEGAL_OPERATION: return "illegal operation";
    default: return "an unknown return code";
    }
}

busmark_status_e status_of(DDS::ReturnCode_t code) {
    switch (code) {
    case DDS::RETCODE_OK: return BUSMARK_OK;
    case DDS::RETCODE_TIMEOUT: return BUSMARK_TIMEOUT;
    case DDS::RETCODE_NO_DATA: return BUSMARK_NO_DATA;
    case DDS::RETCODE_OUT_OF_RESOURCES: return BUSMARK_RESOURCES;
    case DDS::RETCODE_UNSUPPORTED:
    case DDS::RETCODE_IMMUTABLE_POLICY: return BUSMARK_UNSUPPORTED;
    case DDS::RETCODE_BAD_PARAMETER:
    case DDS::RETCODE_INCONSISTENT_POLICY: return BUSMARK_INVALID;
    default: return BUSMARK_FAILED;
    }
}

void check(DDS::ReturnCode_t code, const std::string &what) {
    if (code != DDS::RETCODE_OK)
        throw busmark::Error(status_of(code), what + ": " + name_of(code));
}

Overheard::Overheard()
    : before_(ACE_LOG_MSG->msg_callback(this)), flags_(ACE_LOG_MSG->flags()) {
    ACE_LOG_MSG->set_flags(ACE_Log_Msg::MSG_CALLBACK);
}

Overheard::~Overheard() {
    ACE_LOG_MSG->msg_callback(before_);
    if ((flags_ & ACE_Log_Msg::MSG_CALLBACK) == 0) ACE_LOG_MSG->clr_flags(ACE_Log_Msg::MSG_CALLBACK);
}

void Overheard::log(ACE_Log_Record &record) {
    if (record.type() != LM_ERROR || !words_.empty()) return;
    words_ = record.msg_data();
    // "(process|thread) ERROR: what"
    const size_t mark = words_.find("ERROR: ");
    if (mark != std::string::npos) words_.erase(0, mark + std::strlen("ERROR: "));
    while (!words_.empty() && std::isspace(static_cast<unsigned char>(words_.back())))
        words_.pop_back();
}

} // namespace opendds
