/// The names that a peer's certificate is for, by OpenSSL.
#ifndef MXP_NET_TRANSPORT_CERTIFICATE_HPP
#define MXP_NET_TRANSPORT_CERTIFICATE_HPP

#include <openssl/bn.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <memory>
#include <optional>
#include <string>

#include "../peer.hpp"

namespace mxp::net::detail {

[[nodiscard]] inline std::string hex_of(const unsigned char* bytes, std::size_t n) {
    constexpr char digits[] = "0123456789abcdef";
    std::string made;
    for (std::size_t i = 0; i < n; ++i) {
        made += digits[bytes[i] >> 4U];
        made += digits[bytes[i] & 15U];
    }
    return made;
}

/// The distinguished name, in UTF-8.
[[nodiscard]] inline std::string subject_of(X509& certificate) {
    const std::unique_ptr<BIO, decltype(&BIO_free)> to(BIO_new(BIO_s_mem()), BIO_free);
    X509_NAME_print_ex(to.get(), X509_get_subject_name(&certificate), 0,
                       XN_FLAG_RFC2253 & ~static_cast<unsigned long>(ASN1_STRFLGS_ESC_MSB));
    char* first = nullptr;
    const long n = BIO_get_mem_data(to.get(), &first);
    return {first, static_cast<std::size_t>(n)};
}

/// The serial number, without zeros before it.
[[nodiscard]] inline std::string serial_of(X509& certificate) {
    const std::unique_ptr<BIGNUM, decltype(&BN_free)> number(
        ASN1_INTEGER_to_BN(X509_get_serialNumber(&certificate), nullptr), BN_free);
    std::string bytes(static_cast<std::size_t>(BN_num_bytes(number.get())), '\0');
    auto* const to = reinterpret_cast<unsigned char*>(bytes.data());
    BN_bn2bin(number.get(), to);
    std::string made = hex_of(to, bytes.size());
    made.erase(0, made.size() > 1 && made.front() == '0' ? 1 : 0);
    return made.empty() ? "0" : made;
}

/// The certificate that the peer has shown, if its chain was verified.
[[nodiscard]] inline std::optional<certificate> certificate_of(SSL* connection) {
    const std::unique_ptr<X509, decltype(&X509_free)> shown(SSL_get_peer_certificate(connection),
                                                            X509_free);
    if (shown == nullptr || SSL_get_verify_result(connection) != X509_V_OK) {
        return std::nullopt;
    }
    certificate made;
    made.subject = subject_of(*shown);
    made.serial = serial_of(*shown);
    unsigned char hash[EVP_MAX_MD_SIZE];
    unsigned int n = 0;
    X509_digest(shown.get(), EVP_sha256(), hash, &n);
    made.sha256 = hex_of(hash, n);
    const std::unique_ptr<GENERAL_NAMES, decltype(&GENERAL_NAMES_free)> names(
        static_cast<GENERAL_NAMES*>(
            X509_get_ext_d2i(shown.get(), NID_subject_alt_name, nullptr, nullptr)),
        GENERAL_NAMES_free);
    for (int i = 0; i < sk_GENERAL_NAME_num(names.get()); ++i) {
        const GENERAL_NAME* const one = sk_GENERAL_NAME_value(names.get(), i);
        auto* const to = one->type == GEN_DNS     ? &made.dns_names
                         : one->type == GEN_URI   ? &made.uris
                         : one->type == GEN_EMAIL ? &made.emails
                                                  : nullptr;
        if (to != nullptr) {
            const ASN1_STRING* const text = one->d.ia5;
            to->emplace_back(reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
                             static_cast<std::size_t>(ASN1_STRING_length(text)));
        }
    }
    return made;
}

}  // namespace mxp::net::detail

#endif  // MXP_NET_TRANSPORT_CERTIFICATE_HPP
