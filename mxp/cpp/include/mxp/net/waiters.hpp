/// The requests of a client that wait until they can be made, or made again.
#ifndef MXP_NET_WAITERS_HPP
#define MXP_NET_WAITERS_HPP

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "client_state.hpp"
#include "hedge.hpp"
#include "held_request.hpp"

namespace mxp::net {

/// Has a request that nobody has acted on wait until it can be made again: where the peer takes no
/// more, or is lost, for the next connection [MXP-14.6]; where it has no room, for a while
/// [MXP-14.7].
inline bool client::state::wait_again(const failure& why, const std::shared_ptr<waiter>& waiter,
                                      const connection* was_on) {
    if (is_closed || was_on == nullptr) {
        return false;
    }
    const auto again = engine::again_after(why, was_on->has_ended());
    if (again == engine::again::later && !is_leaving()) {
        const auto now = clock::now();
        const auto pause = waiter->repeats.next(now, waiter->until, options.connect_timeout, draws);
        if (pause) {
            make_after(waiter, why, *pause);
        }
        return pause.has_value();
    }
    if (again != engine::again::elsewhere || is_single ||
        queue.size() >= options.waiting + session::in_flight) {
        return false;
    }
    queue.push_back(waiter);
    arm();
    for (const auto& to : links) {
        to->wake();
    }
    if (is_usable()) {
        turns->post([self = weak_from_this()] {
            if (const auto all = self.lock()) {
                all->make_waiting();
            }
        });
    }
    return true;
}

/// Makes a request after a pause, or lets it end by its deadline.
inline void client::state::make_after(const std::shared_ptr<waiter>& waiter, const failure& why,
                                      std::chrono::microseconds most) {
    const auto timer =
        std::make_shared<asio::steady_timer>(context, std::min(clock::now() + most, waiter->until));
    paused.insert_or_assign(waiter->ticket, paused_request{waiter, timer, why});
    timer->async_wait(in_turn([this, waiter](const std::error_code& failed) {
        if (failed || paused.erase(waiter->ticket) == 0) {
            return;
        }
        waiter->since = clock::now();
        measure(*waiter);
        begin_hedge(waiter);
        queue.push_back(waiter);
        arm();
        for (const auto& to : links) {
            to->wake();
        }
        make_waiting();
    }));
}

/// Has a request made again that has failed, if its policy says so [MXP-14.8].
inline bool client::state::repeat(const std::shared_ptr<waiter>& waiter, const failure& why) {
    if (is_closed || is_leaving()) {
        return false;
    }
    const auto rest = repetitions.pause(*waiter->policy, waiter->attempts, waiter->is_idempotent,
                                        why, clock::now(), waiter->until, draws);
    if (!rest) {
        return false;
    }
    ++waiter->attempts;
    make_after(waiter, why, *rest);
    return true;
}

/// Goes on with a request that an interceptor has held back.
inline void client::state::decide(const std::shared_ptr<waiter>& waiter,
                                  std::optional<net::metadata> entries, failure why,
                                  std::size_t level) {
    turns->post([self = shared_from_this(), waiter, entries = std::move(entries),
                 why = std::move(why), level]() mutable {
        if (!entries || self->is_closed) {
            waiter->end_with({std::move(why), {}, {}}, level);
            return;
        }
        detail::replace(waiter->beside, std::move(*entries));
        waiter->attempts = 1;
        waiter->repeats.restart();
        waiter->since = clock::now();
        self->measure(*waiter);
        self->begin_hedge(waiter);
        self->ask(waiter);
    });
}

inline void client::waiter::tell(const answer& ending) {
    measured.end(ending.failed ? ending.failed->status : session::status::Ok,
                 ending.came ? *ending.came : clock::now());
    if (const auto of = whole(ending)) {
        of->settle(ending);
    }
}

inline void client::waiter::settle(const answer& ending) {
    if (!ending.failed) {
        end_with({std::nullopt, ending.value, ending.metadata, &subject}, ends.size());
        return;
    }
    const auto all = policy ? maker.lock() : nullptr;
    if (!all || !all->repeat(shared_from_this(), *ending.failed)) {
        end_with({subject.explained(*ending.failed, clock::now()), {}, {}}, ends.size());
    }
}

inline void client::waiter::end_with(answer ending, std::size_t place) {
    while (place > 0) {
        --place;
        const detail::held_request::decision then_on = [one = shared_from_this(),
                                                        why = ending.failed, place](auto value) {
            if (const auto all = one->maker.lock()) {
                all->decide(one, std::move(value), *why, place);
            } else {
                one->end_with({*why, {}, {}}, place);
            }
        };
        detail::holder held{then_on};
        const bool may_hold = kind == session::purpose::call || requires_ack;
        ending.held_by = may_hold && ending.failed ? &held : nullptr;
        ends.tell(place, ending);
        if (held.has_held()) {
            return;
        }
    }
    ending.held_by = nullptr;
    if (then) {
        then(ending);
    }
}

/// Makes what waits, in its order.
inline void client::state::make_waiting() {
    if (is_making) {
        return;
    }
    is_making = true;
    queue.proceed([this](const auto& item) { return try_make(item); });
    is_making = false;
}

inline void client::state::cancel(std::uint64_t ticket) {
    if (auto one = queue.take(ticket)) {
        turns->post([one = std::move(one)] { one->fail(failure_of(session::kind::cancelled)); });
        leave();
        return;
    }
    if (const auto resting = paused.find(ticket); resting != paused.end()) {
        resting->second.timer->cancel();
        turns->post(
            [one = resting->second.request] { one->fail(failure_of(session::kind::cancelled)); });
        paused.erase(resting);
        leave();
        return;
    }
    const auto asked = made.find(ticket);
    if (asked == made.end()) {
        if (const auto group = hedges.find(ticket); group != hedges.end()) {
            const std::uint64_t other = group->second->attempts.flying().front();
            cancel(other);  // its own attempt has failed
        }
        return;
    }
    const auto [where, id] = asked->second;
    if (const auto there = where.lock()) {
        there->cancel(id);
    }
}

/// Sets the timer of waiting requests: for the first deadline, or the end of the wait for a
/// connection.
inline void client::state::arm() {
    const auto first = queue.due(is_usable(), disconnected_since, options.connect_timeout);
    if (first >= armed_at) {
        return;
    }
    armed_at = first;
    wait_timer.expires_at(first);
    wait_timer.async_wait(in_turn([this](const std::error_code& failed) {
        if (!failed) {
            armed_at = clock::time_point::max();
            expire();
        }
    }));
}

/// Fails what has waited too long.
inline void client::state::expire() {
    const auto passed = clock::now();
    const bool is_there = is_usable();
    const failure why = !is_there ? trouble() : failure_of(session::kind::deadline_exceeded);
    std::vector<std::shared_ptr<waiter>> late;
    while (auto one =
               queue.take_late(passed, is_there, disconnected_since, options.connect_timeout)) {
        late.push_back(std::move(one));
    }
    for (const auto& one : late) {
        turns->shield([&] { one->fail(why); });
    }
    arm();
    leave();
}

}  // namespace mxp::net

#endif  // MXP_NET_WAITERS_HPP
