/// TLS, by OpenSSL.
#ifndef MXP_NET_TLS_HPP
#define MXP_NET_TLS_HPP

#include <array>
#include <asio/bind_executor.hpp>
#include <asio/dispatch.hpp>
#include <asio/ssl.hpp>
#include <asio/strand.hpp>
#include <chrono>
#include <memory>
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

/// A TCP connection with TLS. What Asio does for it by itself is done one at a time.
struct tls_stream {
    using stream = asio::ssl::stream<asio::generic::stream_protocol::socket>;

    template <class Socket>
    tls_stream(Socket of, asio::ssl::context& with)
        : bytes(std::move(of), with), lane(asio::make_strand(bytes.get_executor())) {}

    /// Closes it, whatever it does.
    static void close(const std::shared_ptr<tls_stream>& one) {
        asio::dispatch(one->lane, [one] {
            std::error_code ignored;
            one->bytes.lowest_layer().close(ignored);
        });
    }
    /// Has TLS begin, and a function told how that ended.
    template <class Function>
    static void shake_hands(const std::shared_ptr<tls_stream>& one,
                            asio::ssl::stream_base::handshake_type as, Function then) {
        asio::dispatch(one->lane, [one, as, then = std::move(then)]() mutable {
            one->bytes.async_handshake(as, asio::bind_executor(one->lane, std::move(then)));
        });
    }

    stream bytes;
    asio::strand<stream::executor_type> lane;
    /// As much as a record of TLS can have.
    std::array<std::byte, 16384> room{};
};

class tls_transport final : public transport {
   public:
    explicit tls_transport(std::shared_ptr<tls_stream> of) : stream_(std::move(of)) {}

    void read(std::shared_ptr<listener> owner) override {
        asio::dispatch(stream_->lane, [of = stream_, owner = std::move(owner)]() mutable {
            of->bytes.async_read_some(
                asio::buffer(of->room),
                asio::bind_executor(of->lane, [of, owner = std::move(owner)](std::error_code failed,
                                                                             std::size_t n) {
                    if (failed == asio::ssl::error::stream_truncated) {
                        failed = asio::error::eof;  // frames say where they end
                    }
                    owner->turns()->run([of, owner, failed, n] {
                        if (failed) {
                            owner->on_lost(failed);
                        } else {
                            owner->on_bytes({of->room.data(), n});
                        }
                    });
                }));
        });
    }

    void watch(std::weak_ptr<listener> owner) override {
        asio::dispatch(stream_->lane, [of = stream_, owner = std::move(owner)]() mutable {
            const auto ended = [of, owner = std::move(owner)](const std::error_code& failed) {
                const auto kept = owner.lock();
                if (kept && !failed && detail::is_hung_up(of->bytes.lowest_layer())) {
                    kept->turns()->run([kept] { kept->on_hang_up(); });
                }
            };
            of->bytes.lowest_layer().async_wait(tls_stream::stream::lowest_layer_type::wait_error,
                                                asio::bind_executor(of->lane, ended));
        });
    }

    std::size_t write(const pieces& what, std::shared_ptr<listener> owner) override {
        // Nothing tells whether the socket took it at once, but how long that was.
        const auto begun = std::chrono::steady_clock::now();
        asio::dispatch(stream_->lane, [of = stream_, what, begun,
                                       owner = std::move(owner)]() mutable {
            of->bytes.async_write_some(
                what,
                asio::bind_executor(of->lane, [begun, owner = std::move(owner)](
                                                  const std::error_code& failed, std::size_t n) {
                    owner->turns()->run([begun, owner, failed, n] {
                        if (failed) {
                            owner->on_unwritten(failed);
                        } else {
                            const auto took = std::chrono::steady_clock::now() - begun;
                            owner->on_written(n, took > at_once);
                        }
                    });
                }));
        });
        return 0;
    }

    /// Sends TLS's own end.
    void finish(std::shared_ptr<listener> owner) override {
        asio::dispatch(stream_->lane, [of = stream_, owner = std::move(owner)]() mutable {
            of->bytes.async_shutdown(asio::bind_executor(
                of->lane, [of, owner = std::move(owner)](const std::error_code&) {}));
        });
    }

    void close() override { tls_stream::close(stream_); }

    [[nodiscard]] bool is_protected() const override { return true; }

   private:
    static constexpr std::chrono::milliseconds at_once{10};

    std::shared_ptr<tls_stream> stream_;
};

}  // namespace mxp::net

#endif  // MXP_NET_TLS_HPP
