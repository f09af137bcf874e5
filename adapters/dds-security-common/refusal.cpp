#include "documents.hpp"

#include "domains.hpp"
#include "openssl.hpp"

#include <openssl/pem.h>

namespace dds_security {

namespace {

using busmark::Security;

Owned<EVP_PKEY> private_key(const Security &security) {
    const Owned<BIO> file(BIO_new_file(security.private_key.c_str(), "r"));
    // Given a password, OpenSSL asks nobody for it.
    auto *const password = const_cast<char *>(security.password.c_str());
    return Owned<EVP_PKEY>(
        file ? PEM_read_bio_PrivateKey(file.get(), nullptr, nullptr, password) : nullptr);
}

/// Why the identity CA does not vouch for the certificate; empty if it does.
std::string distrust(const Security &security, X509 &certificate) {
    const Owned<X509_STORE> trusted(X509_STORE_new());
    if (X509_STORE_load_file(trusted.get(), security.identity_ca.c_str()) != 1)
        return "identity_ca " + security.identity_ca + ": no certificate in PEM";
    const Owned<X509_STORE_CTX> check(X509_STORE_CTX_new());
    X509_STORE_CTX_init(check.get(), trusted.get(), &certificate, nullptr);
    if (X509_verify_cert(check.get()) == 1) return "";
    return "certificate " + security.certificate + ": " +
           X509_verify_cert_error_string(X509_STORE_CTX_get_error(check.get())) +
           " (identity_ca " + security.identity_ca + ")";
}

std::string wrong_signature(const char *what, const std::string &path, const Security &security,
                            X509 &authority) {
    const SignedDocument document(path);
    if (document.is_one() && document.is_signed_by(authority)) return "";
    return std::string(what) + " " + path + ": permissions_ca " + security.permissions_ca +
           " has not signed it, or it was changed since";
}

} // namespace

std::string why_refused(const Security &security) {
    const auto certificate = certificate_of(security.certificate);
    if (!certificate) return "certificate " + security.certificate + ": no certificate in PEM";
    if (std::string why = distrust(security, *certificate); !why.empty()) return why;
    const auto key = private_key(security);
    if (!key)
        return "private_key " + security.private_key + ": no private key in PEM, or it is encrypted " +
               (security.password.empty() ? "and there is no password" : "with another password");
    if (X509_check_private_key(certificate.get(), key.get()) != 1)
        return "private_key " + security.private_key + ": not the key of certificate " +
               security.certificate;
    const auto authority = certificate_of(security.permissions_ca);
    if (!authority) return "permissions_ca " + security.permissions_ca + ": no certificate in PEM";
    for (const auto &[what, path] : {std::pair("governance", security.governance),
                                     std::pair("permissions", security.permissions)})
        if (std::string why = wrong_signature(what, path, security, *authority); !why.empty())
            return why;
    return why_no_grant(security);
}

} // namespace dds_security
