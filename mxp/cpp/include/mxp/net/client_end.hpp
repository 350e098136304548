/// How a client ends.
#ifndef MXP_NET_CLIENT_END_HPP
#define MXP_NET_CLIENT_END_HPP

#include "agent_follower.hpp"
#include "client_state.hpp"

namespace mxp::net {

inline void client::state::drain(std::string reason, std::chrono::milliseconds most,
                                 std::function<void()> then) {
    if (is_closed || is_single) {
        turns->post(std::move(then));
        return;
    }
    farewell = std::move(reason);
    has_left = std::move(then);
    leave_timer.expires_after(most);
    leave_timer.async_wait(in_turn([this](const std::error_code& failed) {
        if (!failed) {
            close();
        }
    }));
    // Requests that pause are not made again [MXP-14.8].
    for (auto& [ticket, one] : std::exchange(paused, {})) {
        one.timer->cancel();
        turns->post([request = one.request, why = one.why] { request->fail(why); });
    }
    leave();
}

/// Parts from the peer once all requests have ended, and closes the client when the peer has parted
/// too. Until then what the peer has not taken may have to be made on another connection.
inline void client::state::leave() {
    if (!is_leaving() || is_closed || !queue.empty() || !paused.empty()) {
        return;
    }
    bool is_there = false;
    for (const auto& one : links) {
        is_there = is_there || one->current || !one->draining.empty();
        if (one->current && one->current->is_waited_for()) {
            return;
        }
    }
    for (const auto& one : links) {
        if (one->current) {
            one->current->drain(*farewell);
            one->set_aside();
        }
    }
    if (!is_there) {
        close();
    }
}

/// Gives up connecting, and what connections there are.
inline std::vector<std::shared_ptr<connection>> client::link::close() {
    attempt_timer.cancel();
    if (const auto now = std::exchange(give_up, nullptr)) {
        now();
    }
    pause_timer.cancel();
    auto made = std::exchange(draining, {});
    if (current) {
        made.push_back(std::exchange(current, nullptr));
    }
    return made;
}

inline void client::state::close() {
    if (is_closed) {
        return;
    }
    is_closed = true;
    wait_timer.cancel();
    leave_timer.cancel();
    if (agents_followed) {
        agents_followed->close();
    }
    const auto kept = shared_from_this();
    is_connected = false;
    std::vector<std::shared_ptr<connection>> all;
    {
        const std::lock_guard<std::mutex> lock{mutex};
        for (const auto& to : links) {
            for (auto& one : to->close()) {
                gone.add(one->stats());
                all.push_back(std::move(one));
            }
        }
    }
    for (const auto& one : all) {
        if (!is_single) {  // else it is another's
            one->detach();
            one->close();
        }
    }
    const failure why = failure_of(session::kind::closed);
    for (const auto& one : queue.take_all()) {
        turns->shield([&] { one->fail(why); });
    }
    for (const auto& [ticket, one] : std::exchange(paused, {})) {
        one.timer->cancel();
        turns->shield([&, request = one.request] { request->fail(why); });
    }
    if (auto then = std::exchange(has_left, nullptr)) {
        turns->post(std::move(then));
    }
}

}  // namespace mxp::net

#endif  // MXP_NET_CLIENT_END_HPP
