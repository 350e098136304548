/// The handling of frames that come [MXP-5.6].
#ifndef MXP_SESSION_RECEIVE_HPP
#define MXP_SESSION_RECEIVE_HPP

#include "core.hpp"
#include "ending.hpp"
#include "request.hpp"
#include "serve.hpp"
#include "stream.hpp"

namespace mxp::session {

inline std::optional<incoming> session::receive(bytes_view& input, std::uint64_t now) {
    advance(now);
    if (!schemas_.hello.empty() && phase_ != phase::comparing) {
        schemas_.hello = std::vector<std::byte>{};  // what was told of it is no longer used
    }
    for (;;) {
        if (auto one = next()) {
            return one;
        }
        if (is_over()) {
            input = {};
            return std::nullopt;
        }
        if (!input.empty()) {
            heard_ = clock_;
            pinged_.reset();
        }
        if (refused_.is_over()) {
            refused_.pass(clock_);
        }
        if (is_deaf()) {
            return std::nullopt;
        }
        const auto read = reader_.next(input);
        if (!read) {
            end(read.error().kind);
            continue;
        }
        if (!*read) {
            if (reader_.is_inside() && !partial_since_) {
                partial_since_ = clock_;
            }
            return std::nullopt;
        }
        const frame& of = **read;
        partial_since_.reset();
        stirred(of.type);
        stats_.came(of.type, of.size());
        auto one = take(of);
        settle();
        if (one) {
            return one;
        }
    }
}

/// Whether the frame may come now [MXP-6.2], [MXP-6.5]. While Layouts are awaited, an Error is
/// about the session.
inline bool session::is_expected(const frame& frame, const rule& has) const noexcept {
    switch (phase_) {
    case phase::greeting:
        return (has.states & state::greeting) != 0;
    case phase::comparing:
        return (has.states & state::comparing) != 0 &&
               (frame.type != frame_type::error || frame.message_id == 0);
    default:
        return (has.states & state::ready) != 0;
    }
}

/// Whether `bits` has no flags outside of `mask`.
[[nodiscard]] constexpr bool has_only(flags bits, flags mask) noexcept {
    return (static_cast<unsigned>(bits) & ~static_cast<unsigned>(mask)) == 0;
}

/// Whether a frame may have an id.
inline bool session::is_named(std::uint64_t id, id_rule rule) const noexcept {
    const bool is_ours = is_own(id) && id <= last_own_;
    const bool is_peers = !is_own(id) && id != 0;
    switch (rule) {
    case id_rule::zero:
        return id == 0;
    case id_rule::new_:
        return is_peers && id > last_peers_;
    case id_rule::of_receiver:
        return is_ours;
    case id_rule::of_receiver_or_zero:
        return is_ours || id == 0;
    case id_rule::of_sender:
        return is_peers && id <= last_peers_;
    case id_rule::of_either:
        break;
    }
    return is_ours || (is_peers && id <= last_peers_);
}

/// Makes the checks of a frame that need no more than its header, and does what it says.
inline std::optional<incoming> session::take(const frame& frame) {
    const rule has = rule_of(frame.type);
    if (!is_expected(frame, has)) {
        end(kind::hello);
    } else if (has.is_batch && !batches_) {
        end(kind::batch);
    } else if (!has_only(frame.flags, has.flags)) {
        end(kind::flags);
    } else if (has.is_own && frame.payload.size() > control_bytes) {
        end(kind::limit_control_bytes);
    } else if (has.is_batch && frame.payload.size() > batch_bytes) {
        end(kind::limit_batch_bytes);
    } else if (!is_named(frame.message_id, has.id)) {
        end(kind::id);
    } else {
        if (has.id == id_rule::new_) {
            last_peers_ = frame.message_id;
        }
        return take_body(frame);
    }
    return std::nullopt;
}

inline std::optional<incoming> session::take_body(const frame& frame) {
    switch (frame.type) {
    case frame_type::hello:
        return take_hello(frame.payload);
    case frame_type::drain:
        return take_drain(frame);
    case frame_type::call:
        return take_call(frame);
    case frame_type::event:
        return take_event(frame);
    case frame_type::events:
        return take_events(frame);
    case frame_type::stream_open:
        return take_open(frame);
    case frame_type::agent_register:
    case frame_type::agent_discover:
    case frame_type::agent_heartbeat:
        return take_agent(frame);
    case frame_type::ping:
        send({frame_type::pong, flags::none, frame.message_id}, empty_start{},
             detail::reply_mark());
        return std::nullopt;
    case frame_type::pong:
        return take_pong(frame);
    case frame_type::response:
        return take_response(frame);
    case frame_type::error:
        return take_error(frame);
    case frame_type::cancel:
        return take_cancel(frame);
    case frame_type::stream_chunk:
        return take_chunk(frame);
    case frame_type::stream_chunks:
        return take_chunks(frame);
    case frame_type::stream_close:
        return take_close(frame);
    case frame_type::credit:
        return take_credit(frame);
    case frame_type::ack:
        return take_ack(frame);
    }
    return std::nullopt;
}

/// Reads a payload, or ends the session.
template <class View>
bool session::read(View& view, bytes_view payload) {
    const auto done = sdp::decode_into(view, payload);
    if (!done) {
        end(kind::payload, std::string{to_string(done.error().kind)});
    }
    return done.has_value();
}

/// Reads a payload's start, and finds the value behind it; or ends the session.
template <class View>
bool session::read_start(View& view, bytes_view payload, bytes_view& rest) {
    auto done = sdp::decode_prefix<View>(payload);
    if (!done) {
        end(kind::payload, std::string{to_string(done.error().kind)});
        return false;
    }
    view = done->value;
    rest = {payload.data() + done->size, payload.size() - done->size};
    return true;
}

/// The exchange that a frame names, if it is there and of a kind that the frame can belong to. A
/// frame that is late has none [MXP-5.7], nor has one that names a request that was not sent: it
/// ends the session.
template <class Fits>
exchange* session::find_live(std::uint64_t id, Fits fits) {
    exchange* const of = find(id);
    const bool is_live = of != nullptr && !of->is_dead;
    if (is_live && of->is_own && !queue_.is_given(of->first_frame)) {
        end(kind::id);
        return nullptr;
    }
    if (is_live && fits(*of)) {
        return of;
    }
    ++stats_.late;
    return nullptr;
}

inline std::optional<incoming> session::take_drain(const frame& frame) {
    control::FarewellView farewell;
    if (!read(farewell, frame.payload)) {
        return std::nullopt;
    }
    if (!is_peer_draining_) {
        last_taken_ = farewell.last().value_or(never);
    }
    is_peer_draining_ = true;
    this->farewell(farewell.reason());
    return in::draining{farewell.reason()};
}

/// A Pong shows no more than any byte does: that the peer is there.
inline std::optional<incoming> session::take_pong(const frame& frame) {
    if (frame.message_id == awaited_pong_) {
        awaited_pong_ = 0;
    } else {
        static_cast<void>(find_live(frame.message_id, [](const exchange&) { return false; }));
    }
    return std::nullopt;
}

inline std::optional<incoming> session::take_response(const frame& frame) {
    control::ResponseStartView start;
    bytes_view body;
    if (!read_start(start, frame.payload, body)) {
        return std::nullopt;
    }
    exchange* const found = find_live(frame.message_id, [](const exchange& exchange) {
        return exchange.kind == purpose::call || exchange.kind == purpose::agents;
    });
    if (found == nullptr) {
        return std::nullopt;
    }
    answered(*found);
    return in::response{frame.message_id, start.head().metadata(), body};
}

/// Ends a request of this side's that was answered.
inline void session::answered(exchange& exchange) {
    if (exchange.kind == purpose::call) {
        stats_.calls.add(clock_ - exchange.begun);
    }
    close(exchange);
}

inline std::optional<incoming> session::take_error(const frame& frame) {
    control::FailureView said;
    if (!read(said, frame.payload)) {
        return std::nullopt;
    }
    if (frame.message_id == 0) {
        const bytes_view details = said.details();
        ending_ = {said.status(),
                   std::string{said.name()},
                   std::string{said.text()},
                   {details.begin(), details.end()}};
        queue_.clear(false);
        end_exchanges(true, said.refused());
        phase_ = phase::finished;
        return next();
    }
    exchange* const found = find_live(frame.message_id, [](const exchange&) { return true; });
    if (found == nullptr) {
        return std::nullopt;
    }
    answered(*found);
    return in::ended{frame.message_id,
                     {said.status(), said.name(), said.text(), said.details(), !said.refused()}};
}

inline std::optional<incoming> session::take_cancel(const frame& frame) {
    exchange* const found = find_live(frame.message_id, [](const exchange&) { return true; });
    if (found != nullptr) {
        if (found->out.number() == 0) {
            caused();
        }
        abandon(*found, reason::peer);
    }
    return next();
}

/// The stream that takes values of `n` bytes together, if it is there and they were granted.
inline exchange* session::find_receiving(std::uint64_t id, std::size_t n, std::size_t values) {
    exchange* const found =
        find_live(id, [](const exchange& exchange) { return exchange.kind == purpose::stream; });
    if (found == nullptr) {
        return nullptr;
    }
    if (found->in.is_ended()) {
        ++stats_.late;
        return nullptr;
    }
    if (!found->in.fits(n, values)) {
        overdraw(*found);
        return nullptr;
    }
    return found;
}

inline std::optional<incoming> session::take_chunk(const frame& frame) {
    exchange* const found = find_receiving(frame.message_id, frame.payload.size(), 1);
    if (found == nullptr) {
        return std::nullopt;
    }
    const bool is_final = has(frame.flags, flags::final);
    const bool requires_ack = has(frame.flags, flags::requires_ack);
    const std::uint64_t number = found->in.count(frame.payload.size(), is_final, requires_ack);
    close_if_over(*found);
    return in::chunk{frame.message_id, number, is_final, requires_ack, frame.payload};
}

/// Reads the records of a batch, or ends the session.
inline bool session::read_records(records& records, bytes_view input) {
    const auto wrong = records.read(input);
    if (wrong) {
        end(kind::payload, std::string{to_string(*wrong)});
    }
    return !wrong;
}

inline std::optional<incoming> session::take_chunks(const frame& frame) {
    records values;
    if (!read_records(values, frame.payload)) {
        return std::nullopt;
    }
    exchange* const found = find_receiving(frame.message_id, values.bytes(), values.size());
    if (found == nullptr) {
        return std::nullopt;
    }
    const bool is_final = has(frame.flags, flags::final);
    const bool requires_ack = has(frame.flags, flags::requires_ack);
    const std::uint64_t first = found->in.number() + 1;
    found->in.count(values.bytes(), is_final, requires_ack, values.size());
    close_if_over(*found);
    return in::chunks{frame.message_id, first, is_final, requires_ack, values};
}

inline std::optional<incoming> session::take_close(const frame& frame) {
    exchange* const found = find_live(frame.message_id, [](const exchange& exchange) {
        return exchange.kind == purpose::stream;
    });
    if (found == nullptr) {
        return std::nullopt;
    }
    if (found->in.is_ended()) {
        ++stats_.late;
        return std::nullopt;
    }
    found->in.end();
    close_if_over(*found);
    return in::finished{frame.message_id};
}

/// Ends a stream on which more was sent than was granted [MXP-8.3].
inline void session::overdraw(exchange& exchange) {
    if (!exchange.is_own) {
        caused();
    }
    stop(exchange, kind::stream_credit, reason::credit);
}

/// Ends a stream at both ends.
inline void session::stop(exchange& exchange, kind why, reason because) {
    if (exchange.is_own) {
        count_refusal(why);
        take_back(exchange, why);
    } else {
        refuse(exchange.id, exchange.trace, why, false);
        abandon(exchange, because);
    }
}

inline result<void> session::overrun_stream(std::uint64_t id, std::uint64_t now) {
    advance(now);
    if (const auto wrong = unusable()) {
        return unexpected{*wrong};
    }
    exchange* const of = find_stream(id);
    if (of == nullptr) {
        return unexpected{kind::exchange_ended};
    }
    stop(*of, kind::limit_connection_bytes, reason::memory);
    return {};
}

inline std::optional<incoming> session::take_credit(const frame& frame) {
    control::GrantView said;
    if (!read(said, frame.payload)) {
        return std::nullopt;
    }
    exchange* const found = find_live(frame.message_id, [](const exchange& exchange) {
        return exchange.kind == purpose::stream;
    });
    if (found == nullptr) {
        return std::nullopt;
    }
    found->out.grant(said.messages(), said.bytes());
    return in::granted{frame.message_id, said.messages(), said.bytes()};
}

inline std::optional<incoming> session::take_ack(const frame& frame) {
    control::TakenView said;
    if (!read(said, frame.payload)) {
        return std::nullopt;
    }
    const std::uint64_t number = said.chunk();
    exchange* const found = find_live(frame.message_id, [&](const exchange& exchange) {
        return exchange.kind == purpose::stream
                   ? exchange.out.can_ack(number)
                   : exchange.kind == purpose::event && exchange.is_own && number == 0;
    });
    if (found == nullptr) {
        return std::nullopt;
    }
    if (found->kind == purpose::event) {
        close(*found);
    } else {
        found->out.ack(number);
        close_if_over(*found);
    }
    return in::acked{frame.message_id, number};
}

}  // namespace mxp::session

#endif  // MXP_SESSION_RECEIVE_HPP
