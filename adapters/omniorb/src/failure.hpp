/* SPDX-License-Identifier: Apache-2.0
 *
 * What CORBA throws, as the errors of the contract.
 */
#ifndef BUSMARK_OMNIORB_FAILURE_HPP
#define BUSMARK_OMNIORB_FAILURE_HPP

#include <busmark_adapter.hpp>
#include <omniORB4/CORBA.h>

#include <string>

namespace busmark_omniorb {

/// "COMM_FAILURE (COMM_FAILURE_WaitingForReply)": the exception in omniORB's own words.
inline std::string words(const CORBA::Exception &exception) {
    std::string text = exception._name();
    if (const auto *system = CORBA::SystemException::_downcast(&exception)) {
        const char *minor = system->NP_minorString();
        text += " (" + (minor != nullptr ? std::string(minor) : std::to_string(system->minor())) + ")";
    }
    return text;
}

/// Runs `body`; a CORBA exception becomes an Error that says what was tried.
template <class Body>
auto told(const std::string &what, busmark_status_e status, Body &&body) -> decltype(body()) {
    try {
        return body();
    } catch (const CORBA::Exception &exception) {
        throw busmark::Error(status, what + ": " + words(exception));
    } catch (const omniORB::fatalException &fault) {
        throw busmark::Error(status, what + ": " + fault.errmsg());
    }
}

/// Runs a call that may fail because the peer is gone, which is nobody's business then.
template <class Body> void tolerant(Body &&body) noexcept {
    try {
        body();
    } catch (const CORBA::Exception &) {
    } catch (const omniORB::fatalException &) {
    }
}

} // namespace busmark_omniorb

#endif
