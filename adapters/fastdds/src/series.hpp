// What the second series of Fast DDS (2.9 to 2.14) and the third call differently, under one name each.
#pragma once

#include <fastdds/dds/topic/TopicDataType.hpp>

#if __has_include(<fastdds/config.hpp>)
#define BUSMARK_FASTDDS_SERIES 3
#define BUSMARK_PROFILES_VARIABLE "FASTDDS_DEFAULT_PROFILES_FILE"
#include <fastdds/config.hpp>
#include <fastdds/dds/core/ReturnCode.hpp>
#include <fastdds/dds/core/Time_t.hpp>
#include <fastdds/rtps/common/Guid.hpp>
#else
#define BUSMARK_FASTDDS_SERIES 2
#define BUSMARK_PROFILES_VARIABLE "FASTRTPS_DEFAULT_PROFILES_FILE"
#include <fastdds/rtps/common/Guid.h>
#include <fastdds/rtps/common/Time_t.h>
#include <fastrtps/config.h>
#include <fastrtps/types/TypesBase.h>
#endif

namespace fastdds_adapter {

namespace dds = eprosima::fastdds::dds;

#if BUSMARK_FASTDDS_SERIES == 3
namespace rtps = eprosima::fastdds::rtps;
using dds::Duration_t;
using dds::ReturnCode_t;
inline const Duration_t infinite = dds::c_TimeInfinite;
inline int number_of(ReturnCode_t code) { return code; }
/// Return codes by their names.
struct Code {
    enum : int {
        ok = dds::RETCODE_OK,
        timeout = dds::RETCODE_TIMEOUT,
        no_data = dds::RETCODE_NO_DATA,
        out_of_resources = dds::RETCODE_OUT_OF_RESOURCES,
        unsupported = dds::RETCODE_UNSUPPORTED,
        bad_parameter = dds::RETCODE_BAD_PARAMETER,
        inconsistent_policy = dds::RETCODE_INCONSISTENT_POLICY,
    };
};
#else
namespace rtps = eprosima::fastrtps::rtps;
using eprosima::fastrtps::Duration_t;
using eprosima::fastrtps::types::ReturnCode_t;
inline const Duration_t infinite = eprosima::fastrtps::c_TimeInfinite;
inline int number_of(const ReturnCode_t &code) { return static_cast<int>(code()); }
struct Code {
    enum : int {
        ok = ReturnCode_t::RETCODE_OK,
        timeout = ReturnCode_t::RETCODE_TIMEOUT,
        no_data = ReturnCode_t::RETCODE_NO_DATA,
        out_of_resources = ReturnCode_t::RETCODE_OUT_OF_RESOURCES,
        unsupported = ReturnCode_t::RETCODE_UNSUPPORTED,
        bad_parameter = ReturnCode_t::RETCODE_BAD_PARAMETER,
        inconsistent_policy = ReturnCode_t::RETCODE_INCONSISTENT_POLICY,
    };
};
#endif

} // namespace fastdds_adapter
