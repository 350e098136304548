/// How a client makes requests.
#ifndef MXP_NET_CLIENT_REQUESTS_HPP
#define MXP_NET_CLIENT_REQUESTS_HPP

#include "../engine/failure_text.hpp"
#include "client_state.hpp"
#include "hedge.hpp"
#include "request_parts.hpp"

namespace mxp::net {

/// A request that is to be made, once interceptors have seen it; nothing if they have refused it.
template <class Options>
std::shared_ptr<client::waiter>
client::state::request_of(std::uint64_t ticket, session::purpose kind, const method& method,
                          session::value& body, Options& settings, answer_handler then) {
    const auto one = std::make_shared<waiter>();
    one->ticket = ticket;
    one->kind = kind;
    one->subject = subject_of(method);
    one->then = std::move(then);
    if (settings.retry || options.retry || !options.interceptors.empty()) {
        one->maker = weak_from_this();
    }
    one->is_idempotent = method.is_idempotent;
    std::optional<failure> refused;
    if (!options.interceptors.empty()) {
        auto shown = detail::show(options.interceptors, method, kind, body, settings);
        one->ends = std::move(shown.said().ends);
        refused = std::move(shown.said().refused);
    }
    one->asked.method = method.number;
    one->asked.trace = settings.trace;
    one->beside = std::move(settings.metadata);
    one->body = std::move(body);
    if (publishes && !refused) {
        if constexpr (std::is_same_v<Options, event_options>) {
            refused = publish(*one, settings.requires_ack);
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

inline void client::state::call(std::uint64_t ticket, const method& method, session::value body,
                                call_options settings, answer_handler then) {
    if (settings.on_metadata) {
        then = [tell = std::move(settings.on_metadata),
                then = std::move(then)](const answer& answer) {
            if (!answer.failed) {
                tell(detail::owned(answer.metadata));
            }
            if (then) {
                then(answer);
            }
        };
    }
    if (const auto one =
            request_of(ticket, session::purpose::call, method, body, settings, std::move(then))) {
        one->policy = settings.retry ? settings.retry : options.retry;
        const bool is_timed = one->policy && settings.deadline.count() <= 0;
        begin(one, is_timed ? one->policy->timeout : settings.deadline);
    }
}

inline void client::state::event(std::uint64_t ticket, const method& method, session::value body,
                                 event_options settings, answer_handler then) {
    if (const auto one =
            request_of(ticket, session::purpose::event, method, body, settings, std::move(then))) {
        one->requires_ack = settings.requires_ack;
        one->full = settings.full;
        if (settings.requires_ack) {
            one->policy = settings.retry ? settings.retry : options.retry;
        }
        begin(one, std::chrono::microseconds{0});
    }
}

/// Makes an agent request.
template <class Make, class Read, class Then>
std::uint64_t client::state::agents(Make make, Read reader, Then then,
                                    std::chrono::microseconds deadline) {
    const auto one = std::make_shared<waiter>();
    one->ticket = next_ticket();
    one->kind = session::purpose::agents;
    one->make = std::move(make);
    one->then = [reader, place = place, then = std::move(then),
                 weak = std::weak_ptr<waiter>{one}](const answer& answer) {
        if (!then) {
            return;
        }
        if (answer.failed) {
            const auto asked = weak.lock();
            const bool is_late = asked && asked->late != nullptr && clock::now() >= asked->until &&
                                 answer.failed->name == to_string(session::kind::cancelled);
            failure why = is_late ? failure_of(session::kind::deadline_exceeded) : *answer.failed;
            why.acted = answer.failed->acted;
            why.peer = place ? *place : std::string{};
            then(failed_outcome{std::move(why)});
        } else {
            then(reader(answer.value));
        }
    };
    begin(one, deadline);
    return one->ticket;
}

inline stream client::state::open(const method& method, session::value body, call_options settings,
                                  bool is_final) {
    const stream made_end{turns};
    made_end.state_->is_own = true;
    made_end.state_->is_finishing = is_final;
    made_end.state_->subject = subject_of(method);
    made_end.state_->inbox.credit.most = engine::messages_of(method.service);
    if (publishes) {
        turns->post([made_end] { made_end.fail(engine::has_one_receiver()); });
        return made_end;
    }
    if (!options.interceptors.empty()) {
        auto shown =
            detail::show(options.interceptors, method, session::purpose::stream, body, settings);
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
    const auto one = std::make_shared<waiter>();
    one->ticket = next_ticket();
    one->kind = session::purpose::stream;
    one->asked.method = method.number;
    one->subject = made_end.state_->subject;
    one->asked.trace = settings.trace;
    one->beside = std::move(settings.metadata);
    one->body = std::move(body);
    one->is_final = is_final;
    one->end = made_end.state_;
    begin(one, settings.deadline);
    return made_end;
}

/// Makes a request in a turn.
inline void client::state::begin(const std::shared_ptr<waiter>& waiter,
                                 std::chrono::microseconds deadline) {
    waiter->since = waiter->subject.begun = clock::now();
    if (deadline.count() > 0) {
        waiter->until = waiter->subject.begun + deadline;
        waiter->subject.most = deadline;
    }
    if (waiter->end) {
        waiter->end->subject = waiter->subject;
    }
    measure(*waiter);
    turns->run_with(std::move(waiter->body),
                    [self = shared_from_this(), waiter](session::value body) {
                        waiter->body = std::move(body);
                        if (waiter->policy) {
                            self->repetitions.earn(*waiter->policy);
                            self->begin_hedge(waiter);
                        }
                        if (waiter->kind == session::purpose::agents && waiter->has_deadline()) {
                            self->await_deadline(*waiter);
                        }
                        self->ask(waiter);
                    });
}

/// Takes an agent request back at its deadline, of which the session knows nothing.
inline void client::state::await_deadline(waiter& waiter) {
    waiter.late = std::make_unique<asio::steady_timer>(context, waiter.until);
    waiter.late->async_wait(in_turn([this, ticket = waiter.ticket](const std::error_code& failed) {
        if (!failed) {
            cancel(ticket);
        }
    }));
}

/// Counts a request that begins, unless it was begun and has not ended.
inline void client::state::measure(waiter& waiter) const {
    detail::request_meter& counted = waiter.end ? waiter.end->measured : waiter.measured;
    const bool is_over = waiter.end && waiter.end->is_over;
    if (waiter.kind != session::purpose::agents && !counted.is_in_flight() && !is_over) {
        const detail::method_meter of{session::side::client, waiter.subject.service,
                                      waiter.subject.number};
        const std::size_t count = waiter.joint ? waiter.several.size() - waiter.next : 1;
        counted = detail::meters::begin(meters, of, waiter.subject.name, waiter.since, count);
    }
}

/// Makes a request as soon as it can be made. Refusals are told later, never from within the
/// user's call.
inline void client::state::ask(const std::shared_ptr<waiter>& waiter) {
    if (!is_leaving() && queue.empty() && !is_making && is_usable()) {
        is_making = true;
        const auto done = try_make(waiter);
        is_making = false;
        if (done == engine::attempt::made) {
            return;
        }
    }
    const bool is_final = is_hopeless();
    const bool is_full = queue.is_full(*waiter, options.waiting, *budget);
    if (is_closed || is_leaving() || is_final || is_full) {
        const failure why = is_closed || is_leaving() ? failure_of(session::kind::closed)
                            : is_final                ? trouble()
                                       : failure_of(session::kind::limit_queue_bytes);
        turns->post([waiter, why] { waiter->fail(why); });
        return;
    }
    waiter->body = session::value{std::move(waiter->body).own()};
    queue.push_back(waiter);
    arm();
}

/// Makes a request, if there is a connection with room for it. A request that can never be made
/// fails.
inline engine::attempt client::state::try_make(const std::shared_ptr<waiter>& waiter,
                                               connection* first) {
    connection* const chosen = first != nullptr ? first : choose();
    if (chosen == nullptr) {
        return engine::attempt::not_now;
    }
    const auto fail = [&](failure why) {
        turns->post([waiter, why = std::move(why)] { waiter->fail(why); });
        return engine::attempt::made;
    };
    if (chosen->peer() != nullptr) {
        waiter->subject.peer = chosen->peer();
    }
    if (waiter->has_deadline() && waiter->until <= clock::now()) {
        return fail(failure_of(session::kind::deadline_exceeded));
    }
    const bool is_agents = waiter->kind == session::purpose::agents;
    const auto number =
        is_agents ? std::optional<std::uint16_t>{0} : chosen->number_of(waiter->subject.service);
    if (!number) {
        return fail(engine::not_served(waiter->subject.service, chosen->served()));
    }
    const auto* const unlike =
        is_agents ? nullptr : chosen->find_difference(*number, waiter->asked.method);
    if (unlike != nullptr) {
        return fail(failure_of(session::kind::schema, unlike->text));
    }
    const auto beside = refer(waiter->beside);
    session::request asked = waiter->asked;
    asked.service = *number;
    asked.metadata = beside;
    if (waiter->has_deadline()) {
        const auto left =
            std::chrono::duration_cast<std::chrono::microseconds>(waiter->until - clock::now());
        asked.deadline = static_cast<std::uint64_t>(std::max<std::int64_t>(left.count(), 1));
    }
    // It may have to be made again.
    const auto id = make(*chosen, asked, waiter->body.share(), waiter);
    if (!id) {
        const auto later = engine::attempt_after(id.error(), chosen->is_full());
        return later ? *later : fail(chosen->refusal_of(id.error()));
    }
    if (waiter->hedged) {
        waiter->hedged->made_on.push_back(chosen);
    }
    if (*id > 0) {
        made.emplace(waiter->ticket, std::pair{chosen->weak_from_this(), *id});
    }
    return engine::attempt::made;
}

/// Makes a request on a connection. The result is its id, or 0 for a request that can't be taken
/// back by a ticket.
inline session::result<std::uint64_t> client::state::make(connection& connection,
                                                          const session::request& request,
                                                          session::value body,
                                                          const std::shared_ptr<waiter>& waiter) {
    if (waiter->kind == session::purpose::agents) {
        return connection.ask_agents(waiter->make, ending(waiter, connection));
    }
    if (waiter->joint) {
        return make_several(connection, request, waiter);
    }
    if (waiter->kind == session::purpose::call) {
        return connection.call(request, std::move(body), ending(waiter, connection));
    }
    if (waiter->requires_ack) {
        return connection.event(request, true, waiter->full, std::move(body),
                                ending(waiter, connection));
    }
    session::result<std::uint64_t> id{0};
    if (waiter->kind == session::purpose::event) {
        id = connection.event(request, false, waiter->full, std::move(body),
                              ending(waiter, connection));
    } else if (!waiter->end->is_over) {
        waiter->end->again = [self = weak_from_this(), waiter,
                              was_on = connection.weak_from_this()](const failure& why) {
            const auto all = self.lock();
            return all != nullptr && all->wait_again(why, waiter, was_on.lock().get());
        };
        id = connection.open(request, waiter->is_final || waiter->end->has_finished,
                             std::move(body), stream{waiter->end});
    }
    if (id) {
        id = 0;  // nothing takes it back by a ticket
    }
    return id;
}

/// The function that is told the end of a request that is made.
inline connection::answer_handler client::state::ending(const std::shared_ptr<waiter>& waiter,
                                                        connection& connection) {
    return [self = weak_from_this(), waiter,
            was_on = connection.weak_from_this()](const answer& answer) {
        if (const auto all = self.lock()) {
            all->made.erase(waiter->ticket);
            if (answer.failed && all->wait_again(*answer.failed, waiter, was_on.lock().get())) {
                return;
            }
        }
        waiter->tell(answer);
    };
}

}  // namespace mxp::net

#endif  // MXP_NET_CLIENT_REQUESTS_HPP
