/// The requests of a session's user, and its Cancel and Drain [MXP-7], [MXP-8].
#ifndef MXP_SESSION_REQUEST_HPP
#define MXP_SESSION_REQUEST_HPP

#include <algorithm>
#include <array>
#include <type_traits>

#include "core.hpp"

namespace mxp::session {

/// The half of a trace's id that headers have [MXP-5.5].
[[nodiscard]] inline std::uint64_t trace_of(const std::optional<trace_context>& trace) noexcept {
    std::uint64_t made = 0;
    if (trace) {
        for (std::size_t i = 8; i < trace->id.size(); ++i) {
            made = made << 8 | trace->id[i];
        }
    }
    return made;
}

namespace detail {

[[nodiscard]] inline control::CallHeadRef head_of(const request& request, std::uint64_t deadline) {
    control::CallHeadRef made;
    made.service = request.service;
    made.method = request.method;
    made.deadline = deadline;
    made.trace = request.trace;
    made.metadata.assign(request.metadata.begin(), request.metadata.end());
    return made;
}

/// The header of a frame of an exchange.
[[nodiscard]] inline header header_of(const exchange& exchange, frame_type type,
                                      flags mask = flags::none) noexcept {
    return {type, mask, exchange.id, exchange.trace};
}

/// Frames of an exchange of this side's leave the queue with it.
[[nodiscard]] inline mark mark_of(const exchange& exchange) noexcept {
    mark made;
    made.exchange = exchange.is_own ? exchange.id : 0;
    return made;
}

[[nodiscard]] inline mark reply_mark() noexcept {
    mark made;
    made.is_reply = true;
    return made;
}

}  // namespace detail

/// Refuses what can't be done before the peer's Hello and after the end.
inline std::optional<kind> session::unusable() const noexcept {
    if (is_over()) {
        return kind::closed;
    }
    return phase_ < phase::ready ? std::optional{kind::not_ready} : std::nullopt;
}

/// Refuses requests that can't be made now [MXP-11.1].
inline std::optional<kind> session::unrequestable() const noexcept {
    const auto wrong = unusable();
    return wrong || !(has_drained_ || is_peer_draining_) ? wrong : kind::draining;
}

/// Refuses requests of methods that can't be made now [MXP-5.9].
inline std::optional<kind> session::unaskable(const request& request) const {
    const auto wrong = unrequestable();
    return wrong || find_difference(false, request.service, request.method) == nullptr
               ? wrong
               : std::optional{kind::schema};
}

/// Writes a payload's start into the queue's room; false if the payload is longer than `most`
/// [MXP-9.2], or the start can't be encoded.
template <class Start>
bool session::lay(std::size_t most, const Start& start, const value& body) {
    laid_ = 0;
    if constexpr (!std::is_same_v<Start, empty_start>) {
        laid_ = sdp::encoded_size(start);
    }
    if (laid_ > most || body.size() > most - laid_) {
        return false;
    }
    std::byte* const room = queue_.room(laid_ + (body.is_large() ? 0 : body.size()));
    if constexpr (!std::is_same_v<Start, empty_start>) {
        return sdp::encode(start, span<std::byte>{room + header_bytes, laid_}).has_value();
    } else {
        static_cast<void>(room);
        return true;
    }
}

/// Does so for a frame that the user asks for.
template <class Start>
bool session::lay(frame_type type, const Start& start, const value& body) {
    const std::size_t most = rule_of(type).is_own ? std::min(accepts_, control_bytes) : accepts_;
    if (lay(most, start, body)) {
        return true;
    }
    const bool is_long = laid_ > most || body.size() > most - laid_;
    too_large_ =
        is_long ? std::pair{laid_ + body.size(), most} : std::pair<std::size_t, std::size_t>{};
    return false;
}

/// Makes a frame of what `lay` has written.
inline void session::put(const header& head, value&& body, mark mark) {
    if (queue_.empty()) {
        progress_ = clock_;
    }
    mark.type = head.type;
    const bool is_hello = head.type == frame_type::hello;
    queue_.push(head, laid_, std::move(body), is_hello ? checksum::on : checksum_, mark);
}

/// Has the value of a chunk or of an event without an Ack join the frame that was made last, if it
/// can [MXP-17.6]; else makes a frame of what `lay` has written, with an id if it has none. Returns
/// the frame's id.
inline std::uint64_t session::add(header head, value&& body, mark mark) {
    if (batches_ && body.size() <= batched_bytes) {
        const std::uint64_t joined = queue_.join(head, laid_, body.bytes(), mark, accepts_);
        if (joined != 0) {
            return joined;
        }
        mark.is_open = head.flags == flags::none;
    }
    if (head.message_id == 0) {
        head.message_id = last_own_ = next_id();
    }
    put(head, std::move(body), mark);
    return head.message_id;
}

/// Makes a frame that the user didn't ask for.
template <class Start>
void session::send(const header& head, const Start& start, mark mark) {
    if (lay(payload_bytes, start, {})) {
        put(head, {}, mark);
    }
}

/// Makes a request that may be made.
template <class Start>
result<std::uint64_t> session::ask(header head, purpose purpose, std::uint64_t deadline,
                                   const Start& start, value body) {
    if (const auto wrong = unrequestable()) {
        return unexpected{*wrong};
    }
    if (!lay(head.type, start, body)) {
        return unexpected{kind::payload_too_large};
    }
    if (own_.size() >= bounds().in_flight) {
        return unexpected{kind::limit_in_flight};
    }
    const std::size_t bytes = laid_ + body.size();
    if (own_bytes_ > 0 && sum(own_bytes_, bytes) > bounds().in_flight_bytes) {
        return unexpected{kind::limit_in_flight_bytes};
    }
    if (is_full(bytes)) {
        return unexpected{kind::limit_queue_bytes};
    }
    head.message_id = last_own_ = next_id();
    exchange made;
    made.id = head.message_id;
    made.trace = head.trace_id;
    made.kind = purpose;
    made.is_own = true;
    made.begun = clock_;
    made.bytes = bytes;
    own_bytes_ += bytes;
    const exchange& added = own_.add(made);
    put(head, std::move(body), detail::mark_of(added));
    own_.find(made.id)->first_frame = queue_.last();
    if (deadline > 0) {
        own_deadlines_.add(sum(clock_, deadline), made.id);
    }
    if (config_.observer != nullptr) {
        config_.observer->on_begin({made.id, true, purpose, made.trace});
    }
    return made.id;
}

inline result<std::uint64_t> session::call(const request& request, value body, std::uint64_t now) {
    advance(now);
    if (const auto wrong = unaskable(request)) {
        return unexpected{*wrong};
    }
    const control::CallStartRef start = [&] {
        control::CallStartRef made;
        made.head = detail::head_of(request, request.deadline);
        return made;
    }();
    return ask({frame_type::call, flags::none, 0, trace_of(request.trace)}, purpose::call,
               request.deadline, start, std::move(body));
}

inline result<std::uint64_t> session::open(const request& request, credit credit, bool is_final,
                                           value body, std::uint64_t now) {
    advance(now);
    if (const auto wrong = unaskable(request)) {
        return unexpected{*wrong};
    }
    control::StreamStartRef start;
    start.head = detail::head_of(request, request.deadline);
    start.grant.messages = credit.messages;
    start.grant.bytes = credit.bytes;
    const auto id = ask({frame_type::stream_open, is_final ? flags::final : flags::none, 0,
                         trace_of(request.trace)},
                        purpose::stream, request.deadline, start, std::move(body));
    if (id) {
        exchange& made = *own_.find(*id);
        made.in.grant(credit.messages, credit.bytes);
        if (is_final) {
            made.out.end();
        }
    }
    return id;
}

inline result<std::uint64_t> session::event(const request& request, bool requires_ack,
                                            when_full full, value body, std::uint64_t now) {
    advance(now);
    if (const auto wrong = unaskable(request)) {
        return unexpected{*wrong};
    }
    control::CallStartRef start;
    start.head = detail::head_of(request, 0);
    header head{frame_type::event, flags::none, 0, trace_of(request.trace)};
    if (requires_ack) {
        head.flags = flags::requires_ack;
        return ask(head, purpose::event, 0, start, std::move(body));
    }
    if (!lay(head.type, start, body)) {
        return unexpected{kind::payload_too_large};
    }
    const std::size_t bytes = laid_ + body.size();
    if (is_full(bytes) && full == when_full::drop_oldest) {
        stats_.dropped += queue_.drop_events(most_queued(bytes, false));
        static_cast<void>(lay(head.type, start, body));
    }
    if (is_full(bytes)) {
        if (full == when_full::refuse) {
            return unexpected{kind::limit_queue_bytes};
        }
        ++stats_.dropped;
        settle();
        return std::uint64_t{0};
    }
    mark of;
    of.is_spare = true;
    return add(head, std::move(body), of);
}

inline bool session::join(std::uint64_t id, bytes_view body) {
    return body.size() <= batched_bytes && !is_full(queue_.open_start() + body.size()) &&
           queue_.join(id, body, accepts_);
}

inline result<std::uint64_t> session::register_agent(std::string_view name,
                                                     span<const std::string_view> capabilities,
                                                     std::uint64_t lease, std::uint64_t now) {
    advance(now);
    registry::Registration asked;
    asked.name = name;
    asked.capabilities.assign(capabilities.begin(), capabilities.end());
    asked.lease = lease;
    return ask({frame_type::agent_register}, purpose::agents, 0, asked, {});
}

inline result<std::uint64_t> session::register_agent(const registry::Registration& registration,
                                                     std::uint64_t now) {
    advance(now);
    return ask({frame_type::agent_register}, purpose::agents, 0, registration, {});
}

inline result<std::uint64_t> session::heartbeat(std::string_view name, std::uint64_t now) {
    advance(now);
    registry::Heartbeat asked;
    asked.name = name;
    return ask({frame_type::agent_heartbeat}, purpose::agents, 0, asked, {});
}

inline result<std::uint64_t> session::discover(std::string_view capability, std::uint64_t now) {
    advance(now);
    registry::Query asked;
    asked.capability = capability;
    return ask({frame_type::agent_discover}, purpose::agents, 0, asked, {});
}

inline result<std::uint64_t> session::discover(const registry::Query& query, std::uint64_t now) {
    advance(now);
    return ask({frame_type::agent_discover}, purpose::agents, 0, query, {});
}

inline result<void> session::cancel(std::uint64_t id, std::uint64_t now) {
    advance(now);
    if (const auto wrong = unusable()) {
        return unexpected{*wrong};
    }
    exchange* const of = own_.find(id);
    if (of == nullptr) {
        return unexpected{kind::exchange_ended};
    }
    take_back(*of, kind::cancelled);
    settle();
    return {};
}

/// Ends a request of this side's at both ends [MXP-7.6].
inline void session::take_back(exchange& entry, kind why) {
    const exchange was = entry;
    const bool is_sent = queue_.is_given(was.first_frame);
    close(entry);
    tell(in::ended{was.id, {static_cast<status>(status_of(why)), to_string(why), {}, {}, is_sent}});
    if (is_sent) {
        send(detail::header_of(was, frame_type::cancel), empty_start{});
    } else {
        queue_.drop_exchange(was.id, was.first_frame);
    }
}

/// The exchange with an id, on either side.
inline exchange* session::find(std::uint64_t id) noexcept {
    return is_own(id) ? own_.find(id) : peers_.find(id);
}

/// Gives up the place of an exchange.
inline void session::close(exchange& entry) {
    const exchange was = entry;
    table<exchange>& all = was.is_own ? own_ : peers_;
    all.remove(was.id);
    (was.is_own ? own_bytes_ : peers_bytes_) -= was.bytes;
    if (!was.is_dead) {
        tidy_deadlines(was.is_own);
    }
    if (config_.observer != nullptr) {
        config_.observer->on_done({was.id, was.is_own, was.kind, was.trace}, clock_ - was.begun);
    }
}

/// Lets go of the deadlines of exchanges that are no longer live.
inline void session::tidy_deadlines(bool is_own) {
    table<exchange>& all = is_own ? own_ : peers_;
    deadlines& of = is_own ? own_deadlines_ : peers_deadlines_;
    of.tidy(all.size(), [&](std::uint64_t id) {
        const exchange* const found = all.find(id);
        return found != nullptr && !found->is_dead;
    });
}

inline result<void> session::drain(std::string_view reason, std::uint64_t now) {
    advance(now);
    if (is_over()) {
        return unexpected{kind::closed};
    }
    if (has_drained_) {
        return {};
    }
    if (phase_ < phase::ready) {
        if (!leaving_) {
            leaving_ = reason;
            left_ = clock_;
        }
        return {};
    }
    if (!lay(frame_type::drain, farewell_of(reason), {})) {
        return unexpected{kind::payload_too_large};
    }
    farewell(reason);
    return {};
}

inline control::FarewellRef session::farewell_of(std::string_view reason) const {
    control::FarewellRef made;
    made.reason = reason;
    made.last = last_peers_;
    return made;
}

/// Sends Drain, once.
inline void session::farewell(std::string_view reason) {
    if (!has_drained_) {
        has_drained_ = true;
        send({frame_type::drain}, farewell_of(reason));
    }
}

}  // namespace mxp::session

#endif  // MXP_SESSION_REQUEST_HPP
