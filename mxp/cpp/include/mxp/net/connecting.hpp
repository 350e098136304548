/// How a client connects, again and again.
#ifndef MXP_NET_CONNECTING_HPP
#define MXP_NET_CONNECTING_HPP

#include "client.hpp"

namespace mxp::net {

#if defined(MXP_TLS)
namespace detail {

/// Why TLS is not spoken: all but what the network has done is final.
[[nodiscard]] inline failure tls_failure(const std::error_code& why, tls_stream::stream& of,
                                         const std::string& to) {
    if (why.category() != asio::error::get_ssl_category()) {
        return why == asio::error::operation_aborted ? unavailable("nobody answers", to)
                                                     : unavailable("TLS: " + why.message(), to);
    }
    const long verified = SSL_get_verify_result(of.native_handle());
    return unusable("TLS: " + (verified == X509_V_OK
                                   ? why.message()
                                   : std::string{X509_verify_cert_error_string(verified)}),
                    to);
}

}  // namespace detail
#endif

inline void client::state::connect() {
    if (is_closed || !is_able) {
        return;
    }
    if (at.carrier == carrier::unix_socket) {
        connect_unix();
    } else {
        connect_tcp();
    }
}

inline void client::state::connect_unix() {
    using protocol = asio::local::stream_protocol;
    if (at.path.size() > detail::path_max) {
        failed_to_connect(detail::path_too_long(*place));
        return;
    }
    const auto socket = std::make_shared<protocol::socket>(context);
    socket->async_connect(
        protocol::endpoint{at.path}, in_turn([this, socket](const std::error_code& failed) {
            if (failed) {
                failed_to_connect(detail::unix_failure(failed, at.path, *place));
            } else {
                connected(std::make_unique<socket_transport>(std::move(*socket), true));
            }
        }));
}

/// Ends an attempt that takes too long.
inline void client::state::abandon_late() {
    attempt_timer.expires_after(
        std::chrono::microseconds{static_cast<std::int64_t>(how.limits.hello_us)});
    attempt_timer.async_wait(in_turn([this](const std::error_code& failed) {
        if (failed) {
            return;
        }
        resolver.cancel();
        if (const auto socket = connecting.lock()) {
            std::error_code ignored;
            socket->close(ignored);
        }
    }));
}

inline void client::state::connect_tcp() {
    abandon_late();
    resolver.async_resolve(
        at.host, at.port, in_turn([this](const std::error_code& failed, const endpoints& all) {
            if (failed) {
                failed_to_connect(failed == asio::error::host_not_found
                                      ? detail::unusable(failed.message(), *place)
                                      : detail::unavailable(failed.message(), *place));
            } else {
                connect_to(all, all.begin());
            }
        }));
}

/// Connects to one of the addresses that a host has, or else to the next.
inline void client::state::connect_to(const endpoints& all, endpoints::const_iterator next) {
    if (next == all.end()) {
        failed_to_connect(detail::unavailable("the host has no address", *place));
        return;
    }
    const auto socket = std::make_shared<asio::ip::tcp::socket>(context);
    connecting = socket;
    socket->async_connect(
        next->endpoint(), in_turn([this, all, next, socket](const std::error_code& refused) {
            if (refused == asio::error::operation_aborted) {
                failed_to_connect(detail::unavailable("nobody answers", *place));
            } else if (refused && std::next(next) != all.end()) {
                connect_to(all, std::next(next));
            } else if (refused) {
                failed_to_connect(detail::tcp_failure(refused, *place));
            } else {
                detail::tune_tcp(socket->native_handle(), detail::unsent_bytes);
                if (at.carrier == carrier::tls) {
                    secure(socket);
                } else {
                    connected(std::make_unique<socket_transport>(std::move(*socket), false));
                }
            }
        }));
}

inline void client::state::secure([[maybe_unused]] std::shared_ptr<asio::ip::tcp::socket> of) {
#if defined(MXP_TLS)
    if (how.tls == nullptr) {
        how.tls = &own_tls.emplace(detail::trusting_the_system());
    }
    const auto secured = std::make_shared<tls_stream>(std::move(*of), *how.tls);
    if (!detail::expect_peer(secured->bytes, at.host, how.dangerously_accept_any_certificate)) {
        failed_to_connect(detail::unusable("TLS: no certificate can have this name", *place));
        return;
    }
    attempt_timer.expires_after(
        std::chrono::microseconds{static_cast<std::int64_t>(how.limits.hello_us)});
    attempt_timer.async_wait([secured](const std::error_code& failed) {
        if (!failed) {
            tls_stream::close(secured);
        }
    });
    tls_stream::shake_hands(secured, asio::ssl::stream_base::client,
                            in_turn([this, secured](const std::error_code& failed) {
                                if (failed) {
                                    failed_to_connect(
                                        detail::tls_failure(failed, secured->bytes, *place));
                                } else {
                                    connected(std::make_unique<tls_transport>(secured));
                                }
                            }));
#else
    failed_to_connect(detail::unusable("this client was built without TLS", *place));
#endif
}

inline void client::state::connected(std::unique_ptr<transport> by) {
    if (is_closed) {
        by->close();
        return;
    }
    connection::options with;
    with.role = session::role::opener;
    with.window = how.window;
    with.peer = place;
    with.config.types = how.types;
    with.config.payload_bytes = how.payload_bytes;
    with.config.limits = how.limits;
    with.config.observer = how.observer;
    with.budget = budget;
    attempt_timer.cancel();
    if (!has_tried) {
        trouble = detail::unavailable("the peer has not sent its Hello", *place);
    }
    set_current(std::make_shared<connection>(context, turns, std::move(by), std::move(with),
                                             weak_from_this()));
    current->start();
}

/// Fails all that waits if no later attempt can succeed either.
inline void client::state::failed_to_connect(failure why) {
    if (is_closed) {
        return;
    }
    attempt_timer.cancel();
    trouble = std::move(why);
    has_tried = true;
    outage.failed(trouble);
    if (!detail::may_heal(trouble)) {
        for (const auto& one : queue.take_all()) {
            turns->post([one, trouble = trouble] { one->fail(trouble); });
        }
    }
    retry();
}

/// Requests can't be made any more, and wait for the next connection.
inline void client::state::disconnected(std::string why) {
    trouble = detail::unavailable(std::move(why), *place);
    has_tried = false;
    disconnected_since = clock::now();
    arm();
    retry();
}

/// Connects after a pause: none at first, then a random part of a time that doubles.
inline void client::state::retry() {
    leave();
    if (is_closed) {
        return;
    }
    if (is_leaving() && queue.empty() && paused.empty()) {
        is_resting = true;
        return;
    }
    std::uniform_int_distribution<std::int64_t> any{0, pause.count()};
    pause_timer.expires_after(std::chrono::microseconds{any(random)});
    pause = std::min(std::max(2 * pause, how.pause_least), how.pause_most);
    pause_timer.async_wait(in_turn([this](const std::error_code& failed) {
        if (!failed) {
            connect();
        }
    }));
}

inline void client::state::set_current(std::shared_ptr<connection> to) {
    const std::lock_guard<std::mutex> lock{mutex};
    current = std::move(to);
}

/// Leaves the connection to what is in flight.
inline void client::state::set_aside() {
    is_connected = false;
    const std::lock_guard<std::mutex> lock{mutex};
    draining.push_back(std::move(current));
    current.reset();
}

inline void client::state::on_ready(connection& of) {
    is_connected = &of == current.get() && of.is_open();
    // A peer that has let nobody in last time may not do so now either.
    if (rejected_pause.count() == 0) {
        outage.connected(of.differences());
    }
    pause = std::chrono::microseconds{0};
    make_waiting();
}

inline void client::state::on_room(connection& of) {
    if (&of == current.get() && of.is_open()) {
        if (std::exchange(rejected_pause, std::chrono::microseconds{0}).count() > 0) {
            outage.connected(of.differences());
        }
        make_waiting();
        leave();
    }
}

/// The next requests go to a new connection; those in flight stay on this one.
inline void client::state::on_draining(connection& of) {
    if (&of == current.get()) {
        set_aside();
        disconnected("the peer takes no more requests");
    }
}

/// A session that was refused fails what waits for it, before the connection is gone.
inline void client::state::on_ended(connection& of, const failure& why) {
    if (&of == current.get() && (!of.was_ready() || of.is_rejected()) && !detail::may_heal(why)) {
        set_aside();
        // It accepts, and then refuses.
        rejected_pause = std::min(std::max(2 * rejected_pause, how.pause_least), how.pause_most);
        pause = std::max(pause, rejected_pause);
        failed_to_connect(detail::refused_before_hello(why, *place));
    }
}

inline void client::state::on_gone(connection& of, const failure& why) {
    if (of.was_ready() && !of.is_rejected()) {
        outage.ended(why);
    }
    std::shared_ptr<connection> kept;
    bool was_draining = false;
    {
        const std::lock_guard<std::mutex> lock{mutex};
        gone.add(of.stats());
        const auto drained = std::find_if(draining.begin(), draining.end(),
                                          [&](const auto& one) { return one.get() == &of; });
        was_draining = drained != draining.end();
        if (was_draining) {
            kept = std::move(*drained);
            draining.erase(drained);
        } else {
            kept = std::move(current);
            current.reset();
            is_connected = false;
        }
    }
    if (was_draining) {
        leave();
        return;
    }
    if (of.was_ready()) {
        disconnected("the connection has ended: " + why.name + (why.text.empty() ? "" : ": ") +
                     why.text);
        return;
    }
    pause = std::max(pause, how.pause_least);  // it accepts, and then refuses
#if defined(MXP_TLS)
    // In TLS 1.3 a client is ready before the server is, and may be refused later.
    if (of.lost_by().category() == asio::error::get_ssl_category()) {
        failed_to_connect(detail::unusable("TLS: " + of.lost_by().message(), *place));
        return;
    }
#endif
    failed_to_connect(detail::refused_before_hello(why, *place));
}

}  // namespace mxp::net

#endif  // MXP_NET_CONNECTING_HPP
