/// Calls that are made on several connections at once [MXP-14.11].
#ifndef MXP_NET_HEDGE_HPP
#define MXP_NET_HEDGE_HPP

#include <chrono>
#include <memory>
#include <utility>

#include "../engine/retry.hpp"
#include "client_state.hpp"

namespace mxp::net {

/// The attempts of a call that are in flight together.
struct client::hedge {
    hedge(const std::shared_ptr<waiter>& waiter, asio::io_context& context)
        : asked(waiter), attempts(waiter->ticket), timer(context) {}

    /// The call, as its user has made it, which its attempts keep.
    std::weak_ptr<waiter> asked;
    engine::hedge attempts;
    /// Where attempts were made.
    std::vector<const connection*> made_on{};
    /// Lets another attempt be made.
    asio::steady_timer timer;
};

/// Lets a call be made on other connections while it has not ended, if its policy says so.
inline void client::state::begin_hedge(const std::shared_ptr<waiter>& waiter) {
    const auto pause = engine::hedge_pause(waiter->policy, waiter->is_idempotent, waiter->attempts);
    if (!pause || waiter->kind != session::purpose::call || waiter->hedged) {
        return;
    }
    waiter->hedged = std::make_shared<hedge>(waiter, context);
    hedges.insert_or_assign(waiter->ticket, waiter->hedged);
    hedge_later(waiter->hedged, *pause);
}

inline void client::state::hedge_later(const std::shared_ptr<hedge>& hedge,
                                       std::chrono::microseconds delay) {
    hedge->timer.expires_after(delay);
    hedge->timer.async_wait(in_turn([this, hedge](const std::error_code& failed) {
        const auto request = hedge->asked.lock();
        if (failed || hedge->attempts.has_ended() || is_closed || !request) {
            return;
        }
        hedge_now(hedge, *request);
        const auto pause =
            engine::hedge_pause(request->policy, request->is_idempotent, request->attempts);
        if (pause && !hedge->attempts.has_ended()) {
            hedge_later(hedge, *pause);
        }
    }));
}

/// Makes one more attempt, if there is a connection for it.
inline void client::state::hedge_now(const std::shared_ptr<hedge>& hedge, waiter& waiter) {
    connection* const other = hedge->made_on.empty() ? nullptr : choose(hedge->made_on);
    if (other == nullptr || !repetitions.spend()) {
        return;
    }
    ++waiter.attempts;
    const auto one = std::make_shared<client::waiter>();
    one->ticket = next_ticket();
    one->kind = waiter.kind;
    one->until = waiter.until;
    one->subject = waiter.subject;
    one->asked = waiter.asked;
    one->beside = waiter.beside;
    one->body = waiter.body.share();
    one->since = clock::now();
    one->hedged = hedge;
    one->attempt_of = waiter.shared_from_this();
    hedge->attempts.add(one->ticket);
    measure(*one);
    is_making = true;
    const auto done = try_make(one, other);
    is_making = false;
    if (done != engine::attempt::made) {
        one->fail(failure_of(session::kind::draining));  // as where a connection takes no more
    }
}

/// The request whose end an attempt's is; nothing if others go on, or one has ended it already.
inline std::shared_ptr<client::waiter> client::waiter::whole(const answer& ending) {
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

#endif  // MXP_NET_HEDGE_HPP
