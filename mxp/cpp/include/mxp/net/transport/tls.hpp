/// TLS, by OpenSSL; without MXP_TLS there is none.
#ifndef MXP_NET_TRANSPORT_TLS_HPP
#define MXP_NET_TRANSPORT_TLS_HPP

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "../client_options.hpp"
#include "../server_options.hpp"
#include "../transport.hpp"
#include "tcp.hpp"
#if defined(MXP_TLS)
#include <array>
#include <asio/bind_executor.hpp>
#include <asio/dispatch.hpp>
#include <asio/ssl.hpp>
#include <asio/strand.hpp>
#include <chrono>

#include "certificate.hpp"
#endif

namespace mxp::net {

#if defined(MXP_TLS)

namespace detail {

/// A context of clients that trust the system's authorities.
[[nodiscard]] inline asio::ssl::context trusting_the_system() {
    asio::ssl::context made{asio::ssl::context::tls_client};
    std::error_code ignored;
    made.set_default_verify_paths(ignored);
    return made;
}

/// Has a client look at the peer's certificate: who has signed it, and whether it is for a name or
/// an IP address. It is false if none can be for that.
template <class Stream>
[[nodiscard]] bool expect_peer(Stream& stream, const std::string& host, bool is_anybody) {
    SSL* const ssl = stream.native_handle();
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

/// The failure of TLS: it is final, unless the network has caused it.
[[nodiscard]] inline failure tls_failure(const std::error_code& why, SSL* connection) {
    if (why.category() != asio::error::get_ssl_category()) {
        return why == asio::error::operation_aborted ? unavailable("nobody answers")
                                                     : unavailable("TLS: " + why.message());
    }
    const long verified = SSL_get_verify_result(connection);
    return unusable("TLS: " + (verified == X509_V_OK
                                   ? why.message()
                                   : std::string{X509_verify_cert_error_string(verified)}));
}

/// Whether a peer has said something else than TLS, of which OpenSSL tells it nothing.
[[nodiscard]] inline bool is_no_tls(const std::error_code& why) {
    if (why.category() != asio::error::get_ssl_category()) {
        return false;
    }
    const int reason = ERR_GET_REASON(static_cast<unsigned long>(why.value()));
    return reason == SSL_R_WRONG_VERSION_NUMBER || reason == SSL_R_HTTP_REQUEST;
}

/// Says so by an alert of TLS, "unexpected message", if the socket takes it at once.
inline void refuse_no_tls(socket_handle socket) {
    std::array<unsigned char, 7> alert{21, 3, 1, 0, 2, 2, 10};
    const iovec piece{alert.data(), alert.size()};
    std::error_code ignored;
    static_cast<void>(write_socket(socket, &piece, 1, ignored));
}

/// A TCP connection with TLS. Asio's own operations on it run one at a time.
struct tls_socket {
    using stream = asio::ssl::stream<asio::generic::stream_protocol::socket>;

    template <class Socket>
    tls_socket(Socket socket, asio::ssl::context& context)
        : bytes(std::move(socket), context), lane(asio::make_strand(bytes.get_executor())) {}

    /// Closes it, during any operation.
    static void close(const std::shared_ptr<tls_socket>& socket) {
        asio::dispatch(socket->lane, [socket] {
            std::error_code ignored;
            socket->bytes.lowest_layer().close(ignored);
        });
    }

    stream bytes;
    asio::strand<stream::executor_type> lane;
    /// As much as a record of TLS can have.
    std::array<std::byte, 16384> room{};
};

}  // namespace detail

class tls_stream final : public byte_stream {
   public:
    tls_stream(std::shared_ptr<detail::tls_socket> socket,
               asio::ssl::stream_base::handshake_type as, net::peer peer)
        : stream_(std::move(socket)), as_(as), peer_(std::move(peer)) {}

    void open(open_handler then) override {
        asio::dispatch(stream_->lane, [of = stream_, as = as_, then = std::move(then)]() mutable {
            of->bytes.async_handshake(
                as, asio::bind_executor(of->lane, [of, as, then = std::move(then)](
                                                      const std::error_code& failed) {
                    if (as == asio::ssl::stream_base::server && detail::is_no_tls(failed)) {
                        detail::refuse_no_tls(of->bytes.lowest_layer().native_handle());
                    }
                    then(failed
                             ? std::optional{detail::tls_failure(failed, of->bytes.native_handle())}
                             : std::nullopt);
                }));
        });
    }
    /// With the certificate that it has shown, once that was verified.
    [[nodiscard]] net::peer peer() const override {
        net::peer made = peer_;
        made.certificate = detail::certificate_of(stream_->bytes.native_handle());
        return made;
    }

