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

inline void client::link::connect() {
    if (all.is_closed || !is_able) {
        return;
    }
    if (at.carrier == carrier::unix_socket) {
        connect_unix();
    } else {
        connect_tcp();
    }
}

inline void client::link::connect_unix() {
    using protocol = asio::local::stream_protocol;
    if (at.path.size() > detail::path_max) {
        failed_to_connect(detail::path_too_long(*place));
        return;
    }
    const auto socket = std::make_shared<protocol::socket>(all.context);
    socket->async_connect(
        protocol::endpoint{at.path}, in_turn([this, socket](const std::error_code& failed) {
            if (failed) {
                failed_to_connect(detail::unix_failure(failed, at.path, *place));
            } else {
                net::peer who{*place, at.carrier, peer_process(socket->native_handle()), {}};
                connected(std::make_unique<socket_transport>(std::move(*socket), true),
                          std::move(who));
            }
        }));
}

/// Ends an attempt that takes too long.
inline void client::link::abandon_late() {
    attempt_timer.expires_after(
        std::chrono::microseconds{static_cast<std::int64_t>(all.options.limits.hello_us)});
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

inline void client::link::connect_tcp() {
    abandon_late();
    resolver.async_resolve(
        at.host, at.port, in_turn([this](const std::error_code& failed, const endpoints& found) {
            if (failed) {
                failed_to_connect(failed == asio::error::host_not_found
                                      ? detail::unusable(failed.message(), *place)
                                      : detail::unavailable(failed.message(), *place));
            } else {
                connect_to(found, found.begin());
            }
        }));
}

/// Connects to one of the addresses that a host has, or else to the next.
inline void client::link::connect_to(const endpoints& found, endpoints::const_iterator next) {
    if (next == found.end()) {
        failed_to_connect(detail::unavailable("the host has no address", *place));
        return;
    }
    const auto socket = std::make_shared<asio::ip::tcp::socket>(all.context);
    connecting = socket;
    socket->async_connect(
        next->endpoint(), in_turn([this, found, next, socket](const std::error_code& refused) {
            if (refused == asio::error::operation_aborted) {
                failed_to_connect(detail::unavailable("nobody answers", *place));
            } else if (refused && std::next(next) != found.end()) {
                connect_to(found, std::next(next));
            } else if (refused) {
                failed_to_connect(detail::tcp_failure(refused, *place));
            } else {
                detail::tune_tcp(socket->native_handle(), detail::unsent_bytes);
                if (at.carrier == carrier::tls) {
                    secure(socket);
                } else {
                    connected(std::make_unique<socket_transport>(std::move(*socket), false),
                              {*place, at.carrier, {}, {}});
                }
            }
        }));
}

inline void client::link::secure([[maybe_unused]] std::shared_ptr<asio::ip::tcp::socket> of) {
#if defined(MXP_TLS)
    if (all.options.tls == nullptr) {
        all.options.tls = &all.own_tls.emplace(detail::trusting_the_system());
    }
    const auto secured = std::make_shared<tls_stream>(std::move(*of), *all.options.tls);
    if (!detail::expect_peer(secured->bytes, at.host,
                             all.options.dangerously_accept_any_certificate)) {
        failed_to_connect(detail::unusable("TLS: no certificate can have this name", *place));
        return;
    }
    attempt_timer.expires_after(
        std::chrono::microseconds{static_cast<std::int64_t>(all.options.limits.hello_us)});
    attempt_timer.async_wait([secured](const std::error_code& failed) {
        if (!failed) {
            tls_stream::close(secured);
        }
    });
    tls_stream::shake_hands(
        secured, asio::ssl::stream_base::client,
        in_turn([this, secured](const std::error_code& failed) {
            if (failed) {
                failed_to_connect(detail::tls_failure(failed, secured->bytes, *place));
            } else {
                connected(std::make_unique<tls_transport>(secured),
                          {*place,
                           at.carrier,
                           {},
                           detail::certificate_of(secured->bytes.native_handle())});
            }
        }));
#else
    failed_to_connect(detail::unusable("this client was built without TLS", *place));
#endif
}

inline void client::link::connected(std::unique_ptr<transport> socket, net::peer who) {
    if (all.is_closed) {
        socket->close();
        return;
    }
    connection::options with;
    with.role = session::role::opener;
    with.window = all.options.window;
    with.peer = place;
    with.who = std::make_shared<const net::peer>(std::move(who));
    with.services = all.served;
    with.on_failure = all.options.on_failure;
    with.config.types = all.options.types;
    with.config.payload_bytes = all.options.payload_bytes;
    with.config.limits = all.options.limits;
    with.config.observer = all.options.observer;
    with.budget = all.budget;
    with.meters = all.meters;
    attempt_timer.cancel();
    if (!has_tried) {
        trouble = detail::unavailable("the peer has not sent its Hello", *place);
    }
    set_current(std::make_shared<connection>(
        all.context, all.turns, std::move(socket), std::move(with),
        std::shared_ptr<connection::owner>{all.shared_from_this(), this}));
    current->start();
}

/// Fails all that waits if no later attempt can succeed either.
inline void client::link::failed_to_connect(failure why) {
    if (all.is_closed) {
        return;
    }
    attempt_timer.cancel();
    trouble = std::move(why);
    has_tried = true;
    outage.failed(trouble);
    if (all.is_hopeless()) {
        for (const auto& one : all.queue.take_all()) {
            all.turns->post([one, why = all.trouble()] { one->fail(why); });
        }
    }
    retry();
}

/// Requests can't be made any more, and wait for the next connection.
inline void client::link::disconnected(std::string why) {
    trouble = detail::unavailable(std::move(why), *place);
    has_tried = false;
    all.disconnected_since = clock::now();
    all.arm();
    retry();
}

/// Connects after a pause: none at first, then a all.random part of a time that doubles.
inline void client::link::retry() {
    all.leave();
    if (all.is_closed) {
        return;
    }
    if (all.is_leaving() && all.queue.empty() && all.paused.empty()) {
        is_resting = true;
        return;
    }
    std::uniform_int_distribution<std::int64_t> any{0, pause.count()};
    pause_timer.expires_after(std::chrono::microseconds{any(all.random)});
    pause = std::min(std::max(2 * pause, all.options.pause_least), all.options.pause_most);
    pause_timer.async_wait(in_turn([this](const std::error_code& failed) {
        if (!failed) {
            connect();
        }
    }));
}

inline void client::link::wake() {
    if (std::exchange(is_resting, false)) {
        retry();
    }
}

inline void client::link::set_current(std::shared_ptr<connection> to) {
    const std::lock_guard<std::mutex> lock{all.mutex};
    current = std::move(to);
}

/// Leaves the connection to what is in flight.
inline void client::link::set_aside() {
    const std::lock_guard<std::mutex> lock{all.mutex};
    draining.push_back(std::move(current));
    current.reset();
    all.is_connected = all.is_usable();
}

inline void client::link::on_ready(connection& of) {
    all.is_connected = all.is_usable();
    // A peer that has let nobody in last time may not do so now either.
    if (rejected_pause.count() == 0) {
        outage.connected(of.differences());
    }
    pause = std::chrono::microseconds{0};
    all.make_waiting();
}

inline void client::link::on_room(connection& of) {
    if (&of == current.get() && of.is_open()) {
        if (std::exchange(rejected_pause, std::chrono::microseconds{0}).count() > 0) {
            outage.connected(of.differences());
        }
        all.make_waiting();
        all.leave();
    }
}

/// The next requests go to a new connection; those in flight stay on this one.
inline void client::link::on_draining(connection& of) {
    if (&of == current.get() && !all.is_single) {
        set_aside();
        disconnected("the peer takes no more requests");
    }
}

/// A session that was refused fails what waits for it, before the connection is all.gone.
inline void client::link::on_ended(connection& of, const failure& why) {
    if (!all.is_single && &of == current.get() && (!of.was_ready() || of.is_rejected()) &&
        !detail::may_heal(why)) {
        set_aside();
        // It accepts, and then refuses.
        rejected_pause =
            std::min(std::max(2 * rejected_pause, all.options.pause_least), all.options.pause_most);
        pause = std::max(pause, rejected_pause);
        failed_to_connect(detail::refused_before_hello(why, *place));
    }
}

inline void client::link::on_gone(connection& of, const failure& why) {
    if (all.is_single) {
        all.close();
        return;
    }
    if (of.was_ready() && !of.is_rejected()) {
        outage.ended(why);
    }
    std::shared_ptr<connection> kept;
    bool was_draining = false;
    {
        const std::lock_guard<std::mutex> lock{all.mutex};
        all.gone.add(of.stats());
        const auto drained = std::find_if(draining.begin(), draining.end(),
                                          [&](const auto& one) { return one.get() == &of; });
        was_draining = drained != draining.end();
        if (was_draining) {
            kept = std::move(*drained);
            draining.erase(drained);
        } else {
            kept = std::move(current);
            current.reset();
            all.is_connected = all.is_usable();
        }
    }
    if (was_draining) {
        all.leave();
        return;
    }
    if (of.was_ready()) {
        disconnected("the connection has ended: " + why.name + (why.text.empty() ? "" : ": ") +
                     why.text);
        return;
    }
    pause = std::max(pause, all.options.pause_least);  // it accepts, and then refuses
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
