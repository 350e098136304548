/// Certificates of tests, which no file has.
#ifndef MXP_TESTS_NET_CERTIFICATES_HPP
#define MXP_TESTS_NET_CERTIFICATES_HPP

#if defined(MXP_TLS)
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <asio/ssl.hpp>
#include <cstdio>
#include <memory>
#include <string>

namespace running {

/// A key, and a certificate that it or an authority has signed.
class certificate {
   public:
    /// One for a name, as `DNS:localhost`, that is good for so many seconds from now on. Without an
    /// authority it is its own, and may sign others.
    explicit certificate(const std::string& name, const certificate* authority = nullptr,
                         long seconds = 3600)
        : key_(EVP_EC_gen("P-256"), EVP_PKEY_free), made_(X509_new(), X509_free) {
        static long last = 255;
        number_ = ++last;
        X509_set_version(made_.get(), 2);
        ASN1_INTEGER_set(X509_get_serialNumber(made_.get()), number_);
        X509_gmtime_adj(X509_getm_notBefore(made_.get()), -7200);
        X509_gmtime_adj(X509_getm_notAfter(made_.get()), seconds);
        X509_set_pubkey(made_.get(), key_.get());
        const std::string title = "of the tests " + std::to_string(number_);
        X509_NAME_add_entry_by_txt(X509_get_subject_name(made_.get()), "CN", MBSTRING_ASC,
                                   reinterpret_cast<const unsigned char*>(title.c_str()), -1, -1,
                                   0);
        const certificate& by = authority == nullptr ? *this : *authority;
        X509_set_issuer_name(made_.get(), X509_get_subject_name(by.made_.get()));
        say(NID_subject_alt_name, name);
        if (authority == nullptr) {
            say(NID_basic_constraints, "critical,CA:TRUE");
        }
        X509_sign(made_.get(), by.key_.get(), EVP_sha256());
    }

    /// Has a context show it.
    void identify(asio::ssl::context& context) const {
        const std::string made = text([&](BIO* to) { PEM_write_bio_X509(to, made_.get()); });
        const std::string key = text([&](BIO* to) {
            PEM_write_bio_PrivateKey(to, key_.get(), nullptr, nullptr, 0, nullptr, nullptr);
        });
        context.use_certificate_chain(asio::buffer(made));
        context.use_private_key(asio::buffer(key), asio::ssl::context::pem);
    }
    /// Has a context refuse one that it has signed, and look at whether others are refused.
    void revoke(const certificate& one, asio::ssl::context& context) const {
        const std::unique_ptr<X509_CRL, decltype(&X509_CRL_free)> list(X509_CRL_new(),
                                                                       X509_CRL_free);
        X509_CRL_set_version(list.get(), 1);
        X509_CRL_set_issuer_name(list.get(), X509_get_subject_name(made_.get()));
        const std::unique_ptr<ASN1_TIME, decltype(&ASN1_TIME_free)> before(
            X509_gmtime_adj(nullptr, -3600), ASN1_TIME_free);
        const std::unique_ptr<ASN1_TIME, decltype(&ASN1_TIME_free)> after(
            X509_gmtime_adj(nullptr, 3600), ASN1_TIME_free);
        X509_CRL_set1_lastUpdate(list.get(), before.get());
        X509_CRL_set1_nextUpdate(list.get(), after.get());
        X509_REVOKED* const entry = X509_REVOKED_new();
        X509_REVOKED_set_serialNumber(entry, X509_get_serialNumber(one.made_.get()));
        X509_REVOKED_set_revocationDate(entry, before.get());
        X509_CRL_add0_revoked(list.get(), entry);
        X509_CRL_sort(list.get());
        X509_CRL_sign(list.get(), key_.get(), EVP_sha256());
        X509_STORE* const store = SSL_CTX_get_cert_store(context.native_handle());
        X509_STORE_add_crl(store, list.get());
        X509_STORE_set_flags(store, X509_V_FLAG_CRL_CHECK);
    }
    /// Makes a context trust the certificates that it has signed.
    void vouch(asio::ssl::context& context) const {
        const std::string made = text([&](BIO* to) { PEM_write_bio_X509(to, made_.get()); });
        context.add_certificate_authority(asio::buffer(made));
    }

    /// Its number, in hexadecimal.
    [[nodiscard]] std::string serial() const {
        char text[17];
        std::snprintf(text, sizeof text, "%lx", number_);
        return text;
    }

   private:
    void say(int what, const std::string& value) {
        X509_EXTENSION* const made = X509V3_EXT_conf_nid(nullptr, nullptr, what, value.c_str());
        X509_add_ext(made_.get(), made, -1);
        X509_EXTENSION_free(made);
    }
    template <class Write>
    [[nodiscard]] static std::string text(Write write) {
        const std::unique_ptr<BIO, decltype(&BIO_free)> to(BIO_new(BIO_s_mem()), BIO_free);
        write(to.get());
        char* first = nullptr;
        const long n = BIO_get_mem_data(to.get(), &first);
        return {first, static_cast<std::size_t>(n)};
    }

    std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key_;
    std::unique_ptr<X509, decltype(&X509_free)> made_;
    long number_ = 0;
};

/// A certificate for localhost, and contexts of a server that shows it and a client that trusts it.
struct secured {
    secured() {
        shown.identify(server);
        shown.vouch(client);
    }

    certificate shown{"DNS:localhost"};
    asio::ssl::context server{asio::ssl::context::tls_server};
    asio::ssl::context client{asio::ssl::context::tls_client};
};

inline secured& the_certificate() {
    static secured one;
    return one;
}

}  // namespace running
#endif

#endif  // MXP_TESTS_NET_CERTIFICATES_HPP
