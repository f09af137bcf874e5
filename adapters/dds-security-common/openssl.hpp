// Objects of OpenSSL that free themselves.
#pragma once

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pkcs7.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>

#include <memory>
#include <string>

namespace dds_security {

struct OpensslFree {
    void operator()(BIO *native) const { BIO_free_all(native); }
    void operator()(EVP_PKEY *native) const { EVP_PKEY_free(native); }
    void operator()(PKCS7 *native) const { PKCS7_free(native); }
    void operator()(X509 *native) const { X509_free(native); }
    void operator()(X509_STORE *native) const { X509_STORE_free(native); }
    void operator()(X509_STORE_CTX *native) const { X509_STORE_CTX_free(native); }
    void operator()(STACK_OF(X509) *native) const { sk_X509_free(native); }
};
template <class Native> using Owned = std::unique_ptr<Native, OpensslFree>;

/// The first certificate of a file; none if there is none.
Owned<X509> certificate_of(const std::string &path);

/// What a certificate is about, as RFC 2253 writes it.
std::string subject_of(const X509 &certificate);

/// A document signed as S/MIME.
class SignedDocument {
public:
    explicit SignedDocument(const std::string &path);
    bool is_one() const { return message_ != nullptr; }
    /// What is signed, with the header that says that it is text.
    std::string content() const;
    bool is_signed_by(X509 &authority) const;

private:
    Owned<PKCS7> message_;
    std::string beside_; ///< the content, where it is not within the signature
};

} // namespace dds_security