    void read(std::shared_ptr<handler> owner) override {
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

    void watch(std::weak_ptr<handler> owner) override {
        if constexpr (!detail::tells_hang_up) {
            return;
        }
        asio::dispatch(stream_->lane, [of = stream_, owner = std::move(owner)]() mutable {
            const auto ended = [of, owner = std::move(owner)](const std::error_code& failed) {
                const auto kept = owner.lock();
                if (kept && !failed &&
                    detail::is_hung_up(of->bytes.lowest_layer().native_handle())) {
                    kept->turns()->run([kept] { kept->on_hang_up(); });
                }
            };
            of->bytes.lowest_layer().async_wait(
                detail::tls_socket::stream::lowest_layer_type::wait_error,
                asio::bind_executor(of->lane, ended));
        });
    }

    void look(std::weak_ptr<handler> owner) override {
        asio::dispatch(stream_->lane, [of = stream_, owner = std::move(owner)] {
            const auto kept = owner.lock();
            auto& socket = of->bytes.lowest_layer();
            if (kept != nullptr && socket.is_open() && detail::is_hung_up(socket.native_handle())) {
                kept->turns()->run([kept] { kept->on_hang_up(); });
            }
        });
    }

    std::size_t write(const pieces& pieces, std::shared_ptr<handler> owner) override {
        // Nothing tells whether the socket took it at once, but how long that was.
        const auto begun = std::chrono::steady_clock::now();
        asio::dispatch(stream_->lane, [of = stream_, pieces, begun,
                                       owner = std::move(owner)]() mutable {
            of->bytes.async_write_some(
                pieces,
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
    void finish(std::shared_ptr<handler> owner) override {
        asio::dispatch(stream_->lane, [of = stream_, owner = std::move(owner)]() mutable {
            of->bytes.async_shutdown(asio::bind_executor(
                of->lane, [of, owner = std::move(owner)](const std::error_code&) {}));
        });
    }

    void close() override { detail::tls_socket::close(stream_); }

    /// In TLS 1.3 a client is ready before the server is, and may be refused later.
    [[nodiscard]] std::optional<failure> refusal(const std::error_code& why) const override {
        if (why.category() != asio::error::get_ssl_category()) {
            return std::nullopt;
        }
        return unusable("TLS: " + why.message());
    }

   private:
    static constexpr std::chrono::milliseconds at_once{10};

    std::shared_ptr<detail::tls_socket> stream_;
    asio::ssl::stream_base::handshake_type as_;
    net::peer peer_;
};

#endif

/// TLS over TCP.
class tls_transport final : public transport {
   public:
    [[nodiscard]] address_form form() const override { return address_form::host_and_port; }
    [[nodiscard]] protection protects() const override { return {false, true}; }

    [[nodiscard]] outcome<std::unique_ptr<blocking_bytes>>
    dial_blocking(const address& /*at*/, const blocking_options& /*options*/,
                  std::chrono::steady_clock::time_point /*until*/) override {
        return failed_outcome{unusable("this client does not speak TLS")};
    }

#if defined(MXP_TLS)
    [[nodiscard]] std::function<void()> dial(asio::io_context& io, const address& address,
                                             const client_options& options,
                                             dial_handler then) override {
        asio::ssl::context& with = options.tls != nullptr ? *options.tls : of_the_system();
        const bool is_anybody = options.dangerously_accept_any_certificate;
        return detail::dial_tcp(
            io, address,
            [&with, is_anybody, host = address.host, then = std::move(then)](auto answer) {
                if (!answer) {
                    then(failed_outcome{answer.error()});
                    return;
                }
                auto made = stream_of(std::move(*answer), with, asio::ssl::stream_base::client);
                if (detail::expect_peer(made.first->bytes, host, is_anybody)) {
                    then(std::move(made.second));
                } else {
                    then(failed_outcome{unusable("TLS: no certificate can have this name")});
                }
            });
    }

    [[nodiscard]] attempt<listener> listen(asio::io_context& io, const address& address,
                                           const server_options& options,
                                           accept_handler then) override {
        if (options.tls == nullptr) {
            return no_tls();
        }
        return detail::listen_tcp(
            io, address,
            [&with = *options.tls, then = std::move(then)](asio::ip::tcp::socket socket) {
                then(stream_of(std::move(socket), with, asio::ssl::stream_base::server).second);
            });
    }

   private:
    using socket_and_stream =
        std::pair<std::shared_ptr<detail::tls_socket>, std::unique_ptr<byte_stream>>;

    [[nodiscard]] static socket_and_stream stream_of(asio::ip::tcp::socket lower,
                                                     asio::ssl::context& context,
                                                     asio::ssl::stream_base::handshake_type as) {
        net::peer who = detail::tcp_peer(lower, "tls");
        const auto socket = std::make_shared<detail::tls_socket>(std::move(lower), context);
        return {socket, std::make_unique<tls_stream>(socket, as, std::move(who))};
    }
    /// The context of clients that have none.
    [[nodiscard]] static asio::ssl::context& of_the_system() {
        static asio::ssl::context all = detail::trusting_the_system();
        return all;
    }
#else
    [[nodiscard]] std::function<void()> dial(asio::io_context& io, const address& /*at*/,
                                             const client_options& /*options*/,
                                             dial_handler then) override {
        asio::post(io, [then = std::move(then)] {
            then(failed_outcome{unusable("this client was built without TLS")});
        });
        return [] {};
    }

    [[nodiscard]] attempt<listener> listen(asio::io_context& /*io*/, const address& /*at*/,
                                           const server_options& /*options*/,
                                           accept_handler /*then*/) override {
        return no_tls();
    }

   private:
#endif
    [[nodiscard]] static failed_attempt no_tls() {
        return failed_attempt{
            {std::make_error_code(std::errc::operation_not_supported), "there is no TLS"}};
    }
};

}  // namespace mxp::net

#endif  // MXP_NET_TRANSPORT_TLS_HPP
