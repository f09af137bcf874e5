/* SPDX-License-Identifier: Apache-2.0
 *
 * From a participant's configuration to the ORB's parameters.
 */
#ifndef BUSMARK_OMNIORB_PROFILE_HPP
#define BUSMARK_OMNIORB_PROFILE_HPP

#include <busmark_adapter.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace busmark_omniorb {

/// Bodies that fit; the ORB's own limit is set to it, see orb_parameters().
constexpr uint64_t LARGEST_BODY = uint64_t{16} << 20;

extern const busmark_option_t OPTIONS[];

/// What holds for one participant alone.
struct Choices {
    bool twoway = false;  ///< write() waits for the reader's answer
    bool nodelay = true;  ///< TCP_NODELAY on connections that carry samples
    uint32_t queue = 0;   ///< samples that a waitset or poll reader holds; 0: by their size
};
Choices choices_of(const busmark::ParticipantConfig &config);

/// omniORB's parameters, which hold for the whole process, by their names in its manual.
using Parameters = std::vector<std::pair<std::string, std::string>>;
Parameters orb_parameters(const busmark::ParticipantConfig &config);

/// Those of them that say where the ORB listens and which transport it uses.
Parameters endpoint_parameters(const busmark::ParticipantConfig &config);

} // namespace busmark_omniorb

#endif
