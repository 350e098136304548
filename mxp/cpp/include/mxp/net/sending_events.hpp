/// How a client sends several events at once.
#ifndef MXP_NET_SENDING_EVENTS_HPP
#define MXP_NET_SENDING_EVENTS_HPP

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "client_requests.hpp"

namespace mxp::net {

/// The end of several events, which is told when that of each part of them is.
struct client::batch_end {
    answer_handler then{};
    std::size_t parts = 1;
    std::optional<failure> failed{};

    void end(const answer& part) {
        if (part.failed && !failed) {
            failed = part.failed;
        }
        if (--parts == 0 && then) {
            then({failed, {}, {}, nullptr, nullptr, part.came});
        }
    }
};

/// Events that are requests of their own, since somebody looks at each: so many together, and then
/// the next, until one fails. It is used in the client's turns.
struct client::event_fanout : std::enable_shared_from_this<event_fanout> {
    event_fanout(const std::shared_ptr<state>& state, const method& method, packed_values events,
                 event_options options, answer_handler callback)
        : all(state),
          subject(state->subject_of(method)),
          is_idempotent(method.is_idempotent),
          values(std::move(events)),
          asked(std::move(options)),
          then(std::move(callback)) {}

    void proceed() {
        const auto by = all.lock();
        const std::size_t n = std::min(together, values.size() - next);
        if (by == nullptr && !failed) {
            failed = failure_of(session::kind::closed);
        }
        if (failed || n == 0) {
            if (then) {
                then({failed, {}, {}});
            }
            return;
        }
        const auto joint = std::make_shared<batch_end>();
        joint->parts = n;
        joint->then = [self = shared_from_this()](const answer& answer) {
            self->failed = answer.failed;
            self->proceed();
        };
        for (std::size_t i = 0; i < n; ++i) {
            by->event(by->next_ticket(),
                      {subject.service, subject.number, subject.name, is_idempotent},
                      session::value{values[next++]}, asked,
                      [joint](const answer& answer) { joint->end(answer); });
        }
    }

    static constexpr std::size_t together = 256;

    std::weak_ptr<state> all;
    engine::subject subject;
    bool is_idempotent;
    packed_values values;
    event_options asked;
    answer_handler then;
    std::size_t next = 0;
    std::optional<failure> failed{};
};

inline void client::state::events(const method& method, packed_values values,
                                  event_options settings, answer_handler then) {
    if (!options.interceptors.empty() || publishes || settings.requires_ack) {
        const auto each = std::make_shared<event_fanout>(
            shared_from_this(), method, std::move(values), std::move(settings), std::move(then));
        if (each->values.size() == 0) {
            turns->post([each] { each->proceed(); });
        } else {
            turns->run([each] { each->proceed(); });
        }
        return;
    }
    const auto joint = std::make_shared<batch_end>();
    joint->then = std::move(then);
    session::value none{};
    const auto one = request_of(next_ticket(), session::purpose::event, method, none, settings,
                                [joint](const answer& answer) { joint->end(answer); });
    one->several = std::move(values);
    one->joint = joint;
    one->full = settings.full;
    begin(one, std::chrono::microseconds{0});
}

/// Makes events that wait, as long as there is room. The events of each frame end by themselves:
/// they are made again where their frame is lost before it was given out.
inline session::result<std::uint64_t>
client::state::make_several(connection& connection, const session::request& request,
                            const std::shared_ptr<waiter>& waiter) {
    while (waiter->next < waiter->several.size()) {
        const auto part = std::make_shared<client::waiter>();
        const auto n = connection.events(request, waiter->full, waiter->several, waiter->next,
                                         ending(part, connection));
        if (!n) {
            return session::unexpected{n.error()};
        }
        part->ticket = next_ticket();
        part->kind = waiter->kind;
        part->subject = waiter->subject;
        part->asked = waiter->asked;
        part->beside = waiter->beside;
        part->full = waiter->full;
        part->several.add(waiter->several, waiter->next, *n);
        part->joint = waiter->joint;
        part->then = waiter->then;
        part->since = waiter->since;
        part->measured = waiter->measured.split(*n);
        ++waiter->joint->parts;
        waiter->next += *n;
    }
    turns->post([waiter] { waiter->tell({}); });
    return std::uint64_t{0};
}

}  // namespace mxp::net

#endif  // MXP_NET_SENDING_EVENTS_HPP
