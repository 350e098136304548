/// TCP: hosts and ports.
#ifndef MXP_NET_TRANSPORT_TCP_HPP
#define MXP_NET_TRANSPORT_TCP_HPP

#include <asio/bind_executor.hpp>
#include <asio/dispatch.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/strand.hpp>
#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <iterator>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "../plain_socket.hpp"
#include "../transport.hpp"
#include "accept_loop.hpp"
#include "socket_stream.hpp"

namespace mxp::net {

namespace detail {

/// Sets what TCP connections of both sides have: they send at once, a peer that is gone is found
/// while nothing is sent [MXP-10.5], and no more waits in the system than helps.
inline void tune_tcp(socket_handle socket) {
    set_option(socket, IPPROTO_TCP, TCP_NODELAY, 1);
    set_option(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
#if defined(TCP_KEEPIDLE)
    set_option(socket, IPPROTO_TCP, TCP_KEEPIDLE, 15);
#elif defined(TCP_KEEPALIVE)
    set_option(socket, IPPROTO_TCP, TCP_KEEPALIVE, 15);
#endif
#if defined(TCP_KEEPINTVL)
    set_option(socket, IPPROTO_TCP, TCP_KEEPINTVL, 5);
#endif
#if defined(TCP_KEEPCNT)
    set_option(socket, IPPROTO_TCP, TCP_KEEPCNT, 2);
#endif
    limit_unsent(socket, session::unsent_bytes);
}

/// Why the system has not connected a TCP socket.
[[nodiscard]] inline failure tcp_failure(const std::error_code& why) {
    return is_forbidden(why) ? unusable(why.message()) : unavailable(why.message());
}

/// Connects to one of the addresses that a host has. A caller that has given up gets no socket.
class tcp_dialer : public std::enable_shared_from_this<tcp_dialer> {
   public:
    using tcp = asio::ip::tcp;
    using connect_handler = std::function<void(outcome<tcp::socket>)>;

    tcp_dialer(asio::io_context& io, connect_handler then)
        : strand_(asio::make_strand(io)), resolver_(io), socket_(io), then_(std::move(then)) {}

    void start(const address& address) {
        resolver_.async_resolve(
            address.host, address.port,
            asio::bind_executor(
                strand_, [self = shared_from_this()](const std::error_code& failed,
                                                     const tcp::resolver::results_type& addresses) {
                    if (failed) {
                        self->fail(failed == asio::error::host_not_found
                                       ? unusable(failed.message())
                                       : unavailable(failed.message()));
                    } else {
                        self->connect_to(addresses, addresses.begin());
                    }
                }));
    }
    void give_up() {
        is_over_ = true;
        asio::dispatch(strand_, [self = shared_from_this()] {
            std::error_code ignored;
            self->resolver_.cancel();
            self->socket_.close(ignored);
        });
    }

   private:
    void fail(failure why) { then_(failed_outcome{std::move(why)}); }

    void connect_to(const tcp::resolver::results_type& addresses,
                    const tcp::resolver::results_type::const_iterator& next) {
        if (is_over_) {
            fail(unavailable("nobody answers"));
            return;
        }
        if (next == addresses.end()) {
            fail(unavailable("the host has no address"));
            return;
        }
        socket_ = tcp::socket{resolver_.get_executor()};
        if (const auto failed = open_socket_of(socket_, next->endpoint().protocol())) {
            refused(failed, addresses, next);
            return;
        }
        socket_.async_connect(next->endpoint(),
                              asio::bind_executor(strand_, [self = shared_from_this(), addresses,
                                                            next](const std::error_code& failed) {
                                  if (self->is_over_) {
                                      self->fail(unavailable("nobody answers"));
                                  } else if (failed) {
                                      self->refused(failed, addresses, next);
                                  } else {
                                      tune_tcp(self->socket_.native_handle());
                                      self->then_(std::move(self->socket_));
                                  }
                              }));
    }
    /// Goes on to the next address, if there is one.
    void refused(const std::error_code& why, const tcp::resolver::results_type& addresses,
                 const tcp::resolver::results_type::const_iterator& address) {
        if (std::next(address) != addresses.end()) {
            connect_to(addresses, std::next(address));
        } else {
            fail(tcp_failure(why));
        }
    }

    asio::strand<asio::io_context::executor_type> strand_;
    tcp::resolver resolver_;
    tcp::socket socket_;
    connect_handler then_;
    std::atomic<bool> is_over_{false};
};

/// Connects to a host, and returns a function that gives up.
[[nodiscard]] inline std::function<void()> dial_tcp(asio::io_context& io, const address& address,
                                                    tcp_dialer::connect_handler then) {
    const auto made = std::make_shared<tcp_dialer>(io, std::move(then));
    made->start(address);
    return [made] { made->give_up(); };
}

/// Takes connections at a host and a port.
[[nodiscard]] inline attempt<listener> listen_tcp(asio::io_context& io, const address& place,
                                                  std::function<void(asio::ip::tcp::socket)> then) {
    using tcp = asio::ip::tcp;
    std::error_code failed;
    tcp::resolver resolver{io};
    const auto found = resolver.resolve(place.host, place.port, tcp::resolver::passive, failed);
    if (failed || found.empty()) {
        return failed_attempt{{failed, place.host}};
    }
    tcp::acceptor acceptor{io};
    const tcp::endpoint endpoint = *found.begin();
    failed = open_socket_of(acceptor, endpoint.protocol());
    if (!failed) {
        set_listening(acceptor.native_handle());
        acceptor.bind(endpoint, failed);
    }
    if (!failed) {
        acceptor.listen(asio::socket_base::max_listen_connections, failed);
    }
    if (failed) {
        return failed_attempt{{failed, place.host + ":" + place.port}};
    }
    address told = place;
    told.port = std::to_string(acceptor.local_endpoint(failed).port());
    const auto on = std::make_shared<accept_loop<tcp>>(
        io, std::move(acceptor), [then = std::move(then)](tcp::socket socket) {
            tune_tcp(socket.native_handle());
            then(std::move(socket));
        });
    on->start();
    return listener{to_string(told), [on] { on->close(); }};
}

/// The peer of a socket. It has no address if it is gone.
[[nodiscard]] inline net::peer tcp_peer(const asio::ip::tcp::socket& socket,
                                        const std::string& scheme) {
    std::error_code failed;
    const auto at = socket.remote_endpoint(failed);
    const address there{
        scheme, {}, failed ? "" : at.address().to_string(), std::to_string(at.port())};
    return {failed ? std::string{} : to_string(there), scheme, {}, {}};
}

/// The addresses that a name stands for, or why they are not known.
struct lookup {
    int failed = 0;
    std::shared_ptr<addrinfo> found{};
};

[[nodiscard]] inline lookup look_up(const address& address, int flags) {
    addrinfo want{};
    want.ai_socktype = SOCK_STREAM;
    want.ai_flags = flags;
    addrinfo* found = nullptr;
    lookup made;
    made.failed = ::getaddrinfo(address.host.c_str(), address.port.c_str(), &want, &found);
    if (made.failed == 0) {
        made.found.reset(found, ::freeaddrinfo);
    }
    return made;
}

/// Connects a blocking client to one of the addresses that a host has, or says why not.
[[nodiscard]] inline outcome<socket_handle>
connect_socket(const addrinfo& address, std::chrono::steady_clock::time_point deadline) {
    const socket_handle socket = open_socket(address.ai_family, address.ai_protocol);
    std::error_code why = is_socket(socket) ? begin_connect(socket, address) : last_error();
    if (why == std::errc::operation_in_progress) {
        const auto left = std::chrono::ceil<std::chrono::microseconds>(
            deadline - std::chrono::steady_clock::now());
        why = wait_for(socket, false, true, left).is_there
                  ? error_of(socket)
                  : std::make_error_code(std::errc::timed_out);
    }
    if (why) {
        if (is_socket(socket)) {
            close_socket(socket);
        }
        return failed_outcome{tcp_failure(why)};
    }
    tune_tcp(socket);
    return socket;
}

}  // namespace detail

/// TCP. Anybody on the way can read and change everything.
class tcp_transport final : public transport {
   public:
    [[nodiscard]] address_form form() const override { return address_form::host_and_port; }
    [[nodiscard]] protection protects() const override { return {}; }

