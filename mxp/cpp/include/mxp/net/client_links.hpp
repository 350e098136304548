/// How a client connects, again and again.
#ifndef MXP_NET_CLIENT_LINKS_HPP
#define MXP_NET_CLIENT_LINKS_HPP

#include "client_state.hpp"

namespace mxp::net {

inline void client::link::connect() {
    if (all.is_closed || !is_able || is_retired) {
        return;
    }
    abandon_late();
    give_up = by->dial(all.context, at, all.options,
                       in_turn_with([this](outcome<std::unique_ptr<byte_stream>> outcome) {
                           if (outcome) {
                               open(std::move(*outcome));
                           } else {
                               failed_to_connect(engine::not_dialed(outcome.error(), *place));
                           }
                       }));
}

/// Ends an attempt that takes too long.
inline void client::link::abandon_late() {
    attempt_timer.expires_after(
        std::chrono::microseconds{static_cast<std::int64_t>(all.options.limits.hello_us)});
    attempt_timer.async_wait(in_turn([this](const std::error_code& failed) {
        if (!failed && give_up) {
            give_up();
        }
    }));
}

/// Does the steps before MXP, such as a handshake, for which there is as much time again.
inline void client::link::open(std::shared_ptr<byte_stream> bytes) {
    if (all.is_closed || is_retired) {
        bytes->close();
        return;
    }
    abandon_late();
    give_up = [bytes] { bytes->close(); };
    bytes->open(in_turn_with([this, bytes](std::optional<failure> why) {
        if (why) {
            failed_to_connect(engine::not_dialed(std::move(*why), *place));
        } else {
            connected(bytes);
        }
    }));
}

inline void client::link::connected(const std::shared_ptr<byte_stream>& bytes) {
    give_up = nullptr;
    if (all.is_closed || is_retired) {
        bytes->close();
        return;
    }
    net::peer who = bytes->peer();
    who.address = *place;
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
    with.config.offers_checksum_off = by->protects().keeps_bytes();
    with.config.offers_batches = all.options.batches;
    with.budget = all.budget;
    with.meters = all.meters;
    with.told = all.told;
    attempt_timer.cancel();
    endpoint.opened(*place);
    set_current(std::make_shared<connection>(
        all.context, all.turns, bytes, std::move(with),
        std::shared_ptr<connection::owner>{all.shared_from_this(), this}));
    current->start();
}

/// Fails all that waits if no later attempt can succeed either.
inline void client::link::failed_to_connect(failure why) {
    if (all.is_closed || is_retired) {
        return;
    }
    attempt_timer.cancel();
    give_up = nullptr;
    outage.failed(why);
    endpoint.failed(std::move(why));
    if (all.is_hopeless()) {
        all.fail_waiting();
    }
    turn_to_next_place();
    retry();
}

inline void client::state::fail_waiting() {
    for (const auto& one : queue.take_all()) {
        turns->post([one, why = trouble()] { one->fail(why); });
    }
}

/// Requests can't be made any more, and wait for the next connection.
inline void client::link::disconnected() {
    all.disconnected_since = clock::now();
    all.arm();
    retry();
}

/// Connects after a pause.
inline void client::link::retry() {
    all.leave();
    if (all.is_closed || is_retired) {
        return;
    }
    if (all.is_leaving() && all.queue.empty() && all.paused.empty()) {
        is_resting = true;
        return;
    }
    pause_timer.expires_after(endpoint.pause(all.draws));
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

inline void client::link::set_current(std::shared_ptr<connection> connection) {
    const std::lock_guard<std::mutex> lock{all.mutex};
    current = std::move(connection);
}

/// Leaves the connection to its requests in flight.
inline void client::link::set_aside() {
    const std::lock_guard<std::mutex> lock{all.mutex};
    draining.push_back(std::move(current));
    current.reset();
    all.is_connected = all.is_usable();
}

inline void client::link::on_ready(connection& connection) {
    all.is_connected = all.is_usable();
    if (endpoint.ready(clock::now())) {
        outage.connected(connection.differences());
    }
    if (all.on_connected) {
        all.on_connected();
    }
    all.make_waiting();
}

inline void client::link::on_room(connection& connection) {
    if (&connection == current.get() && connection.is_open()) {
        if (endpoint.admitted()) {
            outage.connected(connection.differences());
        }
        all.make_waiting();
        all.leave();
    }
}

/// The next requests go to a new connection; requests in flight stay on this one.
inline void client::link::on_draining(connection& connection) {
    if (&connection == current.get() && !all.is_single) {
        set_aside();
        endpoint.drained(clock::now(), *place);
        disconnected();
    }
}

/// The next attempt does not wait until the connection is gone.
inline void client::link::on_ended(connection& connection, const failure& why) {
    if (all.is_single || &connection != current.get() || connection.is_gone()) {
        return;
    }
    set_aside();
    ended(connection, why);
}

/// Goes on after a session that has ended.
inline void client::link::ended(const connection& connection, const failure& why) {
    if (endpoint.is_attempt(why, connection.was_ready(), connection.is_rejected())) {
        failed_to_connect(engine::refused_before_hello(why, *place));
    } else {
        endpoint.ended(why, clock::now(), *place);
        disconnected();
    }
}

inline void client::link::on_gone(connection& carrier, const failure& why) {
    if (all.is_single) {
        all.close();
        return;
    }
    if (carrier.was_ready() && !carrier.is_rejected()) {
        outage.ended(why);
    }
    std::shared_ptr<connection> kept;
    bool was_draining = false;
    {
        const std::lock_guard<std::mutex> lock{all.mutex};
        all.gone.add(carrier.stats());
        const auto drained = std::find_if(draining.begin(), draining.end(),
                                          [&](const auto& item) { return item.get() == &carrier; });
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
        if (is_retired) {
            all.sweep_later();
        }
        all.leave();
        return;
    }
    if (auto refused = carrier.was_ready() ? std::nullopt : carrier.refusal()) {
        failed_to_connect(engine::not_dialed(std::move(*refused), *place));
    } else {
        ended(carrier, why);
    }
}

}  // namespace mxp::net

#endif  // MXP_NET_CLIENT_LINKS_HPP
