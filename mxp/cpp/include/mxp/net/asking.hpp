/// How a client makes requests, and lets them wait while it can't.
#ifndef MXP_NET_ASKING_HPP
#define MXP_NET_ASKING_HPP

#include "client.hpp"

namespace mxp::net {

namespace detail {

[[nodiscard]] inline session::request
request_of(std::uint16_t method, const std::optional<session::trace_context>& trace) {
    session::request made;
    made.method = method;
    made.trace = trace;
    return made;
}

}  // namespace detail

/// Who is to be told the end of a request that interceptors have seen. If they have refused it,
/// that is told, and nobody is to be told more.
inline client::done client::state::told(outgoing_request& shown, done then) {
    if (!shown.said().ends.empty()) {
        then = [ends = shown.said().ends, then = std::move(then)](const answer& came) {
            answer changed = came;
            ends.tell(changed);
            if (then) {
                then(changed);
            }
        };
    }
    if (shown.is_refused()) {
        asio::post(context, [then = std::move(then), why = *shown.said().refused] {
            if (then) {
                then({why, {}, {}});
            }
        });
        return nullptr;
    }
    return then;
}

inline void client::state::call(std::uint64_t ticket, const method& of, session::value body,
                                call_options asked, done then) {
    if (!how.interceptors.empty()) {
        auto shown = detail::show(how.interceptors, of, session::purpose::call, body, asked);
        then = told(shown, std::move(then));
        if (shown.is_refused()) {
            return;
        }
    }
    waiting one;
    one.ticket = ticket;
    one.service = of.service;
    one.asked = detail::request_of(of.number, asked.trace);
    one.beside = std::move(asked.metadata);
    one.body = std::move(body);
    const auto shared = std::make_shared<done>(std::move(then));
    one.fail = [shared](const failure& why) { (*shared)({why, {}, {}}); };
    one.is_repeatable = true;
    one.make = [this, ticket, shared](connection& on, const session::request& what,
                                      session::value&& with,
                                      const std::shared_ptr<waiting>& again) {
        return on.call(what, std::move(with), ending(ticket, on, again, shared));
    };
    ask(std::move(one), asked.deadline);
}

inline void client::state::event(std::uint64_t ticket, const method& of, session::value body,
                                 event_options asked, done then) {
    if (!how.interceptors.empty()) {
        auto shown = detail::show(how.interceptors, of, session::purpose::event, body, asked);
        then = told(shown, std::move(then));
        if (shown.is_refused()) {
            return;
        }
    }
    waiting one;
    one.ticket = ticket;
    one.service = of.service;
    one.asked = detail::request_of(of.number, asked.trace);
    one.beside = std::move(asked.metadata);
    one.body = std::move(body);
    const auto shared = std::make_shared<done>(std::move(then));
    one.fail = [shared](const failure& why) {
        if (*shared) {
            (*shared)({why, {}, {}});
        }
    };
    one.is_repeatable = asked.requires_ack;
    one.make = [this, ticket, shared, requires_ack = asked.requires_ack,
                full = asked.full](connection& on, const session::request& what,
                                   session::value&& with, const std::shared_ptr<waiting>& again) {
        auto told = ending(ticket, on, again, shared);
        auto id = on.event(what, requires_ack, full, std::move(with), told);
        if (id && !requires_ack) {
            on.post([told] { told({}); });
            id = 0;
        }
        return id;
    };
    ask(std::move(one), std::chrono::microseconds{0});
}

inline stream client::state::open(const method& of, session::value body, call_options asked,
                                  bool is_final) {
    const stream made_end;
    made_end.state_->is_own = true;
    made_end.state_->is_finishing = is_final;
    if (!how.interceptors.empty()) {
        auto shown = detail::show(how.interceptors, of, session::purpose::stream, body, asked);
        if (!shown.said().ends.empty()) {
            made_end.state_->on_over = [ends = shown.said().ends](const failure* why) {
                answer came;
                came.failed = why == nullptr ? std::nullopt : std::optional{*why};
                ends.tell(came);
            };
        }
        if (shown.is_refused()) {
            asio::post(context, [made_end, why = *shown.said().refused] { made_end.fail(why); });
            return made_end;
        }
    }
    waiting one;
    one.ticket = next_ticket();
    one.service = of.service;
    one.asked = detail::request_of(of.number, asked.trace);
    one.beside = std::move(asked.metadata);
    one.body = std::move(body);
    one.fail = [made_end](const failure& why) { made_end.state_->end(&why); };
    one.make = [made_end,
                is_final](connection& on, const session::request& what, session::value&& with,
                          const std::shared_ptr<waiting>&) -> session::result<std::uint64_t> {
        if (made_end.state_->is_over) {
            return std::uint64_t{0};
        }
        auto id = on.open(what, is_final, std::move(with), made_end);
        if (id) {
            id = 0;  // its end takes it back
        }
        return id;
    };
    ask(std::move(one), asked.deadline);
    return made_end;
}

/// Who is told the end of a request that is made, which may be made again.
inline connection::done client::state::ending(std::uint64_t ticket, const connection& on,
                                              const std::shared_ptr<waiting>& again,
                                              const std::shared_ptr<done>& then) {
    return [self = weak_from_this(), ticket, on = on.weak_from_this(), again,
            then](const answer& came) {
        if (const auto by = self.lock()) {
            by->made.erase(ticket);
            const auto where = on.lock();
            if (again && where && !where->is_open() && by->wait_again(came, *again)) {
                return;
            }
        }
        if (*then) {
            (*then)(came);
        }
    };
}

/// Has a request that a draining peer has refused wait for the next connection.
inline bool client::state::wait_again(const answer& came, waiting& one) {
    if (!came.failed || came.failed->acted || is_closed || queue.size() >= how.waiting ||
        came.failed->name != to_string(session::kind::draining)) {
        return false;
    }
    queue.push_back(std::move(one));
    arm();
    return true;
}

/// Makes a request as soon as it can be made. What can be refused is told later, never from
/// within the user's call.
inline void client::state::ask(waiting one, std::chrono::microseconds deadline) {
    one.has_deadline = deadline.count() > 0;
    one.until = clock::now() + (one.has_deadline ? deadline : how.patience);
    if (queue.empty() && usable() != nullptr && !is_making) {
        is_making = true;
        const bool is_made = try_make(one);
        is_making = false;
        if (is_made) {
            return;
        }
    }
    if (is_closed || queue.size() >= how.waiting) {
        const failure why =
            failure_of(is_closed ? session::kind::closed : session::kind::limit_queue_bytes);
        asio::post(context, [fail = std::move(one.fail), why] { fail(why); });
        return;
    }
    one.body = session::value{std::move(one.body).own()};
    queue.push_back(std::move(one));
    arm();
}

/// Makes a request, if there is a connection with room for it. What can never be made is failed.
inline bool client::state::try_make(waiting& one) {
    connection* const on = usable();
    if (on == nullptr || on->is_full()) {
        return false;
    }
    const auto fail = [&](session::kind why, waiting& whose) {
        asio::post(context, [told = std::move(whose.fail), why] { told(failure_of(why)); });
        return true;
    };
    const auto number = on->number_of(one.service);
    if (!number) {
        return fail(session::kind::service_unknown, one);
    }
    one.asked.service = *number;
    if (one.has_deadline) {
        const auto left =
            std::chrono::duration_cast<std::chrono::microseconds>(one.until - clock::now());
        one.asked.deadline = static_cast<std::uint64_t>(std::max<std::int64_t>(left.count(), 1));
    }
    // What may be made again is kept, and what is sent a copy of it.
    std::shared_ptr<waiting> again;
    if (one.is_repeatable && one.body.size() < session::large_bytes) {
        one.body = session::value{std::move(one.body).own()};
        again = std::make_shared<waiting>(std::move(one));
    }
    waiting& made_of = again ? *again : one;
    const auto metadata_of = refer(made_of.beside);
    session::request asked = made_of.asked;
    asked.metadata = metadata_of;
    session::value body = again ? session::value{again->body.bytes()} : std::move(one.body);
    const auto id = made_of.make(*on, asked, std::move(body), again);
    if (!id) {
        return fail(id.error(), made_of);
    }
    if (*id > 0) {
        made.emplace(made_of.ticket, std::pair{on->weak_from_this(), *id});
    }
    return true;
}

/// Makes what waits, in its order.
inline void client::state::make_waiting() {
    if (is_making) {
        return;
    }
    is_making = true;
    while (!queue.empty() && try_make(queue.front())) {
        queue.pop_front();
    }
    is_making = false;
}

inline void client::state::cancel(std::uint64_t ticket) {
    const auto waits = std::find_if(queue.begin(), queue.end(),
                                    [&](const waiting& one) { return one.ticket == ticket; });
    if (waits != queue.end()) {
        asio::post(context,
                   [fail = std::move(waits->fail)] { fail(failure_of(session::kind::cancelled)); });
        queue.erase(waits);
        return;
    }
    const auto found = made.find(ticket);
    if (found == made.end()) {
        return;
    }
    const auto [where, id] = found->second;
    if (const auto on = where.lock()) {
        on->cancel(id);
    }
}

/// Sets the timer of what waits.
inline void client::state::arm() {
    auto first = clock::time_point::max();
    for (const waiting& one : queue) {
        first = std::min(first, one.until);
    }
    if (first >= armed_at) {
        return;
    }
    armed_at = first;
    wait_timer.expires_at(first);
    wait_timer.async_wait([weak = weak_from_this()](const std::error_code& failed) {
        const auto self = weak.lock();
        if (self && !failed) {
            self->armed_at = clock::time_point::max();
            self->expire();
        }
    });
}

/// Fails what has waited too long.
inline void client::state::expire() {
    const auto passed = clock::now();
    std::vector<std::function<void(const failure&)>> late;
    for (auto one = queue.begin(); one != queue.end();) {
        if (one->until <= passed) {
            late.push_back(std::move(one->fail));
            one = queue.erase(one);
        } else {
            ++one;
        }
    }
    const failure why = failure_of(session::kind::deadline_exceeded, trouble);
    for (const auto& fail : late) {
        fail(why);
    }
    arm();
}

}  // namespace mxp::net

#endif  // MXP_NET_ASKING_HPP
