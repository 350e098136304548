/// The handling of events that come, one at a time or several.
#ifndef MXP_NET_EVENTS_HPP
#define MXP_NET_EVENTS_HPP

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "connection.hpp"
#include "connection_handler.hpp"

namespace mxp::net {

inline void connection::handle(const session::in::event& event) {
    turn_.spend(1);
    if (turn_.drops()) {
        if (event.requires_ack) {
            fail(event.id, failure_of(session::kind::limit_server_bytes));
        }
        return;
    }
    const net::service& service = (*options_.services)[event.head.service()];
    const auto* const found = service.find_event(event.head.method());
    if (found == nullptr) {
        if (event.requires_ack) {
            refuse(event.id, service, "event", event.head);
        }
        return;
    }
    const auto why = serve(service, *found, request_of(event.head, event.value));
    if (!event.requires_ack || is_gone_) {
        return;
    }
    if (why) {
        fail(event.id, *why);
    } else {
        static_cast<void>(session_.ack(event.id, 0, now()));
    }
}

/// As `event` for each, as far as the turn goes. The others wait for the next one.
inline void connection::handle(const session::in::events& event) {
    if (turn_.drops()) {
        turn_.spend(1);
        return;
    }
    // The next values are found before these are told: the session may end then.
    auto at = event.values.begin();
    const std::size_t taken = serve_each(event.head, event.values.size(), [&] {
        return session_.has_ended() ? std::nullopt : std::optional{*at++};
    });
    if (taken < event.values.size()) {
        turn_.rest = engine::event_backlog{
            {event.start, event.values.from(at), event.values.size() - taken}, event.start.size()};
    }
}

/// Serves events that were left of the turn before.
inline void connection::serve_rest() {
    if (!turn_.rest) {
        return;
    }
    engine::event_backlog rest = *std::exchange(turn_.rest, std::nullopt);
    const auto start = sdp::decode_prefix<control::CallStartView>(rest.start_bytes());
    const std::size_t left = rest.values.size();
    const std::size_t taken = serve_each(start->value.head(), left,
                                         [&rest] { return std::optional{rest.values.next()}; });
    if (taken < left) {
        turn_.rest = std::move(rest);
    }
}

/// Drops the waiting events, and all events behind them: their peer has hung up, and these peers
/// have left too much [MXP-15.5].
inline void connection::drop_events() {
    if (is_gone_) {
        return;
    }
    const auto dropped = std::exchange(turn_.rest, std::nullopt);
    turn_.drop();
    if (dropped) {
        const auto start = sdp::decode_prefix<control::CallStartView>(dropped->start_bytes());
        const control::CallHeadView head = start->value.head();
        const net::service& service = (*options_.services)[head.service()];
        const failure why = failure_of(session::kind::limit_server_bytes,
                                       std::to_string(dropped->values.size()) +
                                           " events were dropped, since their peer has hung up");
        report(subject_of(service, head.method(), service.find_event(head.method())->name), why,
               true);
    }
    if (turn_.is_awaited()) {
        go_on();
    }
}

/// Has events of one head handled, of so many as many as the turn has left, until they are dropped
/// or there is no next one any more. Returns how many need no more.
template <class Next>
std::size_t connection::serve_each(const control::CallHeadView& head, std::size_t count,
                                   Next next) {
    const net::service& service = (*options_.services)[head.service()];
    const auto* const found = service.find_event(head.method());
    if (found == nullptr) {
        return count;
    }
    request asked = request_of(head, {});
    const bool has_several = found->handler.several && options_.services->interceptors().empty();
    engine::views some;
    for (std::size_t taken = 0; taken < count;) {
        if (is_gone_ || turn_.drops()) {
            return count;
        }
        if (turn_.is_spent()) {
            return taken;
        }
        const std::size_t n = has_several ? std::min(turn_.left(), count - taken) : 1;
        for (some.clear(); some.size() < n;) {
            const std::optional<bytes_view> one = next();
            if (!one) {
                return count;
            }
            some.push_back(*one);
        }
        turn_.spend(n);
        taken += n;
        if (has_several) {
            serve_several(service, *found, asked, some.all());
        } else {
            asked.value = some.all()[0];
            static_cast<void>(serve(service, *found, asked));
        }
    }
    return count;
}

/// Has several events handled.
inline void connection::serve_several(const net::service& service,
                                      const net::service::handler_entry<event_entry>& entry,
                                      const request& request, sdp::span<const bytes_view> values) {
    detail::request_meter measured = measure(service, request.method, entry.name, values.size());
    std::optional<failure> why;
    const bool has_returned = handling(service, request.method, entry.name,
                                       [&] { why = entry.handler.several(request, values); });
    if (!has_returned) {
        measured.end(session::status::Internal, clock::now());
        return;
    }
    measured.end(why ? why->status : session::status::Ok, clock::now());
    if (why) {
        report(subject_of(service, request.method, entry.name), *why, true);
    }
}

/// Has an event handled, and returns why it was not taken.
inline std::optional<failure>
connection::serve(const net::service& service,
                  const net::service::handler_entry<event_entry>& entry, const request& request) {
    std::optional<failure> why;
    detail::request_meter measured = measure(service, request.method, entry.name);
    const auto guarded = [&](auto then) {
        return handling(service, request.method, entry.name, then);
    };
    bool has_returned = true;
    if (options_.services->interceptors().empty()) {
        has_returned = guarded([&] { why = entry.handler.one(request); });
    } else {
        incoming_request shown{
            {service.name(), request.method, entry.name}, session::purpose::event, request};
        has_returned = guarded([&] { detail::show(shown, options_.services->interceptors()); });
        if (has_returned && shown.is_refused()) {
            why = shown.said().refused;
        } else if (has_returned) {
            has_returned = guarded([&] { why = entry.handler.one(shown.request); });
        }
        answer_end ending;
        ending.failed = has_returned ? std::move(why) : handler_threw();
        turns_->shield([&] { shown.said().tell(ending); });
        why = std::move(ending.failed);
    }
    if (!has_returned) {
        why = handler_threw();
    }
    measured.end(why ? why->status : session::status::Ok, clock::now());
    if (why && has_returned) {
        report(subject_of(service, request.method, entry.name), *why, true);
    }
    return why;
}

}  // namespace mxp::net

#endif  // MXP_NET_EVENTS_HPP
