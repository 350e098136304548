/// Calls that are made on several connections at once [MXP-14.11].
#ifndef MXP_NET_HEDGING_HPP
#define MXP_NET_HEDGING_HPP

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "client_state.hpp"

namespace mxp::net {

/// The attempts of a call that are in flight together.
struct client::hedge {
    hedge(const std::shared_ptr<waiting>& of, asio::io_context& context)
        : asked(of), flying{of->ticket}, timer(context) {}

    /// The call, as its user has made it, which its attempts keep.
    std::weak_ptr<waiting> asked;
    bool has_ended = false;
    /// The tickets of the attempts that have not ended.
    std::vector<std::uint64_t> flying;
    /// Where attempts were made.
    std::vector<const connection*> made_on{};
    /// Lets another attempt be made.
    asio::steady_timer timer;
};

/// Lets a call be made on other connections while it has not ended, if its policy says so.
inline void client::state::begin_hedge(const std::shared_ptr<waiting>& one) {
    if (!one->policy || one->policy->hedge.count() <= 0 || !one->is_idempotent ||
        one->kind != session::purpose::call || one->hedged ||
        one->attempts >= one->policy->attempts) {
        return;
    }
    one->hedged = std::make_shared<hedge>(one, context);
    hedges.insert_or_assign(one->ticket, one->hedged);
    hedge_later(one->hedged, one->policy->hedge);
}

inline void client::state::hedge_later(const std::shared_ptr<hedge>& of,
                                       std::chrono::microseconds after) {
    using namespace std::chrono_literals;
    of->timer.expires_after(std::max(after, std::chrono::microseconds{1ms}));
    of->timer.async_wait(in_turn([this, of](const std::error_code& failed) {
        const auto asked = of->asked.lock();
        if (failed || of->has_ended || is_closed || !asked) {
            return;
        }
        hedge_now(of, *asked);
        if (!of->has_ended && asked->attempts < asked->policy->attempts) {
            hedge_later(of, asked->policy->hedge);
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
    of->flying.push_back(one->ticket);
    measure(*one);
    is_making = true;
    const auto done = try_make(one, other);
    is_making = false;
    if (done != attempt_at::made) {
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
    of->flying.erase(std::remove(of->flying.begin(), of->flying.end(), ticket), of->flying.end());
    const bool may_go_on = ending.failed && ending.failed->status == session::status::Unavailable;
    if (of->has_ended || (may_go_on && !of->flying.empty())) {
        return nullptr;
    }
    of->has_ended = true;
    of->timer.cancel();
    if (const auto all = whose->maker.lock()) {
        all->hedges.erase(whose->ticket);
        const auto left = of->flying;
        for (const std::uint64_t other : left) {
            all->cancel(other);
        }
    }
    return whose;
}

}  // namespace mxp::net

#endif  // MXP_NET_HEDGING_HPP
