/* SPDX-License-Identifier: Apache-2.0
 *
 * Servers, which are CORBA objects, and clients, which make two-way calls of them.
 */
#ifndef BUSMARK_OMNIORB_SERVICE_HPP
#define BUSMARK_OMNIORB_SERVICE_HPP

#include "orb.hpp"

#include <memory>

namespace busmark_omniorb {

/// Requests of one client that are under way at most: each takes a thread and a connection while it is.
constexpr uint32_t MOST_REQUESTS = 32;

std::unique_ptr<busmark::Service> make_service(std::shared_ptr<Orb> orb, uint32_t domain,
                                               const Choices &choices,
                                               const busmark::EndpointConfig &config,
                                               busmark_side_e side);

} // namespace busmark_omniorb

#endif
