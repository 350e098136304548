/// Calls that are made on several connections at once [MXP-14.11].
#ifndef MXP_NET_HEDGING_HPP
#define MXP_NET_HEDGING_HPP

#include <chrono>
#include <memory>
#include <utility>

#include "../engine/retry.hpp"
#include "client_state.hpp"

namespace mxp::net {

/// The attempts of a call that are in flight together.
struct client::hedge {
    hedge(const std::shared_ptr<waiting>& of, asio::io_context& context)
        : asked(of), attempts(of->ticket), timer(context) {}

    /// The call, as its user has made it, which its attempts keep.
    std::weak_ptr<waiting> asked;
    engine::hedge attempts;
    /// Where attempts were made.
    std::vector<const connection*> made_on{};
    /// Lets another attempt be made.
    asio::steady_timer timer;
};

/// Lets a call be made on other connections while it has not ended, if its policy says so.
inline void client::state::begin_hedge(const std::shared_ptr<waiting>& one) {
    const auto pause = engine::hedge_pause(one->policy, one->is_idempotent, one->attempts);
    if (!pause || one->kind != session::purpose::call || one->hedged) {
        return;
    }
    one->hedged = std::make_shared<hedge>(one, context);
    hedges.insert_or_assign(one->ticket, one->hedged);
    hedge_later(one->hedged, *pause);
}

inline void client::state::hedge_later(const std::shared_ptr<hedge>& of,
                                       std::chrono::microseconds after) {
    of->timer.expires_after(after);
    of->timer.async_wait(in_turn([this, of](const std::error_code& failed) {
        const auto asked = of->asked.lock();
        if (failed || of->attempts.has_ended() || is_closed || !asked) {
            return;
        }
        hedge_now(of, *asked);
        const auto pause =
            engine::hedge_pause(asked->policy, asked->is_idempotent, asked->attempts);
        if (pause && !of->attempts.has_ended()) {
            hedge_later(of, *pause);
        }
    }));
}

/// Makes one more attempt, if there is a connection for it.
inline void client::state::hedge_now(const std::shared_ptr<hedge>& of, waiting& asked) {
    connection* const other = of->made_on.empty() ? nullptr : choose(of->made_on);
    if (other == nullptr || !repetitions.spend()) {
        return;
    }
    ++asked.attempts;
    const auto one = std::make_shared<waiting>();
    one->ticket = next_ticket();
    one->kind = asked.kind;
    one->until = asked.until;
    one->subject = asked.subject;
    one->asked = asked.asked;
    one->beside = asked.beside;
    one->body = asked.body.share();
    one->since = clock::now();
    one->hedged = of;
    one->attempt_of = asked.shared_from_this();
    of->attempts.add(one->ticket);
    measure(*one);
    is_making = true;
    const auto done = try_make(one, other);
    is_making = false;
    if (done != engine::attempt::made) {
        one->fail(failure_of(session::kind::draining));  // as where a connection takes no more
    }
}

/// The request whose end an attempt's is; nothing if others go on, or one has ended it already.
inline std::shared_ptr<client::waiting> client::waiting::whole(const answer& ending) {
    auto whose = attempt_of ? std::exchange(attempt_of, nullptr) : shared_from_this();
    const auto of = std::exchange(hedged, nullptr);
    if (of == nullptr) {
        return whose;
    }
    if (!of->attempts.ends(ticket, ending.failed)) {
        return nullptr;
    }
    of->timer.cancel();
    if (const auto all = whose->maker.lock()) {
        all->hedges.erase(whose->ticket);
        const auto left = of->attempts.flying();
        for (const std::uint64_t other : left) {
            all->cancel(other);
        }
    }
    return whose;
}

}  // namespace mxp::net

#endif  // MXP_NET_HEDGING_HPP
