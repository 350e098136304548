/// How a client makes requests.
#ifndef MXP_NET_ASKING_HPP
#define MXP_NET_ASKING_HPP

#include "../engine/failure_text.hpp"
#include "client_state.hpp"
#include "hedging.hpp"
#include "request_parts.hpp"

namespace mxp::net {

/// A request that is to be made, once interceptors have seen it; nothing if they have refused it.
template <class Options>
std::shared_ptr<client::waiting>
client::state::request_of(std::uint64_t ticket, session::purpose kind, const method& of,
                          session::value& body, Options& asked, done then) {
    const auto one = std::make_shared<waiting>();
    one->ticket = ticket;
    one->kind = kind;
    one->subject = subject_of(of);
    one->then = std::move(then);
    if (asked.retry || options.retry || !options.interceptors.empty()) {
        one->maker = weak_from_this();
    }
    one->is_idempotent = of.is_idempotent;
    std::optional<failure> refused;
    if (!options.interceptors.empty()) {
        auto shown = detail::show(options.interceptors, of, kind, body, asked);
        one->ends = std::move(shown.said().ends);
        refused = std::move(shown.said().refused);
    }
    one->asked.method = of.number;
    one->asked.trace = asked.trace;
    one->beside = std::move(asked.metadata);
    one->body = std::move(body);
    if (publishes && !refused) {
        if constexpr (std::is_same_v<Options, event_options>) {
            refused = publish(*one, asked.requires_ack);
        } else {
            refused = publish(*one, false);
        }
    }
    if (refused) {
        turns->post([one, why = std::move(*refused)] {
            one->end_with({one->subject.explained(why, clock::now()), {}, {}}, one->ends.size());
        });
        return nullptr;
    }
    return one;
}

inline void client::state::call(std::uint64_t ticket, const method& of, session::value body,
                                call_options asked, done then) {
    if (asked.on_metadata) {
        then = [tell = std::move(asked.on_metadata), then = std::move(then)](const answer& came) {
            if (!came.failed) {
                tell(detail::owned(came.metadata));
            }
            if (then) {
                then(came);
            }
        };
    }
    if (const auto one =
            request_of(ticket, session::purpose::call, of, body, asked, std::move(then))) {
        one->policy = asked.retry ? asked.retry : options.retry;
        const bool is_timed = one->policy && asked.deadline.count() <= 0;
        begin(one, is_timed ? one->policy->timeout : asked.deadline);
    }
}

inline void client::state::event(std::uint64_t ticket, const method& of, session::value body,
                                 event_options asked, done then) {
    if (const auto one =
            request_of(ticket, session::purpose::event, of, body, asked, std::move(then))) {
        one->requires_ack = asked.requires_ack;
        one->full = asked.full;
        if (asked.requires_ack) {
            one->policy = asked.retry ? asked.retry : options.retry;
        }
        begin(one, std::chrono::microseconds{0});
    }
}

/// Makes an agent request.
template <class Make, class Read, class Then>
std::uint64_t client::state::agents(Make make, Read read, Then then,
                                    std::chrono::microseconds deadline) {
    const auto one = std::make_shared<waiting>();
    one->ticket = next_ticket();
    one->kind = session::purpose::agents;
    one->make = std::move(make);
    one->then = [read, place = place, then = std::move(then),
                 weak = std::weak_ptr<waiting>{one}](const answer& came) {
        if (!then) {
            return;
        }
        if (came.failed) {
            const auto asked = weak.lock();
            const bool is_late = asked && asked->late != nullptr && clock::now() >= asked->until &&
                                 came.failed->name == to_string(session::kind::cancelled);
            failure why = is_late ? failure_of(session::kind::deadline_exceeded) : *came.failed;
            why.acted = came.failed->acted;
            why.peer = place ? *place : std::string{};
            then(failed_outcome{std::move(why)});
        } else {
            then(read(came.value));
        }
    };
    begin(one, deadline);
    return one->ticket;
}

inline stream client::state::open(const method& of, session::value body, call_options asked,
                                  bool is_final) {
    const stream made_end{turns};
    made_end.state_->is_own = true;
    made_end.state_->is_finishing = is_final;
    made_end.state_->subject = subject_of(of);
    made_end.state_->inbox.credit.most = engine::messages_of(of.service);
    if (publishes) {
        turns->post([made_end] { made_end.fail(engine::has_one_receiver()); });
        return made_end;
    }
    if (!options.interceptors.empty()) {
        auto shown = detail::show(options.interceptors, of, session::purpose::stream, body, asked);
        if (!shown.said().ends.empty()) {
            made_end.state_->on_over = [ends = shown.said().ends](const failure* why) {
                answer came;
                came.failed = why == nullptr ? std::nullopt : std::optional{*why};
                ends.tell(came);
            };
        }
        if (shown.is_refused()) {
            turns->post([made_end, why = *shown.said().refused] { made_end.fail(why); });
            return made_end;
        }
    }
    const auto one = std::make_shared<waiting>();
    one->ticket = next_ticket();
    one->kind = session::purpose::stream;
    one->asked.method = of.number;
    one->subject = made_end.state_->subject;
    one->asked.trace = asked.trace;
    one->beside = std::move(asked.metadata);
    one->body = std::move(body);
    one->is_final = is_final;
    one->end = made_end.state_;
    begin(one, asked.deadline);
    return made_end;
}

/// Makes a request in a turn.
inline void client::state::begin(const std::shared_ptr<waiting>& one,
                                 std::chrono::microseconds deadline) {
    one->since = one->subject.begun = clock::now();
    if (deadline.count() > 0) {
        one->until = one->subject.begun + deadline;
        one->subject.most = deadline;
    }
    if (one->end) {
        one->end->subject = one->subject;
    }
    measure(*one);
    turns->run_with(std::move(one->body), [self = shared_from_this(), one](session::value body) {
        one->body = std::move(body);
        if (one->policy) {
            self->repetitions.earn(*one->policy);
            self->begin_hedge(one);
        }
        if (one->kind == session::purpose::agents && one->has_deadline()) {
            self->await_deadline(*one);
        }
        self->ask(one);
    });
}

/// Takes an agent request back at its deadline, of which the session knows nothing.
inline void client::state::await_deadline(waiting& one) {
    one.late = std::make_unique<asio::steady_timer>(context, one.until);
    one.late->async_wait(in_turn([this, ticket = one.ticket](const std::error_code& failed) {
        if (!failed) {
            cancel(ticket);
        }
    }));
}

/// Counts a request that begins, unless it was begun and has not ended.
inline void client::state::measure(waiting& one) const {
    detail::measured& counted = one.end ? one.end->measured : one.measured;
    const bool is_over = one.end && one.end->is_over;
    if (one.kind != session::purpose::agents && !counted.is_in_flight() && !is_over) {
        const detail::metered of{session::side::client, one.subject.service, one.subject.number};
        const std::size_t count = one.joint ? one.several.size() - one.next : 1;
        counted = detail::meters::begin(meters, of, one.subject.name, one.since, count);
    }
}

/// Makes a request as soon as it can be made. What can be refused is told later, never from
/// within the user's call.
inline void client::state::ask(const std::shared_ptr<waiting>& one) {
    if (!is_leaving() && queue.empty() && !is_making && is_usable()) {
        is_making = true;
        const auto done = try_make(one);
        is_making = false;
        if (done == engine::attempt::made) {
            return;
        }
    }
    const bool is_final = is_hopeless();
    const bool is_full = queue.is_full(*one, options.waiting, *budget);
    if (is_closed || is_leaving() || is_final || is_full) {
        const failure why = is_closed || is_leaving() ? failure_of(session::kind::closed)
                            : is_final                ? trouble()
                                       : failure_of(session::kind::limit_queue_bytes);
        turns->post([one, why] { one->fail(why); });
        return;
    }
    one->body = session::value{std::move(one->body).own()};
    queue.push_back(one);
    arm();
}

/// Makes a request, if there is a connection with room for it. What can never be made is failed.
inline engine::attempt client::state::try_make(const std::shared_ptr<waiting>& one,
                                               connection* first) {
    connection* const chosen = first != nullptr ? first : choose();
    if (chosen == nullptr) {
        return engine::attempt::not_now;
    }
    const auto fail = [&](failure why) {
        turns->post([one, why = std::move(why)] { one->fail(why); });
        return engine::attempt::made;
    };
    if (chosen->peer() != nullptr) {
        one->subject.peer = chosen->peer();
    }
    if (one->has_deadline() && one->until <= clock::now()) {
        return fail(failure_of(session::kind::deadline_exceeded));
    }
    const bool is_agents = one->kind == session::purpose::agents;
    const auto number =
        is_agents ? std::optional<std::uint16_t>{0} : chosen->number_of(one->subject.service);
    if (!number) {
        return fail(engine::not_served(one->subject.service, chosen->served()));
    }
    const auto* const unlike =
        is_agents ? nullptr : chosen->find_difference(*number, one->asked.method);
    if (unlike != nullptr) {
        return fail(failure_of(session::kind::schema, unlike->text));
    }
    const auto beside = refer(one->beside);
    session::request asked = one->asked;
    asked.service = *number;
    asked.metadata = beside;
    if (one->has_deadline()) {
        const auto left =
            std::chrono::duration_cast<std::chrono::microseconds>(one->until - clock::now());
        asked.deadline = static_cast<std::uint64_t>(std::max<std::int64_t>(left.count(), 1));
    }
    // It may have to be made again.
    const auto id = make(*chosen, asked, one->body.share(), one);
    if (!id) {
        const auto later = engine::attempt_after(id.error(), chosen->is_full());
        return later ? *later : fail(chosen->refusal_of(id.error()));
    }
    if (one->hedged) {
        one->hedged->made_on.push_back(chosen);
    }
    if (*id > 0) {
        made.emplace(one->ticket, std::pair{chosen->weak_from_this(), *id});
    }
    return engine::attempt::made;
}

/// Makes a request on a connection. The result is its id, or 0 for what can't be taken back by a
/// ticket.
inline session::result<std::uint64_t> client::state::make(connection& chosen,
                                                          const session::request& asked,
                                                          session::value body,
                                                          const std::shared_ptr<waiting>& one) {
    if (one->kind == session::purpose::agents) {
        return chosen.ask_agents(one->make, ending(one, chosen));
    }
    if (one->joint) {
        return make_several(chosen, asked, one);
    }
    if (one->kind == session::purpose::call) {
        return chosen.call(asked, std::move(body), ending(one, chosen));
    }
    if (one->requires_ack) {
        return chosen.event(asked, true, one->full, std::move(body), ending(one, chosen));
    }
    session::result<std::uint64_t> id{0};
    if (one->kind == session::purpose::event) {
        id = chosen.event(asked, false, one->full, std::move(body), ending(one, chosen));
    } else if (!one->end->is_over) {
        one->end->again = [self = weak_from_this(), one,
                           was_on = chosen.weak_from_this()](const failure& why) {
            const auto all = self.lock();
            return all != nullptr && all->wait_again(why, one, was_on.lock().get());
        };
        id = chosen.open(asked, one->is_final || one->end->has_finished, std::move(body),
                         stream{one->end});
    }
    if (id) {
        id = 0;  // nothing takes it back by a ticket
    }
    return id;
}

/// The function that is told the end of a request that is made.
inline connection::done client::state::ending(const std::shared_ptr<waiting>& one,
                                              connection& chosen) {
    return [self = weak_from_this(), one, was_on = chosen.weak_from_this()](const answer& came) {
        if (const auto all = self.lock()) {
            all->made.erase(one->ticket);
            if (came.failed && all->wait_again(*came.failed, one, was_on.lock().get())) {
                return;
            }
        }
        one->tell(came);
    };
}

}  // namespace mxp::net

#endif  // MXP_NET_ASKING_HPP
