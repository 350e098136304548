/// Requests of the peer's, and their answers [MXP-7], [MXP-9.3].
#ifndef MXP_SESSION_SERVE_HPP
#define MXP_SESSION_SERVE_HPP

#include "core.hpp"
#include "ending.hpp"
#include "request.hpp"

namespace mxp::session {

/// Why a method can't be asked for [MXP-6.8, MXP-7.3].
inline std::optional<kind> session::unserved(const control::CallHeadView& head) const {
    if (head.service() >= config_.services.size()) {
        return kind::service_unknown;
    }
    return find_difference(true, head.service(), head.method()) == nullptr
               ? std::nullopt
               : std::optional{kind::schema};
}

/// Gives a request its place, or refuses it. `wrong` is why it can't be served at all.
inline exchange* session::accept(const frame& frame, purpose purpose, std::optional<kind> wrong,
                                 const std::optional<trace_context>& trace,
                                 std::uint64_t deadline) {
    if (has_drained_) {
        wrong = kind::draining;
    } else if (!wrong && peers_.size() >= bounds().in_flight) {
        wrong = kind::limit_in_flight;
    } else if (!wrong && frame.payload.size() > bounds().in_flight_bytes - peers_bytes_) {
        wrong = kind::limit_in_flight_bytes;
    }
    if (wrong) {
        caused();
        refuse(frame.message_id, trace_of(trace), *wrong, true);
        return nullptr;
    }
    exchange made;
    made.id = frame.message_id;
    made.trace = trace_of(trace);
    made.kind = purpose;
    made.begun = clock_;
    made.bytes = frame.payload.size();
    peers_bytes_ += made.bytes;
    if (deadline > 0) {
        peers_deadlines_.add(sum(clock_, deadline), made.id);
    }
    if (config_.observer != nullptr) {
        config_.observer->on_begin({made.id, false, purpose, made.trace});
    }
    return &peers_.add(made);
}

/// Counts a refusal that the peer has caused [MXP-9.7].
inline void session::caused() {
    if (refused_.add(clock_)) {
        count_refusal(kind::limit_refusals);
    }
}

/// Answers a request with a refusal [MXP-7.2].
inline void session::refuse(std::uint64_t id, std::uint64_t trace, kind why, bool is_refused) {
    count_refusal(why);
    control::FailureRef said;
    said.status = static_cast<status>(status_of(why));
    said.refused = is_refused;
    said.name = to_string(why);
    send({frame_type::error, flags::none, id, trace}, said, detail::reply_mark());
}

/// Ends a request of the peer's, which keeps its place [MXP-7.8].
inline void session::abandon(exchange& exchange, reason why) {
    exchange.is_dead = true;
    tell(in::cancelled{exchange.id, why});
    tidy_deadlines(false);
}

inline std::optional<incoming> session::take_call(const frame& frame) {
    control::CallStartView start;
    bytes_view body;
    if (!read_start(start, frame.payload, body)) {
        return std::nullopt;
    }
    const auto head = start.head();
    if (accept(frame, purpose::call, unserved(head), head.trace(), head.deadline()) == nullptr) {
        return std::nullopt;
    }
    return in::call{frame.message_id, head, body};
}

inline std::optional<incoming> session::take_event(const frame& frame) {
    control::CallStartView start;
    bytes_view body;
    if (!read_start(start, frame.payload, body)) {
        return std::nullopt;
    }
    const auto head = start.head();
    const auto wrong = unserved(head);
    const bool requires_ack = has(frame.flags, flags::requires_ack);
    if (requires_ack && accept(frame, purpose::event, wrong, head.trace(), 0) == nullptr) {
        return std::nullopt;
    }
    if (wrong) {
        caused();
        count_refusal(*wrong);
        return std::nullopt;
    }
    return in::event{frame.message_id, head, requires_ack, body};
}

inline std::optional<incoming> session::take_events(const frame& frame) {
    control::CallStartView start;
    bytes_view rest;
    records values;
    if (!read_start(start, frame.payload, rest) || !read_records(values, rest)) {
        return std::nullopt;
    }
    const auto head = start.head();
    if (const auto wrong = unserved(head)) {
        for (std::size_t i = 0; i < values.size(); ++i) {
            caused();
            count_refusal(*wrong);
        }
        return std::nullopt;
    }
    return in::events{frame.message_id, head,
                      frame.payload.first(frame.payload.size() - rest.size()), values};
}

inline std::optional<incoming> session::take_open(const frame& frame) {
    control::StreamStartView start;
    bytes_view body;
    if (!read_start(start, frame.payload, body)) {
        return std::nullopt;
    }
    const auto head = start.head();
    exchange* const made =
        accept(frame, purpose::stream, unserved(head), head.trace(), head.deadline());
    if (made == nullptr) {
        return std::nullopt;
    }
    const auto given = start.grant();
    made->out.grant(given.messages(), given.bytes());
    const bool is_final = has(frame.flags, flags::final);
    if (is_final) {
        made->in.end();
    }
    return in::open{frame.message_id, head, given.messages(), given.bytes(), is_final, body};
}

inline std::optional<incoming> session::take_agent(const frame& frame) {
    const bool is_read =
        frame.type == frame_type::agent_register    ? read(asked_.registration, frame.payload)
        : frame.type == frame_type::agent_heartbeat ? read(asked_.heartbeat, frame.payload)
                                                    : read(asked_.query, frame.payload);
    const auto wrong = config_.takes_agents ? std::nullopt : std::optional{kind::agents_off};
    if (!is_read || accept(frame, purpose::agents, wrong, {}, 0) == nullptr) {
        return std::nullopt;
    }
    switch (frame.type) {
    case frame_type::agent_register:
        return in::registration{frame.message_id, &asked_.registration};
    case frame_type::agent_heartbeat:
        return in::heartbeat{frame.message_id, asked_.heartbeat.name};
    default:
        return in::discovery{frame.message_id, &asked_.query};
    }
}

/// A live request of the peer's. A request that has ended loses its place.
inline result<exchange*> session::serving(std::uint64_t id) {
    if (const auto wrong = unusable()) {
        return unexpected{*wrong};
    }
    exchange* const of = peers_.find(id);
    if (of != nullptr && of->is_dead) {
        close(*of);
        settle();
        return unexpected{kind::exchange_ended};
    }
    if (of == nullptr) {
        return unexpected{kind::exchange_ended};
    }
    return of;
}

inline result<void> session::respond(std::uint64_t id, value body, std::uint64_t now,
                                     span<const metadatum> metadata) {
    advance(now);
    const auto found = serving(id);
    if (!found) {
        return unexpected{found.error()};
    }
    exchange& of = **found;
    if (of.kind != purpose::call && of.kind != purpose::agents) {
        return unexpected{kind::exchange_ended};
    }
    control::ResponseStartRef start;
    start.head.metadata.assign(metadata.begin(), metadata.end());
    if (!lay(frame_type::response, start, body)) {
        return unexpected{kind::payload_too_large};
    }
    if (is_full(laid_ + body.size())) {
        return unexpected{kind::limit_queue_bytes};
    }
    put(detail::header_of(of, frame_type::response), std::move(body));
    refused_.answered();
    close(of);
    settle();
    return {};
}

inline result<void> session::fail(std::uint64_t id, const refusal& why, std::uint64_t now) {
    advance(now);
    const auto found = serving(id);
    if (!found) {
        return unexpected{found.error()};
    }
    control::FailureRef said;
    said.status = why.status;
    said.refused = why.refused;
    said.name = why.name;
    said.text = why.text;
    said.details = why.details;
    if (!lay(frame_type::error, said, {})) {
        return unexpected{kind::payload_too_large};
    }
    put(detail::header_of(**found, frame_type::error), {});
    if (why.refused) {
        caused();
    }
    close(**found);
    settle();
    return {};
}

inline result<void> session::release(std::uint64_t id, std::uint64_t now) {
    advance(now);
    if (const auto wrong = unusable()) {
        return unexpected{*wrong};
    }
    exchange* const of = peers_.find(id);
    if (of == nullptr) {
        return unexpected{kind::exchange_ended};
    }
    if (!of->is_dead) {
        refuse(id, of->trace, kind::cancelled, false);
    }
    close(*of);
    settle();
    return {};
}

}  // namespace mxp::session

#endif  // MXP_SESSION_SERVE_HPP
