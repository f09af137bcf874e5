/* SPDX-License-Identifier: Apache-2.0
 *
 * A writer: references of the readers that it is connected to, which it calls one after another.
 */
#ifndef BUSMARK_OMNIORB_WRITER_HPP
#define BUSMARK_OMNIORB_WRITER_HPP

#include "orb.hpp"

#include <memory>

namespace busmark_omniorb {

std::unique_ptr<busmark::Writer> make_writer(std::shared_ptr<Orb> orb, uint32_t domain,
                                             const Choices &choices,
                                             const busmark::EndpointConfig &config);

} // namespace busmark_omniorb

#endif
