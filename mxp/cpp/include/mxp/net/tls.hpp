/// TLS, by OpenSSL.
#ifndef MXP_NET_TLS_HPP
#define MXP_NET_TLS_HPP

#include <array>
#include <asio/ssl.hpp>
#include <chrono>
#include <string>

#include "transport.hpp"

namespace mxp::net {

namespace detail {

/// A context of clients that trust whom the system trusts.
[[nodiscard]] inline asio::ssl::context trusting_the_system() {
    asio::ssl::context made{asio::ssl::context::tls_client};
    std::error_code ignored;
    made.set_default_verify_paths(ignored);
    return made;
}

/// Has a client look at the peer's certificate: who has signed it, and whether it is for a name or
/// an IP address. It is false if none can be for that.
template <class Stream>
[[nodiscard]] bool expect_peer(Stream& of, const std::string& host, bool is_anybody) {
    SSL* const ssl = of.native_handle();
    X509_VERIFY_PARAM* const wanted = SSL_get0_param(ssl);
    const bool is_address = X509_VERIFY_PARAM_set1_ip_asc(wanted, host.c_str()) == 1;
    if (!is_address) {
        SSL_set_tlsext_host_name(ssl, host.c_str());
    }
    if (is_anybody) {
        X509_VERIFY_PARAM_set1_ip(wanted, nullptr, 0);
        SSL_set_verify(ssl, SSL_VERIFY_NONE, nullptr);
        return true;
    }
    SSL_set_verify(ssl, SSL_VERIFY_PEER, SSL_get_verify_callback(ssl));
    X509_VERIFY_PARAM_set_hostflags(wanted, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    return is_address || X509_VERIFY_PARAM_set1_host(wanted, host.c_str(), host.size()) == 1;
}

}  // namespace detail

/// A TCP connection with TLS.
class tls_transport final : public transport {
   public:
    using stream = asio::ssl::stream<asio::generic::stream_protocol::socket>;

    explicit tls_transport(stream of) : stream_(std::move(of)) {}

    void read(std::shared_ptr<listener> by) override {
        stream_.async_read_some(
            asio::buffer(room_),
            [this, by = std::move(by)](const std::error_code& failed, std::size_t n) {
                if (failed == asio::ssl::error::stream_truncated) {
                    // Frames say where they end, so that TLS need not.
                    by->on_lost(asio::error::eof);
                } else if (failed) {
                    by->on_lost(failed);
                } else {
                    by->on_bytes({room_.data(), n});
                }
            });
    }

    std::size_t write(const pieces& of, std::shared_ptr<listener> by) override {
        // Nothing tells whether the socket took it at once, but how long that was.
        const auto begun = std::chrono::steady_clock::now();
        stream_.async_write_some(
            of, [begun, by = std::move(by)](const std::error_code& failed, std::size_t n) {
                if (failed) {
                    by->on_unwritten(failed);
                } else {
                    by->on_written(n, std::chrono::steady_clock::now() - begun > at_once);
                }
            });
        return 0;
    }

    /// Sends TLS's own end.
    void finish(std::shared_ptr<listener> by) override {
        stream_.async_shutdown([by = std::move(by)](const std::error_code&) {});
    }

    void close() override {
        std::error_code ignored;
        stream_.lowest_layer().close(ignored);
    }

    [[nodiscard]] bool is_protected() const override { return true; }

   private:
    static constexpr std::chrono::milliseconds at_once{10};

    stream stream_;
    /// As much as a record of TLS can have.
    std::array<std::byte, 16384> room_;
};

}  // namespace mxp::net

#endif  // MXP_NET_TLS_HPP
