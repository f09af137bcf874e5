/* SPDX-License-Identifier: Apache-2.0
 *
 * The ORB: one per process, with one set of parameters. It starts with the first participant and is
 * destroyed with the last.
 */
#ifndef BUSMARK_OMNIORB_ORB_HPP
#define BUSMARK_OMNIORB_ORB_HPP

#include "profile.hpp"

#include <omniORB4/CORBA.h>

#include <string>

namespace busmark_omniorb {

/// A share of the process's ORB.
class Orb {
public:
    /// Throws if another participant lives whose parameters differ.
    explicit Orb(const Parameters &parameters);
    ~Orb();
    Orb(const Orb &) = delete;
    Orb &operator=(const Orb &) = delete;

    CORBA::ORB_ptr orb() const { return orb_.in(); }

    /// A new POA.
    PortableServer::POA_ptr make_adapter(bool serial) const;

private:
    CORBA::ORB_var orb_;
    PortableServer::POA_var root_;
};

/// Objects that writers or readers offer to each other (a POA).
class ObjectAdapter {
public:
    /// `serial` makes upcalls one at a time.
    ObjectAdapter(const Orb &orb, bool serial) : poa_(orb.make_adapter(serial)) {}
    ~ObjectAdapter() { close(); }
    ObjectAdapter(const ObjectAdapter &) = delete;
    ObjectAdapter &operator=(const ObjectAdapter &) = delete;

    /// Takes the servant over and gives a reference of its object.
    CORBA::Object_var activate(PortableServer::ServantBase *servant);

    /// Ends all objects: upcalls that run end first, none comes afterwards.
    void close() noexcept;

private:
    PortableServer::POA_var poa_;
};

/// Tells this process from others.
uint64_t process_token();

/// A number that no other call in this process gives.
uint32_t next_number();

/// Makes calls through this reference give up after `ms`.
void limit_calls(CORBA::Object_ptr reference, uint32_t ms);

/// For calls that are not about samples: attaching, detaching.
constexpr uint32_t CONTROL_LIMIT_MS = 2000;

} // namespace busmark_omniorb

#endif
