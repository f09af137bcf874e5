#include "openssl.hpp"

#include <openssl/pem.h>

namespace dds_security {

namespace {

std::string text_of(BIO *bio) {
    std::string text;
    char part[4096];
    for (int bytes = BIO_read(bio, part, sizeof part); bytes > 0;
         bytes = BIO_read(bio, part, sizeof part))
        text.append(part, static_cast<size_t>(bytes));
    return text;
}

} // namespace

Owned<X509> certificate_of(const std::string &path) {
    const Owned<BIO> file(BIO_new_file(path.c_str(), "r"));
    return Owned<X509>(file ? PEM_read_bio_X509(file.get(), nullptr, nullptr, nullptr) : nullptr);
}

std::string subject_of(const X509 &certificate) {
    const Owned<BIO> text(BIO_new(BIO_s_mem()));
    X509_NAME_print_ex(text.get(), X509_get_subject_name(&certificate), 0,
                       XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB);
    return text_of(text.get());
}

SignedDocument::SignedDocument(const std::string &path) {
    const Owned<BIO> file(BIO_new_file(path.c_str(), "r"));
    BIO *beside = nullptr;
    if (file) message_.reset(SMIME_read_PKCS7(file.get(), &beside));
    const Owned<BIO> owned(beside);
    if (beside != nullptr) beside_ = text_of(beside);
}

std::string SignedDocument::content() const {
    if (!beside_.empty()) return beside_;
    const Owned<BIO> within(PKCS7_dataInit(message_.get(), nullptr));
    return within ? text_of(within.get()) : "";
}

bool SignedDocument::is_signed_by(X509 &authority) const {
    const Owned<STACK_OF(X509)> signers(sk_X509_new_null());
    sk_X509_push(signers.get(), &authority);
    const Owned<BIO> beside(
        beside_.empty() ? nullptr
                        : BIO_new_mem_buf(beside_.data(), static_cast<int>(beside_.size())));
    const int flags = PKCS7_NOVERIFY | PKCS7_NOINTERN;
    return PKCS7_verify(message_.get(), signers.get(), nullptr, beside.get(), nullptr, flags) == 1;
}

} // namespace dds_security
