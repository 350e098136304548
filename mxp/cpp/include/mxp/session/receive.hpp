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
inline bool session::is_expected(const frame& of, const rule& has) const noexcept {
    switch (phase_) {
    case phase::greeting:
        return (has.states & state::greeting) != 0;
    case phase::comparing:
        return (has.states & state::comparing) != 0 &&
               (of.type != frame_type::error || of.message_id == 0);
    default:
        return (has.states & state::ready) != 0;
    }
}

/// Whether `of` has no flags but those of `which`.
[[nodiscard]] constexpr bool has_only(flags of, flags which) noexcept {
    return (static_cast<unsigned>(of) & ~static_cast<unsigned>(which)) == 0;
}

/// Whether a frame may have an id.
inline bool session::is_named(std::uint64_t id, id_rule which) const noexcept {
    const bool is_ours = is_own(id) && id <= last_own_;
    const bool is_peers = !is_own(id) && id != 0;
    switch (which) {
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
inline std::optional<incoming> session::take(const frame& of) {
    const rule has = rule_of(of.type);
    if (!is_expected(of, has)) {
        end(kind::hello);
    } else if (has.is_batch && !batches_) {
        end(kind::batch);
    } else if (!has_only(of.flags, has.flags)) {
        end(kind::flags);
    } else if (has.is_own && of.payload.size() > control_bytes) {
        end(kind::limit_control_bytes);
    } else if (has.is_batch && of.payload.size() > batch_bytes) {
        end(kind::limit_batch_bytes);
    } else if (!is_named(of.message_id, has.id)) {
        end(kind::id);
    } else {
        if (has.id == id_rule::new_) {
            last_peers_ = of.message_id;
        }
        return take_body(of);
    }
    return std::nullopt;
}

inline std::optional<incoming> session::take_body(const frame& of) {
    switch (of.type) {
    case frame_type::hello:
        return take_hello(of.payload);
    case frame_type::drain:
        return take_drain(of);
    case frame_type::call:
        return take_call(of);
    case frame_type::event:
        return take_event(of);
    case frame_type::events:
        return take_events(of);
    case frame_type::stream_open:
        return take_open(of);
    case frame_type::agent_register:
    case frame_type::agent_discover:
    case frame_type::agent_heartbeat:
        return take_agent(of);
    case frame_type::ping:
        send({frame_type::pong, flags::none, of.message_id}, nothing{}, detail::reply_mark());
        return std::nullopt;
    case frame_type::pong:
        return take_pong(of);
    case frame_type::response:
        return take_response(of);
    case frame_type::error:
        return take_error(of);
    case frame_type::cancel:
        return take_cancel(of);
    case frame_type::stream_chunk:
        return take_chunk(of);
    case frame_type::stream_chunks:
        return take_chunks(of);
    case frame_type::stream_close:
        return take_close(of);
    case frame_type::credit:
        return take_credit(of);
    case frame_type::ack:
        return take_ack(of);
    }
    return std::nullopt;
}

/// Reads a payload, or ends the session.
template <class View>
bool session::read(View& into, bytes_view payload) {
    const auto done = sdp::decode_into(into, payload);
    if (!done) {
        end(kind::payload, std::string{to_string(done.error().kind)});
    }
    return done.has_value();
}

/// Reads a payload's start, and finds the value behind it; or ends the session.
template <class View>
bool session::read_start(View& into, bytes_view payload, bytes_view& rest) {
    auto done = sdp::decode_prefix<View>(payload);
    if (!done) {
        end(kind::payload, std::string{to_string(done.error().kind)});
        return false;
    }
    into = done->value;
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

inline std::optional<incoming> session::take_drain(const frame& of) {
    control::FarewellView farewell;
    if (!read(farewell, of.payload)) {
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
inline std::optional<incoming> session::take_pong(const frame& of) {
    if (of.message_id == awaited_pong_) {
        awaited_pong_ = 0;
    } else {
        static_cast<void>(find_live(of.message_id, [](const exchange&) { return false; }));
    }
    return std::nullopt;
}

inline std::optional<incoming> session::take_response(const frame& of) {
    control::ResponseStartView start;
    bytes_view body;
    if (!read_start(start, of.payload, body)) {
        return std::nullopt;
    }
    exchange* const found = find_live(of.message_id, [](const exchange& one) {
        return one.kind == purpose::call || one.kind == purpose::agents;
    });
    if (found == nullptr) {
        return std::nullopt;
    }
    answered(*found);
    return in::response{of.message_id, start.head().metadata(), body};
}

/// Ends a request of this side's that was answered.
inline void session::answered(exchange& of) {
    if (of.kind == purpose::call) {
        stats_.calls.add(clock_ - of.begun);
    }
    close(of);
}

inline std::optional<incoming> session::take_error(const frame& of) {
    control::FailureView said;
    if (!read(said, of.payload)) {
        return std::nullopt;
    }
    if (of.message_id == 0) {
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
    exchange* const found = find_live(of.message_id, [](const exchange&) { return true; });
    if (found == nullptr) {
        return std::nullopt;
    }
    answered(*found);
    return in::ended{of.message_id,
                     {said.status(), said.name(), said.text(), said.details(), !said.refused()}};
}

inline std::optional<incoming> session::take_cancel(const frame& of) {
    exchange* const found = find_live(of.message_id, [](const exchange&) { return true; });
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
        find_live(id, [](const exchange& one) { return one.kind == purpose::stream; });
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

inline std::optional<incoming> session::take_chunk(const frame& of) {
    exchange* const found = find_receiving(of.message_id, of.payload.size(), 1);
    if (found == nullptr) {
        return std::nullopt;
    }
    const bool is_final = has(of.flags, flags::final);
    const bool requires_ack = has(of.flags, flags::requires_ack);
    const std::uint64_t number = found->in.count(of.payload.size(), is_final, requires_ack);
    close_if_over(*found);
    return in::chunk{of.message_id, number, is_final, requires_ack, of.payload};
}

/// Reads the records of a batch, or ends the session.
inline bool session::read_records(records& into, bytes_view from) {
    const auto wrong = into.read(from);
    if (wrong) {
        end(kind::payload, std::string{to_string(*wrong)});
    }
    return !wrong;
}

inline std::optional<incoming> session::take_chunks(const frame& of) {
    records values;
    if (!read_records(values, of.payload)) {
        return std::nullopt;
    }
    exchange* const found = find_receiving(of.message_id, values.bytes(), values.size());
    if (found == nullptr) {
        return std::nullopt;
    }
    const bool is_final = has(of.flags, flags::final);
    const bool requires_ack = has(of.flags, flags::requires_ack);
    const std::uint64_t first = found->in.number() + 1;
    found->in.count(values.bytes(), is_final, requires_ack, values.size());
    close_if_over(*found);
    return in::chunks{of.message_id, first, is_final, requires_ack, values};
}

inline std::optional<incoming> session::take_close(const frame& of) {
    exchange* const found =
        find_live(of.message_id, [](const exchange& one) { return one.kind == purpose::stream; });
    if (found == nullptr) {
        return std::nullopt;
    }
    if (found->in.is_ended()) {
        ++stats_.late;
        return std::nullopt;
    }
    found->in.end();
    close_if_over(*found);
    return in::finished{of.message_id};
}

/// Ends a stream on which more was sent than was granted [MXP-8.3].
inline void session::overdraw(exchange& of) {
    if (!of.is_own) {
        caused();
    }
    stop(of, kind::stream_credit, reason::credit);
}

/// Ends a stream at both ends.
inline void session::stop(exchange& of, kind why, reason because) {
    if (of.is_own) {
        count_refusal(why);
        take_back(of, why);
    } else {
        refuse(of.id, of.trace, why, false);
        abandon(of, because);
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

inline std::optional<incoming> session::take_credit(const frame& of) {
    control::GrantView said;
    if (!read(said, of.payload)) {
        return std::nullopt;
    }
    exchange* const found =
        find_live(of.message_id, [](const exchange& one) { return one.kind == purpose::stream; });
    if (found == nullptr) {
        return std::nullopt;
    }
    found->out.grant(said.messages(), said.bytes());
    return in::granted{of.message_id, said.messages(), said.bytes()};
}

inline std::optional<incoming> session::take_ack(const frame& of) {
    control::TakenView said;
    if (!read(said, of.payload)) {
        return std::nullopt;
    }
    const std::uint64_t number = said.chunk();
    exchange* const found = find_live(of.message_id, [&](const exchange& one) {
        return one.kind == purpose::stream
                   ? one.out.can_ack(number)
                   : one.kind == purpose::event && one.is_own && number == 0;
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
    return in::acked{of.message_id, number};
}

}  // namespace mxp::session

#endif  // MXP_SESSION_RECEIVE_HPP
