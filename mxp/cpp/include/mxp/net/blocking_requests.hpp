/// The requests of a blocking client, and the waits for their results.
#ifndef MXP_NET_BLOCKING_REQUESTS_HPP
#define MXP_NET_BLOCKING_REQUESTS_HPP

#include <algorithm>
#include <chrono>
#include <thread>
#include <type_traits>

#include "../engine/ending.hpp"
#include "blocking_state.hpp"
#include "request_parts.hpp"

namespace mxp::net {

template <class Options, class Make>
outcome<reply> blocking_caller::ask(const method& method, session::purpose purpose,
                                    bytes_view value, Options options, Make make) {
    session::value body{value};
    std::optional<failure> refused;
    ends_ = {};
    if (!options_.interceptors.empty()) {
        auto shown = detail::show(options_.interceptors, method, purpose, body, options);
        ends_ = std::move(shown.said().ends);
        refused = std::move(shown.said().refused);
    }
    const auto begun = clock::now();
    const auto at = begun + most(options);
    ending_ = {};
    outcome<reply> came = [&]() -> outcome<reply> {
        if (refused) {
            return failure_result{std::move(*refused)};
        }
        const auto retries = purpose == session::purpose::stream ? std::nullopt : policy(options);
        if (retries) {
            repetitions_.earn(*retries);
        }
        for (std::size_t attempts = 1;; ++attempts) {
            detail::request_meter measured = measure(method);
            auto ended = repeat(at, [&] { return request(method, at, body, options, make); });
            measured.end(ended ? session::status::Ok : ended.error().status, clock::now());
            const auto rest = ended || !retries
                                  ? std::nullopt
                                  : repetitions_.pause(*retries, attempts, method.is_idempotent,
                                                       ended.error(), clock::now(), at, draws_);
            if (!rest) {
                return ended;
            }
            pass_until(clock::now() + *rest);
        }
    }();
    id_ = 0;
    if (!came) {
        came = failure_result{
            subject_of(method, most(options), begun).explained(came.error(), clock::now())};
    }
    if (ends_.empty() || ending_.is_told) {
        return came;
    }
    answer told;
    told.failed = came ? std::nullopt : std::optional{came.error()};
    ends_.tell(told);
    if (told.failed) {
        return failure_result{explained(method, std::move(*told.failed))};
    }
    return reply{{told.value.begin(), told.value.end()}, {}};
}

inline outcome<void> blocking_caller::events(const method& method, const packed_values& values,
                                             event_options options) {
    const bool is_each = !options_.interceptors.empty() || options.requires_ack;
    for (std::size_t next = 0; next < values.size();) {
        if (is_each) {
            if (const auto came = event(method, values[next++], options); !came) {
                return failure_result{came.error()};
            }
        } else if (auto why = write_events(method, values, next, options)) {
            return failure_result{std::move(*why)};
        }
    }
    return {};
}

/// Writes some of several events at once, from a place on, which it moves. Returns why it could
/// not.
inline std::optional<failure> blocking_caller::write_events(const method& method,
                                                            const packed_values& values,
                                                            std::size_t& next,
                                                            const event_options& options) {
    const std::size_t first = next;
    std::size_t end = next;
    for (std::size_t bytes = 0; end < values.size() && bytes < write_bytes; ++end) {
        bytes += values[end].size();
    }
    const auto begun = clock::now();
    const auto until = begun + most(options);
    // Where there is no room, it is asked again, and goes on.
    const auto make = [&](const session::request& call, session::value, const event_options&) {
        session::result<std::uint64_t> id{0};
        while (next < end && id) {
            if (*id == 0 || !session_->join(*id, values[next])) {
                id =
                    session_->event(call, false, options.full, session::value{values[next]}, now());
            }
            next += id ? 1U : 0U;
        }
        return id ? session::result<std::uint64_t>{0} : id;
    };
    detail::request_meter measured = measure(method, end - first);
    ends_ = {};
    id_ = 0;
    session::value none{};
    const auto came = repeat(until, [&] { return request(method, until, none, options, make); });
    if (came) {
        measured.end(session::status::Ok, clock::now());
        return std::nullopt;
    }
    if (next < end && session_) {
        measured.split(next - first).end(session::status::Ok, clock::now());
        ending_ = {};
        static_cast<void>(await(until));  // those before one that is refused
    }
    measured.end(came.error().status, clock::now());
    return subject_of(method, most(options), begun).explained(came.error(), clock::now());
}

/// Makes a request by a function, again where nobody has acted on it [MXP-14.6], and waits for its
/// end.
template <class Make>
outcome<reply> blocking_caller::repeat(clock::time_point deadline, Make make) {
    engine::repeats repeats;
    for (;;) {
        ending_ = {};
        const outcome<std::uint64_t> id = make();
        if (!id) {
            return failure_result{id.error()};
        }
        id_ = *id;
        auto ended = await(deadline);
        if (ended || !is_repeatable(ended.error(), repeats, deadline)) {
            return ended;
        }
    }
}

namespace detail {

/// Sleeps until a time. One sleep may end early, where the system counts milliseconds.
inline void sleep_until(std::chrono::steady_clock::time_point end) {
    while (std::chrono::steady_clock::now() < end) {
        std::this_thread::sleep_until(end);
    }
}

}  // namespace detail

/// Lets time pass, in which the connection is looked after.
inline void blocking_caller::pass_until(clock::time_point end) {
    while (session_ && clock::now() < end) {
        turn(end);
    }
    detail::sleep_until(end);
}

template <class Options, class Make>
outcome<std::uint64_t> blocking_caller::request(const method& method, clock::time_point deadline,
                                                session::value& body, const Options& options,
                                                Make& make) {
    if (auto connected = connect(deadline); !connected) {
        return failure_result{std::move(connected.error())};
    }
    const auto number = numbers_.find(method.service);
    if (!number) {
        return failure_result{engine::not_served(method.service, numbers_.names())};
    }
    if (const auto* const unlike = session_->find_difference(false, *number, method.number)) {
        return failure_result{failure_of(session::kind::schema, unlike->text)};
    }
    const auto beside = refer(options.metadata);
    session::request asked;
    asked.service = *number;
    asked.method = method.number;
    asked.trace = options.trace;
    asked.metadata = beside;
    if constexpr (std::is_same_v<Options, call_options>) {
        if (options.deadline.count() > 0) {
            const auto left =
                std::chrono::duration_cast<std::chrono::microseconds>(deadline - clock::now());
            asked.deadline = static_cast<std::uint64_t>(std::max<std::int64_t>(left.count(), 1));
        }
    }
    for (;;) {
        const session::result<std::uint64_t> id = make(asked, body.share(), options);
        if (id) {
            return *id;
        }
        if (!engine::attempt_after(id.error(), true) || clock::now() >= deadline) {
            return failure_result{engine::refusal_of(id.error(), *session_)};
        }
        turn(deadline);  // until there is room
        if (!session_) {
            return failure_result{failure_of(session::kind::lost, trouble_)};
        }
    }
}

/// Whether a request that has failed is to be made again. Where the peer had no place for it, it
/// waits.
inline bool blocking_caller::is_repeatable(const failure& why, engine::repeats& repeats,
                                           clock::time_point deadline) {
    const auto passed = clock::now();
    const auto again = engine::again_after(why, !session_ || session_->finished());
    if (again != engine::again::later || passed >= deadline) {
        return again == engine::again::elsewhere && passed < deadline;
    }
    const auto pause = repeats.next(passed, deadline, options_.patience, draws_);
    while (pause && session_ && clock::now() < passed + *pause) {
        turn(passed + *pause);
    }
    return pause.has_value();
}

/// Makes an agent request, and waits for its answer.
template <class Make>
outcome<reply> blocking_caller::ask_agents(Make make) {
    const auto until = clock::now() + options_.patience;
    ends_ = {};
    auto came = repeat(until, [&]() -> outcome<std::uint64_t> {
        if (auto connected = connect(until); !connected) {
            return failure_result{std::move(connected.error())};
        }
        const session::result<std::uint64_t> id = make();
        if (!id) {
            return failure_result{engine::refusal_of(id.error(), *session_)};
        }
        return *id;
    });
    id_ = 0;
    if (!came) {
        failure why = std::move(came.error());
        why.peer = *place_;
        return failure_result{std::move(why)};
    }
    return came;
}

/// Waits for the end of a request that was made.
inline outcome<reply> blocking_caller::await(clock::time_point until) {
    const bool is_written_only = id_ == 0;
    while (!ending_.has_ended) {
        if (!session_ || !write()) {
            if (ending_.has_ended) {
                break;
            }
            return failure_result{engine::acted(failure_of(session::kind::lost, trouble_))};
        }
        if (is_written_only && pieces_.empty()) {
            return reply{};
        }
        if (clock::now() >= until) {
            return late();
        }
        turn(until);
    }
    if (auto* const why = std::get_if<failure>(&ending_.result)) {
        return failure_result{std::move(*why)};
    }
    return std::get<reply>(std::move(ending_.result));
}

/// Takes back what has taken too long.
inline outcome<reply> blocking_caller::late() {
    failure why = engine::acted(failure_of(session::kind::deadline_exceeded));
    if (id_ != 0) {
        static_cast<void>(session_->cancel(id_, now()));
        tell({});
        if (const auto* const ended = std::get_if<failure>(&ending_.result)) {
            why.acted = ended->acted;
        }
        static_cast<void>(write());
    }
    return failure_result{std::move(why)};
}

/// Sees to it that requests can be made [MXP-14.4].
inline outcome<void> blocking_caller::connect(clock::time_point deadline) {
    if (never_) {
        return failure_result{*never_};
    }
    if (session_) {
        // Events that came while nobody looked, for instance that the peer is gone.
        turn(clock::now());
    }
    if (session_ && is_draining_) {
        set_aside();
    }
    if (session_ && session_->ready()) {
        return {};
    }
    const auto late = std::min(deadline, clock::now() + options_.connect_timeout);
    for (;;) {
        if (!session_ && clock::now() < due_) {  // the last attempt was just now
            if (endpoint_.may_heal()) {
                detail::sleep_until(std::min(due_, late));
            }
            if (clock::now() < due_) {
                return failure_result{endpoint_.trouble()};
            }
        }
        if (!session_) {
            if (auto opened = open(late)) {
                endpoint_.opened(*place_);
            } else {
                has_failed(std::move(opened.error()));
            }
        }
        while (session_ && !session_->ready() && clock::now() < late) {
            turn(late);
            if (!session_ && !was_ready_) {
                has_failed(engine::refused_before_hello(ended_, *place_));
            }
        }
        if (session_ && session_->ready()) {
            was_ready_ = true;
            static_cast<void>(endpoint_.ready(clock::now()));
            outage_.connected({session_->differences(), session_->uncompared()});
            return {};
        }
        if (!endpoint_.may_heal() || clock::now() >= late) {
            return failure_result{endpoint_.trouble()};
        }
    }
}

/// Notes an attempt that has failed.
inline void blocking_caller::has_failed(failure why) {
    outage_.failed(why);
    endpoint_.failed(std::move(why));
    rest();
}

/// The next attempt waits for a random part of a time that doubles [MXP-14.3]; for none where the
/// connection before has lasted.
inline void blocking_caller::rest() { due_ = clock::now() + endpoint_.pause(draws_); }

/// Lets what is in flight on a connection go on, while requests go to the next.
inline void blocking_caller::set_aside() {
    if (streams_.empty()) {
        drop();
        return;
    }
    auto& here = static_cast<detail::blocking_link&>(*this);
    old_.push_back(
        std::make_unique<detail::blocking_link>(std::exchange(here, detail::blocking_link{})));
}

/// Takes a connection up again that was set aside.
inline void blocking_caller::resume(std::size_t old) {
    static_cast<detail::blocking_link&>(*this) = std::move(*old_[old]);
    old_.erase(old_.begin() + static_cast<std::ptrdiff_t>(old));
}

/// Waits for one thing to happen, and does what follows.
inline void blocking_caller::turn(clock::time_point deadline) {
    has_made_room_ = false;
    if (!write()) {
        return;
    }
    std::uint64_t left = 0;
    const auto passed = clock::now();
    // The caller may wait for room, and no incoming bytes would tell of it.
    if (deadline > passed && !has_made_room_) {
        left = static_cast<std::uint64_t>(
            std::chrono::duration_cast<std::chrono::microseconds>(deadline - passed).count());
    }
    if (const auto due = session_->next_timeout()) {
        left = std::min(left, *due > now() ? *due - now() : 0);
    }
    const bool is_deaf = session_->is_deaf();
    if (!is_deaf && !unread_.empty()) {
        left = 0;
    }
    const std::chrono::microseconds most{static_cast<std::int64_t>(left)};
    const bool has_come = bytes_->wait(!is_deaf, !pieces_.empty(), most);
    session_->tick(now());
    tell({});
    if (has_come || (!unread_.empty() && !session_->is_deaf())) {
        read();
    }
}

/// Hands bytes to the session, and looks at what it tells.
inline void blocking_caller::tell(bytes_view come) {
    while (const auto one = session_->receive(come, now())) {
        std::visit([this](const auto& event) { handle(event); }, *one);
    }
    if (!come.empty()) {
        unread_.assign(come.begin(), come.end());
    }
}

/// Ends what is left of a connection that is gone.
inline void blocking_caller::lose(std::error_code why) {
    trouble_ = engine::lost_text(why);
    session_->lost(now());
    tell({});
    if (ended_.name == to_string(session::kind::lost)) {
        ended_.text = trouble_;
    }
    if (was_ready_) {
        outage_.ended(ended_);
        if (!is_draining_) {
            endpoint_.ended(ended_, clock::now(), *place_);
            rest();
        }
    }
    drop();
}

/// Closes the connection, and forgets what it was for.
inline void blocking_caller::drop() {
    bytes_.reset();
    session_.reset();
    for (const auto& [id, one] : std::exchange(streams_, {})) {
        one->end(engine::acted(failure_of(session::kind::lost, trouble_)));
    }
    numbers_.clear();
    pieces_.clear();
    batch_.clear();
    unread_.clear();
}

/// The next requests go to another connection.
inline void blocking_caller::handle(const session::in::draining& /*of*/) {
    is_draining_ = true;
    if (was_ready_) {
        endpoint_.drained(clock::now(), *place_);
        rest();
    }
}

inline void blocking_caller::handle(const session::in::ready& event) {
    numbers_.assign(event.services);
}

inline void blocking_caller::handle(const session::in::response& event) {
    if (event.id != id_) {
        return;
    }
    answer told{std::nullopt, event.value, event.metadata};
    ends_.tell(told);
    ending_.has_ended = true;
    ending_.is_told = true;
    if (told.failed) {
        ending_.result = std::move(*told.failed);
        return;
    }
    reply came;
    came.value.assign(told.value.begin(), told.value.end());
    for (const auto& one : told.metadata) {
        came.metadata.emplace_back(one.key(),
                                   std::vector<std::byte>{one.value().begin(), one.value().end()});
    }
    ending_.result = std::move(came);
}

/// Why a request has ended, perhaps with its connection.
inline failure blocking_caller::ending_of(const session::failure& why) const {
    return engine::ending_of(failure_of(why), trouble_, {});
}

inline void blocking_caller::handle(const session::in::ended& event) {
    if (event.id == id_) {
        ending_.has_ended = true;
        ending_.result = ending_of(event.why);
    } else if (const auto found = streams_.find(event.id); found != streams_.end()) {
        const auto one = found->second;
        streams_.erase(found);
        one->end(ending_of(event.why));
    }
}

inline void blocking_caller::handle(const session::in::acked& event) {
    if (event.id == id_) {
        ending_.has_ended = true;
    }
}

}  // namespace mxp::net

#endif  // MXP_NET_BLOCKING_REQUESTS_HPP
