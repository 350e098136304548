/// How a session ends [MXP-11].
#ifndef MXP_SESSION_ENDING_HPP
#define MXP_SESSION_ENDING_HPP

#include <type_traits>

#include "core.hpp"
#include "request.hpp"

namespace mxp::session {

template <class Kind>
void session::count_refusal(Kind why) {
    stats_.refused(why);
    if (config_.observer != nullptr) {
        config_.observer->on_refusal(to_string(why));
    }
}

/// Ends the session with a refusal [MXP-11.2].
template <class Kind>
void session::end(Kind why, std::string text, bool is_refused) {
    count_refusal(why);
    ending_ = {
        static_cast<status>(status_of(why)), std::string{to_string(why)}, std::move(text), {}};
    say_end(is_refused);
}

/// Tells the peer why the session ends, and ends it.
inline void session::say_end(bool is_refused) {
    queue_.clear(true);
    control::FailureRef said;
    said.status = ending_.status;
    said.refused = is_refused;
    said.name = ending_.name;
    said.text = ending_.text;
    said.details = ending_.details;
    send({frame_type::error}, said);
    phase_ = phase::ended;
    end_exchanges(false, false);
    settle();
}

/// Ends all exchanges, and then the session [MXP-11.3].
inline void session::end_exchanges(bool is_remote, bool is_refused) {
    failure why{ending_.status, ending_.name, ending_.text, ending_.details, false};
    own_.each([&](const exchange& exchange) {
        why.acted =
            queue_.is_given(exchange.first_frame) && !is_refused && exchange.id <= last_taken_;
        tell(in::ended{exchange.id, why});
    });
    peers_.each([&](const exchange& exchange) {
        if (!exchange.is_dead) {
            tell(in::cancelled{exchange.id, reason::end});
        }
    });
    why.acted = false;
    tell(in::end{why, is_remote, is_refused});
    has_told_end_ = true;
    if (config_.observer != nullptr) {
        for (table<exchange>* const all : {&own_, &peers_}) {
            all->each([&](const exchange& exchange) {
                config_.observer->on_done(
                    {exchange.id, exchange.is_own, exchange.kind, exchange.trace},
                    clock_ - exchange.begun);
            });
        }
        config_.observer->on_end(why, is_remote);
    }
    own_.clear();
    peers_.clear();
    own_deadlines_.clear();
    peers_deadlines_.clear();
    own_bytes_ = 0;
    peers_bytes_ = 0;
    reader_.forget();
}

inline void session::stalled(std::uint64_t now) {
    advance(now);
    if (!is_over()) {
        end(kind::stalled);
    }
}

inline void session::reject(const refusal& why, std::uint64_t now) {
    advance(now);
    if (!is_over()) {
        ending_ = {why.status,
                   std::string{why.name},
                   std::string{why.text},
                   {why.details.begin(), why.details.end()}};
        say_end(true);
    }
}

inline void session::overrun(std::uint64_t now) {
    advance(now);
    if (!is_over()) {
        end(kind::limit_server_bytes);
    }
}

/// Whether an answer is awaited on either side.
inline bool session::is_awaited() {
    bool is_live = own_.size() > 0;
    peers_.each([&](const exchange& exchange) { is_live = is_live || !exchange.is_dead; });
    return is_live;
}

inline void session::lost(std::uint64_t now) {
    advance(now);
    if (!has_told_end_) {
        const bool is_leaving = has_drained_ || is_peer_draining_ || leaving_.has_value();
        const bool is_left = is_leaving && !is_awaited() && !is_over();
        if (phase_ == phase::finished || is_left) {
            ending_ = {};
        } else {
            ending_ = {status::Unavailable, std::string{to_string(kind::lost)}, {}, {}};
        }
        end_exchanges(false, false);
    }
    queue_.clear(false);
    phase_ = phase::finished;
}

/// Finds out whether nothing is left to do [MXP-11.1], [MXP-11.2].
inline void session::settle() {
    if (phase_ == phase::ended && queue_.empty()) {
        phase_ = phase::finished;
    }
    if (phase_ != phase::ready) {
        return;
    }
    if (!queue_.is_quiet() || !has_drained_ || !is_idle()) {
        rested_.reset();
    } else if (is_peer_draining_ && queue_.empty()) {
        phase_ = phase::finished;
    } else if (!rested_) {
        rested_ = clock_;
    }
}

}  // namespace mxp::session

#endif  // MXP_SESSION_ENDING_HPP
