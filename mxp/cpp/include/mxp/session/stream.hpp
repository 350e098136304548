/// The functions of a session's user on streams [MXP-8].
#ifndef MXP_SESSION_STREAM_HPP
#define MXP_SESSION_STREAM_HPP

#include "core.hpp"
#include "ending.hpp"
#include "request.hpp"

namespace mxp::session {

inline exchange* session::find_stream(std::uint64_t id) noexcept {
    exchange* const of = find(id);
    return of == nullptr || of->is_dead || of->kind != purpose::stream ? nullptr : of;
}

/// Ends a stream whose directions both have ended [MXP-8.1].
inline void session::close_if_over(exchange& exchange) {
    if (exchange.is_over()) {
        if (!exchange.is_own) {
            refused_.answered();
        }
        close(exchange);
    }
    settle();
}

inline bool session::can_send(std::uint64_t id, std::size_t n) noexcept {
    const exchange* const of = find_stream(id);
    return of != nullptr && !of->out.is_ended() && of->out.fits(n) && !is_full(n, true);
}

inline std::optional<std::uint64_t> session::largest_chunk(std::uint64_t id) noexcept {
    const exchange* const of = find_stream(id);
    if (of == nullptr || of->out.window() == 0) {
        return std::nullopt;
    }
    return of->out.window() / 2;
}

inline result<std::uint64_t> session::chunk(std::uint64_t id, bool is_final, bool requires_ack,
                                            value body, std::uint64_t now) {
    advance(now);
    if (const auto wrong = unusable()) {
        return unexpected{*wrong};
    }
    exchange* const of = find_stream(id);
    if (of == nullptr || of->out.is_ended()) {
        return unexpected{kind::exchange_ended};
    }
    if (!lay(frame_type::stream_chunk, empty_start{}, body)) {
        return unexpected{kind::payload_too_large};
    }
    if (!of->out.fits(body.size())) {
        return unexpected{kind::stream_credit};
    }
    if (is_full(body.size(), true)) {
        return unexpected{kind::limit_queue_bytes};
    }
    const flags which = (is_final ? flags::final : flags::none) |
                        (requires_ack ? flags::requires_ack : flags::none);
    const std::uint64_t number = of->out.count(body.size(), is_final, requires_ack);
    add(detail::header_of(*of, frame_type::stream_chunk, which), std::move(body),
        detail::mark_of(*of));
    close_if_over(*of);
    return number;
}

inline result<void> session::finish(std::uint64_t id, std::uint64_t now) {
    advance(now);
    if (const auto wrong = unusable()) {
        return unexpected{*wrong};
    }
    exchange* const of = find_stream(id);
    if (of == nullptr || of->out.is_ended()) {
        return unexpected{kind::exchange_ended};
    }
    of->out.end();
    send(detail::header_of(*of, frame_type::stream_close), empty_start{}, detail::mark_of(*of));
    close_if_over(*of);
    return {};
}

inline result<void> session::grant(std::uint64_t id, credit more, std::uint64_t now) {
    advance(now);
    if (const auto wrong = unusable()) {
        return unexpected{*wrong};
    }
    exchange* const of = find_stream(id);
    if (of == nullptr) {
        return unexpected{kind::exchange_ended};
    }
    control::GrantRef given;
    given.messages = more.messages;
    given.bytes = more.bytes;
    of->in.grant(more.messages, more.bytes);
    send(detail::header_of(*of, frame_type::credit), given, detail::mark_of(*of));
    return {};
}

inline result<void> session::ack(std::uint64_t id, std::uint64_t chunk, std::uint64_t now) {
    advance(now);
    if (const auto wrong = unusable()) {
        return unexpected{*wrong};
    }
    exchange* const of = find(id);
    const bool is_event =
        of != nullptr && !of->is_own && !of->is_dead && of->kind == purpose::event && chunk == 0;
    if (!is_event && (find_stream(id) == nullptr || !of->in.can_ack(chunk))) {
        return unexpected{kind::exchange_ended};
    }
    control::TakenRef taken;
    taken.chunk = chunk;
    send(detail::header_of(*of, frame_type::ack), taken, detail::mark_of(*of));
    if (is_event) {
        refused_.answered();
        close(*of);
        settle();
    } else {
        of->in.ack(chunk);
        close_if_over(*of);
    }
    return {};
}

}  // namespace mxp::session

#endif  // MXP_SESSION_STREAM_HPP
