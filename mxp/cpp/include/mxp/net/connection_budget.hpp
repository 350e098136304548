/// The bytes that a connection holds, and its measures where they are too many [MXP-15].
#ifndef MXP_NET_CONNECTION_BUDGET_HPP
#define MXP_NET_CONNECTION_BUDGET_HPP

#include "connection.hpp"

namespace mxp::net {

/// All bytes held for the connection [MXP-15.2], with memory that is kept for more, but without
/// values that wait for the peer's grants: these are no reason not to read the grants.
inline std::size_t connection::held() const {
    return session_.held() + session_.spare() + extras() + unread_.size();
}

/// The bytes beside the session and its input.
inline std::size_t connection::extras() const {
    return load_.chunks + load_.late + numbers_.held() + batch_.size() + turn_.held();
}

/// The bytes that keep the connection from being read where they are too many [MXP-15.3].
inline std::size_t connection::backlog() const { return session_.backlog() + extras(); }

/// The bytes of waiting events, and of the connection, whose peer has hung up [MXP-15.5].
inline std::size_t connection::orphaned() const {
    return has_hung_up_ && turn_.rest
               ? turn_.held() + unread_.size() + engine::budget::connection_bytes
               : 0;
}

/// Sees to it that no more is held than may be.
inline void connection::weigh() {
    if (is_gone_ || is_weighing_) {
        return;
    }
    is_weighing_ = true;
    const std::size_t most = session_.bounds().connection_bytes;
    while (load_.is_overrun(backlog(), most) && overrun_largest()) {
    }
    const std::size_t all = held() + load_.unsent;
    held_now_ = all;
    if (options_.budget != nullptr && load_.is_news(all, !may_read_ || has_hung_up_)) {
        may_read_ = options_.budget->weigh(*this, {all, load_.unsent, orphaned()}, clock::now());
    }
    is_weighing_ = false;
    pause(!has_hung_up_ && (backlog() > most || !may_read_));
}

/// Reads no more for now, or again.
inline void connection::pause(bool is_paused) {
    if (is_paused == is_paused_ || is_gone_) {
        return;
    }
    is_paused_ = is_paused;
    if (is_paused) {
        session_.pause(now());
        await_hang_up();
        return;
    }
    if (!turn_.is_awaited()) {
        session_.resume(now());
    }
    if (unread_.empty()) {
        read();
    } else {
        turns_->post([kept = shared_from_this()] { kept->take_unread(); });
    }
}

/// Ends the stream that has most chunks that nobody has taken, or that wait for the peer's grants;
/// false if there is none.
inline bool connection::overrun_largest() {
    const auto largest = engine::largest_of(streams_);
    if (largest == nullptr) {
        return false;
    }
    overrun_text_ = engine::overrun_text(largest->inbox.held(), largest->unsent_held,
                                         session_.bounds().connection_bytes);
    const bool is_live = session_.overrun_stream(largest->id, now()).has_value();
    observation([&] {
        tell();
        // A stream that the session has ended before is not told: its chunks are still there.
        if (!is_live) {
            const failure why =
                engine::acted(failure_of(session::kind::limit_connection_bytes, overrun_text_));
            end_stream(largest, &why);
        }
    });
    touch();
    return true;
}

/// Counts what a stream has been given to send, and has not sent, anew.
inline void connection::hold_unsent(stream::state& stream) {
    const std::size_t all = stream.unsent.held() + stream.unsent_bytes;
    load_.unsent = load_.unsent - stream.unsent_held + all;
    stream.unsent_held = all;
}

inline void connection::on_budget(std::chrono::milliseconds pause) {
    const auto timer = std::make_shared<asio::steady_timer>(context_, pause);
    timer->async_wait([timer, weak = weak_from_this()](const std::error_code&) {
        if (const auto self = weak.lock()) {
            self->turns_->run([self] {
                self->may_read_ = true;
                self->settle();
                self->options_.budget->awoke(*self, clock::now());
            });
        }
    });
}

inline void connection::on_overrun() {
    turns_->post([weak = weak_from_this()] {
        if (const auto self = weak.lock()) {
            self->session_.overrun(self->now());
            self->turn_.drop();
            self->settle();
        }
    });
}

inline void connection::on_crowded() {
    turns_->post([weak = weak_from_this()] {
        if (const auto self = weak.lock()) {
            self->drop_events();
        }
    });
}

/// Has the peer's going told while nothing is read. That it has ended its direction alone is to be
/// looked for.
inline void connection::await_hang_up() {
    if (!std::exchange(is_watched_, true)) {
        bytes_->watch(weak_from_this());
    }
    if (!has_hung_up_) {
        look_at_ = std::min(look_at_, session::sum(now(), look_us));
    }
}
inline void connection::look_for_hang_up() {
    look_at_ = session::never;
    if (!has_hung_up_ && (is_paused_ || turn_.is_awaited())) {
        look_at_ = session::sum(now(), look_us);
        bytes_->look(weak_from_this());
    }
}

/// Reads to the end, however much is held: no more comes than the system holds already, and then
/// nothing is held.
inline void connection::on_hang_up() {
    has_hung_up_ = true;
    settle();
}

inline void connection::leave_others() {
    note_read(0);
    if (options_.budget != nullptr) {
        options_.budget->leave(*this, clock::now());
    }
}

}  // namespace mxp::net

#endif  // MXP_NET_CONNECTION_BUDGET_HPP