    [[nodiscard]] std::function<void()> dial(asio::io_context& io, const address& address,
                                             const client_options& /*options*/,
                                             dial_handler then) override {
        return detail::dial_tcp(io, address, [then = std::move(then)](auto answer) {
            if (answer) {
                then(stream_of(std::move(*answer)));
            } else {
                then(failed_outcome{answer.error()});
            }
        });
    }

    [[nodiscard]] attempt<listener> listen(asio::io_context& io, const address& address,
                                           const server_options& /*options*/,
                                           accept_handler then) override {
        return detail::listen_tcp(io, address,
                                  [then = std::move(then)](asio::ip::tcp::socket socket) {
                                      then(stream_of(std::move(socket)));
                                  });
    }

    [[nodiscard]] outcome<std::unique_ptr<blocking_bytes>>
    dial_blocking(const address& address, const blocking_options& /*options*/,
                  std::chrono::steady_clock::time_point deadline) override {
        detail::lookup found = detail::look_up(address, AI_NUMERICHOST);
        if (found.failed != 0) {
            // On a thread of its own, since nothing else ends the wait for a name.
            std::packaged_task<detail::lookup()> task{
                [address] { return detail::look_up(address, 0); }};
            auto later = task.get_future();
            std::thread{std::move(task)}.detach();
            if (later.wait_until(deadline) != std::future_status::ready) {
                return failed_outcome{unavailable("the host's name has no address")};
            }
            found = later.get();
        }
        if (found.failed != 0) {
            const std::string why = detail::text_of_lookup(found.failed);
            return failed_outcome{found.failed == EAI_NONAME ? unusable(why) : unavailable(why)};
        }
        outcome<socket_handle> made = failed_outcome{unavailable("the host has no address")};
        for (const addrinfo* one = found.found.get(); one != nullptr && !made; one = one->ai_next) {
            made = detail::connect_socket(*one, deadline);
        }
        if (!made) {
            return failed_outcome{made.error()};
        }
        return std::make_unique<socket_bytes>(*made);
    }

   private:
    [[nodiscard]] static std::unique_ptr<byte_stream> stream_of(asio::ip::tcp::socket lower) {
        net::peer who = detail::tcp_peer(lower, "tcp");
        return std::make_unique<socket_stream>(std::move(lower), std::move(who));
    }
};

}  // namespace mxp::net

#endif  // MXP_NET_TRANSPORT_TCP_HPP
