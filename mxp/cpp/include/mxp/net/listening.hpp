/// How a server listens, and accepts connections.
#ifndef MXP_NET_LISTENING_HPP
#define MXP_NET_LISTENING_HPP

#include <unistd.h>

#include <asio/ip/tcp.hpp>
#include <asio/local/stream_protocol.hpp>
#include <asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "server.hpp"

namespace mxp::net {

namespace detail {

/// The address of a socket's other side; there is none if that is gone.
[[nodiscard]] inline std::string peer_of(const asio::ip::tcp::socket& of, carrier kind) {
    std::error_code failed;
    const auto at = of.remote_endpoint(failed);
    return failed
               ? std::string{}
               : to_string(address{kind, {}, at.address().to_string(), std::to_string(at.port())});
}

}  // namespace detail

inline attempt<std::string> server::state::listen(std::string_view text) {
    if (const auto wrong = detail::wrong_options(options)) {
        return failed_attempt{{std::make_error_code(std::errc::invalid_argument), *wrong}};
    }
    const auto at = parse_address(text);
    if (!at) {
        return failed_attempt{{std::make_error_code(std::errc::invalid_argument),
                               std::string{text} +
                                   " is none of mxp+unix:///path, mxp+tcp://host:port and "
                                   "mxp+tls://host:port"}};
    }
    return at->carrier == carrier::unix_socket ? listen_unix(*at) : listen_tcp(*at);
}

inline attempt<std::string> server::state::listen_unix(const address& at) {
    if (!options.any_user && !options.admit && !tells_peer_user) {
        return failed_attempt{{std::make_error_code(std::errc::operation_not_supported),
                               "this system doesn't tell who connects to a unix socket; with "
                               "any_user all may whom the file's mode lets"}};
    }
    const auto acceptor = std::make_shared<asio::local::stream_protocol::acceptor>(context);
    if (const auto done = listen_on(*acceptor, at.path); !done) {
        return failed_attempt{done.error()};
    }
    const std::lock_guard<std::mutex> lock{mutex};
    listeners.emplace_back([acceptor, path = at.path] {
        std::error_code ignored;
        acceptor->close(ignored);
        ::unlink(path.c_str());
    });
    const auto text = std::make_shared<const std::string>(to_string(at));
    accept(acceptor, text);
    return *text;
}

inline attempt<std::string> server::state::listen_tcp(const address& at) {
    const bool is_tls = at.carrier == carrier::tls;
#if defined(MXP_TLS)
    const bool is_possible = !is_tls || options.tls != nullptr;
#else
    const bool is_possible = !is_tls;
#endif
    if (!is_possible) {
        return failed_attempt{
            {std::make_error_code(std::errc::operation_not_supported), "there is no TLS"}};
    }
    std::error_code failed;
    asio::ip::tcp::resolver resolver{context};
    const auto found = resolver.resolve(at.host, at.port, asio::ip::tcp::resolver::passive, failed);
    if (failed || found.empty()) {
        return failed_attempt{{failed, at.host}};
    }
    const auto acceptor = std::make_shared<asio::ip::tcp::acceptor>(context);
    const asio::ip::tcp::endpoint endpoint = *found.begin();
    acceptor->open(endpoint.protocol(), failed);
    if (!failed) {
        acceptor->set_option(asio::socket_base::reuse_address{true}, failed);
    }
    if (!failed) {
        acceptor->bind(endpoint, failed);
    }
    if (!failed) {
        acceptor->listen(asio::socket_base::max_listen_connections, failed);
    }
    if (failed) {
        return failed_attempt{{failed, at.host + ":" + at.port}};
    }
    const std::lock_guard<std::mutex> lock{mutex};
    listeners.emplace_back([acceptor] {
        std::error_code ignored;
        acceptor->close(ignored);
    });
    accept(acceptor, is_tls);
    const std::string host = at.host.find(':') == std::string::npos ? at.host : "[" + at.host + "]";
    const auto port = std::to_string(acceptor->local_endpoint(failed).port());
    return (is_tls ? "mxp+tls://" : "mxp+tcp://") + host + ":" + port;
}

inline void
server::state::accept(const std::shared_ptr<asio::local::stream_protocol::acceptor>& acceptor,
                      const std::shared_ptr<const std::string>& at) {
    acceptor->async_accept(
        [self = shared_from_this(), acceptor, at](const std::error_code& failed,
                                                  asio::local::stream_protocol::socket socket) {
            if (self->accepted(acceptor, failed,
                               [acceptor, at](state& of) { of.accept(acceptor, at); })) {
                net::peer who{*at, carrier::unix_socket, peer_process(socket.native_handle()), {}};
                self->serve(std::make_unique<socket_transport>(std::move(socket), true),
                            std::move(who));
            }
        });
}

inline void server::state::accept(const std::shared_ptr<asio::ip::tcp::acceptor>& acceptor,
                                  bool is_tls) {
    acceptor->async_accept([self = shared_from_this(), acceptor,
                            is_tls](const std::error_code& failed, asio::ip::tcp::socket socket) {
        if (!self->accepted(acceptor, failed,
                            [acceptor, is_tls](state& of) { of.accept(acceptor, is_tls); })) {
            return;
        }
        detail::tune_tcp(socket.native_handle(), detail::unsent_bytes);
        if (is_tls) {
            self->secure(std::move(socket));
        } else {
            net::peer who{detail::peer_of(socket, carrier::tcp), carrier::tcp, {}, {}};
            self->serve(std::make_unique<socket_transport>(std::move(socket), false),
                        std::move(who));
        }
    });
}

/// Goes on to accept, unless the server is closed; false if nobody has connected.
template <class Acceptor, class Again>
bool server::state::accepted(const std::shared_ptr<Acceptor>& acceptor,
                             const std::error_code& failed, Again again) {
    const std::lock_guard<std::mutex> lock{mutex};
    if (is_closed) {
        return false;
    }
    if (failed) {
        accept_later(acceptor, again);
        return false;
    }
    again(*this);
    return true;
}

/// Tries anew after a while, when for instance there are too many open files.
template <class Acceptor, class Again>
void server::state::accept_later(const std::shared_ptr<Acceptor>& acceptor, Again again) {
    const auto pause = std::make_shared<asio::steady_timer>(context, std::chrono::milliseconds{10});
    pause->async_wait(
        [self = shared_from_this(), acceptor, pause, again](const std::error_code& failed) {
            const std::lock_guard<std::mutex> lock{self->mutex};
            if (!failed && !self->is_closed && acceptor->is_open()) {
                again(*self);
            }
        });
}

inline void server::state::secure([[maybe_unused]] asio::ip::tcp::socket of) {
#if defined(MXP_TLS)
    {
        const std::lock_guard<std::mutex> lock{mutex};
        if (connections.size() + securing >= options.connections) {
            return;
        }
        ++securing;
    }
    const auto peer = detail::peer_of(of, carrier::tls);
    const auto made = std::make_shared<tls_stream>(std::move(of), *options.tls);
    const auto most = std::make_shared<asio::steady_timer>(
        context, std::chrono::microseconds{static_cast<std::int64_t>(options.limits.hello_us)});
    most->async_wait([made](const std::error_code& failed) {
        if (!failed) {
            tls_stream::close(made);
        }
    });
    tls_stream::shake_hands(
        made, asio::ssl::stream_base::server,
        [self = shared_from_this(), made, most, peer](const std::error_code& failed) {
            most->cancel();
            {
                const std::lock_guard<std::mutex> lock{self->mutex};
                --self->securing;
            }
            if (!failed) {
                self->serve(
                    std::make_unique<tls_transport>(made),
                    {peer, carrier::tls, {}, detail::certificate_of(made->bytes.native_handle())});
            }
        });
#endif
}

}  // namespace mxp::net

#endif  // MXP_NET_LISTENING_HPP
